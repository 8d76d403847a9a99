import codecs
import json
import unicodedata
from pathlib import Path

import pytest

from annotator.domain.errors import InputError
from annotator.formats.documents import RawDocument, read_documents, read_text


def read(*paths: Path) -> list[RawDocument]:
    return list(read_documents(paths))


def refusal_of(path: Path, *, named: Path | None = None) -> str:
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert str(named or path) in message
    return message


def test_a_folder_gives_its_texts_by_path_with_ids_below_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.md", "a.TXT", "sub/c.markdown", "picture.png", "sub/notes"):
        (tmp_path / name).write_text(name)
    found = read(tmp_path)
    assert [(d.doc_id, d.text) for d in found] == [
        ("a.TXT", "a.TXT"), ("b.md", "b.md"), ("sub/c.markdown", "sub/c.markdown"),
    ]  # fmt: skip
    assert {(d.title, d.lang) for d in found} == {(None, None)}


def test_a_file_alone_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("text")
    assert [d.doc_id for d in read(tmp_path / "b.md")] == ["b.md"]


def test_text_is_kept_to_the_letter(tmp_path: Path) -> None:
    text = "\r\n# Title \r\nline\rline\n\u2028 \u0085\t\x0b保修 👨‍👩‍👧 e\u0301 \n\n"
    (tmp_path / "b.md").write_bytes(text.encode())
    assert read(tmp_path)[0].text == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding_and_is_no_text(tmp_path: Path, encoding: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}.get(encoding, b"")
    path = tmp_path / "b.txt"
    path.write_bytes(mark + "保修 lamp".encode(encoding))
    assert read_text(path) == "保修 lamp"


def test_an_id_does_not_hang_on_how_the_file_system_writes_accents(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "Gerät.md")).write_text("x")
    assert read(tmp_path)[0].doc_id == unicodedata.normalize("NFC", "Gerät.md")


def test_lines_hold_documents_with_ids_that_stay_strings(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    rows = [
        {"doc_id": "007", "text": "a\nb", "title": "T", "uri": "u", "lang": "zh"},
        {"doc_id": 7, "text": "1e5", "title": None},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read(path) == [
        RawDocument("007", "a\nb", "T", "u", "zh", f"{path}, line 1"),
        RawDocument("7", "1e5", None, "", None, f"{path}, line 2"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": "x"}, "no field 'doc_id'"),
        ({"doc_id": "a"}, "no field 'text'"),
        ({"doc_id": " ", "text": "x"}, "doc_id is empty"),
        ({"doc_id": "a", "text": ["x"]}, "field 'text' is a list"),
        ({"doc_id": "a", "text": "x", "title": {}}, "field 'title' is a object"),
        ({"doc_id": "a", "text": "half \ud800"}, "field 'text' holds"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: dict[str, object], reason: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"doc_id": "ok", "text": "x"}) + "\n" + json.dumps(row) + "\n")
    message = refusal_of(path)
    assert "line 2" in message
    assert reason in message


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes("保修".encode("gbk"))
    assert "is not UTF-8: byte 0 is 0xb1" in refusal_of(path)
    path.write_bytes(codecs.BOM_UTF8 + b"ab\xb1")
    assert "0xb1" in refusal_of(path)
    path.write_bytes(codecs.BOM_UTF16_LE + b"a\x00b")
    assert "is not UTF-16" in refusal_of(path)
    path.write_bytes(b"PK\x03\x04\x00\x00")
    assert "NUL characters" in refusal_of(path)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert "does not exist" in refusal_of(tmp_path / "none.md")
    assert "does not exist" in refusal_of(tmp_path / "none.pdf")
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    assert "'.pdf' are not read" in refusal_of(tmp_path / "a.pdf")
    assert "holds no documents" in refusal_of(tmp_path)
