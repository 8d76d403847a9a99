import codecs
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.errors import InputError
from annotator.formats.querylog import MAX_CHARACTERS, QueryLogFile, read_query_log


def a_file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def refusal_of(path: Path, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        read_query_log(path, **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert str(path) in message
    return message


def test_distinct_strings_are_counted_and_stay_as_they_stand(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.csv", "id,query\n1,007\n2,1e5\n3,007\n4, Card \n")
    log = read_query_log(path)
    assert log.counts == {"007": 2, "1e5": 1, " Card ": 1}
    assert (log.rows, log.kept_rows, log.refused) == (4, 4, {})
    assert (log.columns, log.query_column) == (("id", "query"), "query")


def test_a_byte_order_mark_quoted_line_breaks_and_line_separators_survive(tmp_path: Path) -> None:
    content = codecs.BOM_UTF8 + 'query,n\r\n"a\nb, ""c""",1\r\nx\u2028yz,2\r\n'.encode()
    log = read_query_log(a_file(tmp_path, "LOG.CSV", content))
    assert log.counts == {'a\nb, "c"': 1, "x\u2028yz": 1}


def test_a_count_column_multiplies_the_rows(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.tsv", "question\tn\nhow\t3\nhow\t2.0\n \t4\n")
    log = read_query_log(path, count_column="n")
    assert log.counts == {"how": 5}
    assert (log.rows, log.refused) == (9, {"empty": 4})


def test_refused_rows_are_counted_by_reason(tmp_path: Path) -> None:
    long, fits = "x" * (MAX_CHARACTERS + 1), "y" * MAX_CHARACTERS
    rows = [{"q": "a"}, {"q": ""}, {"q": 7}, {"q": None}, {"x": 1}, {"q": long}, {"q": fits}]
    lines = [json.dumps(row) for row in rows] + ['{"q": "\\ud800"}']
    log = read_query_log(a_file(tmp_path, "log.jsonl", "\n\n".join(lines)))
    assert log.counts == {"a": 1, fits: 1}
    assert log.refused == {"empty": 2, "not_text": 3, "too_long": 1}
    assert (log.rows, log.kept_rows) == (8, 2)


def test_a_parquet_file_is_read_with_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "log[1].parquet"
    table = pa.table(
        {"查询": pa.array(["开通", None, "007", "开通"]).dictionary_encode(), "n": [2, 1, 1, 5]}
    )
    pq.write_table(table, path)
    log = read_query_log(path, count_column="n")
    assert log.counts == {"开通": 7, "007": 1}
    assert (log.rows, log.refused) == (9, {"empty": 1})


def test_a_semicolon_in_the_header_of_a_csv_is_its_separator(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.csv", "id;query\n1;where, when\n")
    assert read_query_log(path).counts == {"where, when": 1}


def test_a_tsv_with_lone_quotes_is_read_without_quoting(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.tsv", 'id\tquery\n1\t"size of 19" rack\n2\t"a" b\n')
    assert read_query_log(path).counts == {'"size of 19" rack': 1, '"a" b': 1}


def test_the_query_column_may_be_named(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.csv", "query,asked\nx,y\n")
    assert read_query_log(path, query_column="asked").counts == {"y": 1}


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("log.csv", b"\x89PNG\r\n\x1a\n....", ["PNG picture", "UTF-8 CSV"]),
        ("log.csv", b"PK\x03\x04....", ["Excel"]),
        ("log.jsonl", b"PAR1....", ["Parquet"]),
        ("log.parquet", b"query\na\n", ["not a Parquet file"]),
        ("log.parquet", b"PAR1 and then nothing", ["cut off"]),
        ("log.parquet", b"PAR1" + b"x" * 40 + b"PAR1", ["cannot be read as Parquet"]),
        ("log.csv", b"", ["empty"]),
        ("log.csv", b"query,n\n", ["no rows"]),
        ("log.csv", b"\n\n", ["no header"]),
        ("log.jsonl", b"\n\n", ["no rows"]),
        ("log.csv", b"id,words\n1,a\n", ["'id', 'words'", "query, text, question"]),
        ("log.csv", b"query,query\na,b\n", ["two columns called 'query'"]),
        ("log.csv", b"id,query\n1,a\n2,b,c\n", ["line 3", "3 fields", "2"]),
        ("log.csv", b'query\na\n"b\nc\n', ["line 3", "quote"]),
        ("log.csv", b'query\n"a" b\n', ["line 2", "quote"]),
        ("log.jsonl", b'{"query": "a"}\n{"query": "b"\n', ["line 2", "not JSON"]),
        ("log.jsonl", b'[{"query": "a"}]\n', ["line 1", "JSON list", "object"]),
        ("log.csv", "query\na\n如何开通手机支付功能\n".encode("gb18030"), ["line 3", "GB18030"]),
        ("log.jsonl", '{"query": "如何开通手机支付功能"}'.encode("gb18030"), ["line 1", "GB18030"]),
        ("log.csv", "query\n如何開通行動支付功能\n".encode("big5"), ["line 2", "Big5"]),
        ("log.csv", "query\nun café très fort\n".encode("cp1252"), ["line 2", "Windows-1252"]),
        ("log.csv", "query\ncafé\n".encode("utf-16"), ["UTF-16"]),
        ("log.csv", "query\ncard\n".encode("utf-16-le"), ["UTF-16"]),
        ("log.csv", b"query\n ,\n", ["line 2", "2 fields"]),
        ("log.csv", b'query\n" "\n', ["no usable query", "empty: 1"]),
        ("log.xlsx", b"PK\x03\x04", [".xlsx", ".parquet"]),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, name: str, content: bytes, parts: list[str]
) -> None:
    message = refusal_of(a_file(tmp_path, name, content))
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "", "many", "1e3", "٣", "9" * 20])
def test_a_count_that_is_no_positive_whole_number_is_refused(tmp_path: Path, count: str) -> None:
    path = a_file(tmp_path, "log.csv", f"query,n\na,1\nb,{count}\n")
    message = refusal_of(path, count_column="n")
    assert "line 3" in message
    assert repr(count)[:10] in message


@pytest.mark.parametrize("count", [None, True, 0, 2.5, float("nan"), "x", []])
def test_a_json_count_that_is_no_positive_whole_number_is_refused(
    tmp_path: Path, count: object
) -> None:
    path = a_file(tmp_path, "log.jsonl", json.dumps({"query": "a", "n": count}))
    assert "line 1" in refusal_of(path, count_column="n")


def test_a_parquet_count_that_is_missing_is_refused_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"query": ["a", "b"], "n": [1, None]}), path)
    assert "row 2" in refusal_of(path, count_column="n")


def test_a_parquet_column_of_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"query": [7, 8]}), path)
    assert "int64" in refusal_of(path)


def test_a_missing_named_column_is_refused_with_the_columns_there_are(tmp_path: Path) -> None:
    path = a_file(tmp_path, "log.csv", "query,n\na,1\n")
    assert "no column 'count'; it has 'query', 'n'" in refusal_of(path, count_column="count")


def test_a_folder_and_a_missing_path_are_refused(tmp_path: Path) -> None:
    assert "folder" in refusal_of(tmp_path)
    assert "does not exist" in refusal_of(tmp_path / "none.csv")


@given(
    st.lists(
        st.text(
            alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
            min_size=1,
            max_size=12,
        ).filter(lambda text: not text.isspace()),
        min_size=1,
        max_size=8,
    )
)
def test_every_query_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, queries: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    jsonl = "".join(json.dumps({"query": q}, ensure_ascii=False) + "\n" for q in queries)
    csv = "query\n" + "".join('"' + q.replace('"', '""') + '"\n' for q in queries)
    expected = {q: queries.count(q) for q in queries}
    logs: list[QueryLogFile] = [
        read_query_log(a_file(folder, "log.jsonl", jsonl)),
        read_query_log(a_file(folder, "log.csv", csv)),
    ]
    assert [log.counts for log in logs] == [expected, expected]


def test_a_query_that_holds_nul_is_refused_as_no_text(tmp_path: Path) -> None:
    log = read_query_log(a_file(tmp_path, "log.csv", b"query\na\x00b\nplain\n"))
    assert log.counts == {"plain": 1}
    assert log.refused == {"not_text": 1}
