import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.corpus.chunking import cut_fixed, cut_structure, title_of
from annotator.domain.document import Chunk, Document
from annotator.domain.errors import InputError
from tests.builders import a_document

PARTS = st.sampled_from(
    [
        *("# Title", "## Second ##", "### `code` heading", "#no heading", "# "),
        *("```", "```python", "~~~", "````", "# a comment", "    indented"),
        *("---", "title: A pump", "title: ''", "- item", "| a | b |"),
        *("The pump runs. It stops! Why?", '"Quoted." (Then.) More… end', "word " * 12),
        *("保修期为二十四个月。自交货之日起计算！注册后延长；", "「是的。」他说。", "开通" * 9),
        *("👨‍👩‍👧‍👦🇨🇭 e\u0301 𠮷", "مدة الضمان", "\u3000\u00a0\u2028", "x" * 40),
        *("\x00\ufeff", "\ud800"),
        *("", " ", "\t", "   \t ", "a"),
    ]
)
BREAKS = st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n", "\n \t\n", " ", "", "\r", "\n\n\n\n"])
TEXTS = st.lists(st.tuples(PARTS, BREAKS), max_size=14).map(
    lambda parts: "".join(part + end for part, end in parts)
) | st.text(max_size=120)
CUTTERS = {"fixed": cut_fixed, "structure": cut_structure}


@dataclass(frozen=True)
class Cut:
    """A text, how it was cut, and what came of it."""

    text: str
    chunk_chars: int
    overlap_chars: int
    cutter: str

    @property
    def chunks(self) -> list[Chunk]:
        return CUTTERS[self.cutter](
            a_document(self.text), chunk_chars=self.chunk_chars, overlap_chars=self.overlap_chars
        )


CUTS = st.integers(1, 60).flatmap(
    lambda most: st.builds(
        Cut, TEXTS, st.just(most), st.integers(0, most - 1), st.sampled_from(sorted(CUTTERS))
    )
)
# a key, or nothing, between two rules: what the generator above can make of it
FRONT = re.compile(r"\A---[ \t]*\r?\n(?=title:\s|---)(.*?\n)??---[ \t]*(\r?\n|\Z)", re.DOTALL)


def cut(text: str, chunk_chars: int, overlap_chars: int = 0) -> list[str]:
    document = a_document(text)
    chunks = cut_structure(document, chunk_chars=chunk_chars, overlap_chars=overlap_chars)
    return [chunk.text for chunk in chunks]


def titles(text: str, *, title: str = "Doc", chunk_chars: int = 500) -> list[str]:
    document = a_document(text, title=title)
    return [
        chunk.title for chunk in cut_structure(document, chunk_chars=chunk_chars, overlap_chars=0)
    ]


@given(CUTS)
def test_a_chunk_is_the_text_between_its_offsets_and_never_too_long(made: Cut) -> None:
    for index, chunk in enumerate(made.chunks):
        assert chunk.text == made.text[chunk.start : chunk.end]
        assert 0 < len(chunk.text) <= made.chunk_chars
        assert chunk.text == chunk.text.strip()
        assert (chunk.index, chunk.doc_id) == (index, "d1")


@given(CUTS)
def test_every_character_but_blanks_and_front_matter_lies_in_a_chunk(made: Cut) -> None:
    covered = {place for chunk in made.chunks for place in range(chunk.start, chunk.end)}
    front = FRONT.match(made.text)
    begin = front.end() if front else 0
    there = {place for place in range(begin, len(made.text)) if not made.text[place].isspace()}
    assert not there - covered


@given(CUTS)
def test_chunks_stand_in_order_with_ids_of_their_own_and_none_inside_another(made: Cut) -> None:
    chunks = made.chunks
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    for one, two in pairwise(chunks):
        assert one.start < two.start
        assert one.end < two.end


@given(CUTS)
def test_overlap_is_at_most_what_was_asked_for(made: Cut) -> None:
    assert all(one.end - two.start <= made.overlap_chars for one, two in pairwise(made.chunks))


@given(CUTS)
def test_the_same_document_gives_the_same_chunks(made: Cut) -> None:
    assert made.chunks == made.chunks


def test_fixed_cuts_share_the_overlap() -> None:
    chunks = cut_fixed(a_document("abcdefghij"), chunk_chars=4, overlap_chars=1)
    assert [chunk.text for chunk in chunks] == ["abcd", "defg", "ghij"]


def test_a_fixed_cut_that_reaches_the_end_is_the_last() -> None:
    chunks = cut_fixed(a_document("abcdefgh"), chunk_chars=4, overlap_chars=2)
    assert [chunk.text for chunk in chunks] == ["abcd", "cdef", "efgh"]


@pytest.mark.parametrize("cutter", sorted(CUTTERS))
@pytest.mark.parametrize("overlap", [10, 11, -1])
def test_an_overlap_as_long_as_a_chunk_is_refused(cutter: str, overlap: int) -> None:
    with pytest.raises(InputError, match=f"overlap_chars is {overlap} and chunk_chars 10"):
        _ = Cut("text", 10, overlap, cutter).chunks


def test_a_heading_begins_a_new_chunk_and_names_it() -> None:
    text = "Intro.\n\n# First\n\nOne.\n\n## Second ##\n\nTwo.\n"
    assert cut(text, 500) == ["Intro.", "# First\n\nOne.", "## Second ##\n\nTwo."]
    assert titles(text) == ["Doc", "Doc § First", "Doc § Second"]


def test_a_sign_at_the_end_of_a_word_belongs_to_the_heading() -> None:
    assert titles("# Use C#\n\nText.\n") == ["Doc § Use C#"]


def test_a_heading_without_text_joins_the_part_below_it() -> None:
    text = "# Manual\n\n## Warranty\n\nTwo years.\n"
    assert cut(text, 500) == ["# Manual\n\n## Warranty\n\nTwo years."]
    assert titles(text) == ["Doc § Warranty"]


def test_the_heading_that_is_the_title_is_not_said_twice() -> None:
    assert titles("# The `pump`\n\nText.\n", title="The pump") == ["The pump"]


def test_a_heading_at_the_very_end_is_kept() -> None:
    assert cut("Text.\n\n# Last", 500) == ["Text.", "# Last"]


def test_line_ends_of_windows_give_the_same_headings() -> None:
    text = "# First #\n\nOne.\n\n## Second\n\nTwo.\n"
    windows = text.replace("\n", "\r\n")
    assert titles(windows) == titles(text) == ["Doc § First", "Doc § Second"]
    assert title_of(windows, fallback="x") == "First"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_comment_in_a_block_of_code_is_no_heading(fence: str, end: str) -> None:
    lines = ["# Run", "", f"{fence}sh", "# a comment", "run", fence, "", "# Stop", "", "Text."]
    text = end.join(lines)
    assert titles(text) == ["Doc § Run", "Doc § Stop"]


def test_a_shorter_fence_does_not_end_a_longer_one() -> None:
    text = "# Run\n\n````md\n```\n# inner\n```\n# still code\n````\n\n# Stop\n\nText."
    assert titles(text) == ["Doc § Run", "Doc § Stop"]


def test_inline_code_at_the_start_of_a_line_opens_no_block() -> None:
    text = "# Run\n\n```run``` starts it.\n\n# Stop\n\nText.\n\n```\ncode\n```\n"
    assert titles(text) == ["Doc § Run", "Doc § Stop"]


def test_a_block_of_code_that_fits_is_not_cut() -> None:
    code = "```\nfirst line\n\nsecond line\n```"
    text = f"# Run\n\n{'word ' * 6}\n\n{code}\n\nAfter."
    assert len(code) < 50 < len(text)
    chunks = cut(text, 50)
    assert sum(code in chunk for chunk in chunks) == 1


def test_a_block_of_code_longer_than_a_chunk_is_cut_at_its_lines() -> None:
    code = "```\n" + "".join(f"line number {n}\n" for n in range(10, 20)) + "```"
    chunks = cut(code, 40)
    assert all(len(chunk) <= 40 for chunk in chunks)
    assert re.findall(r"line number \d+", "\n".join(chunks)) == [
        f"line number {n}" for n in range(10, 20)
    ]


def test_front_matter_is_left_out_and_gives_the_title() -> None:
    text = '---\r\ntitle: "The pump"\r\nlang: en\r\n---\r\nText.'
    assert cut(text, 500) == ["Text."]
    assert title_of(text, fallback="x") == "The pump"


@pytest.mark.parametrize("title", ["title:", "title: ''", 'title: ""', "name: x"])
def test_front_matter_without_a_title_leaves_it_to_the_heading(title: str) -> None:
    assert title_of(f"---\n{title}\n---\n\n# Heading\n", fallback="x") == "Heading"


def test_a_title_in_the_text_is_no_title() -> None:
    assert title_of("Some text\ntitle: wrong\n", fallback="file") == "file"


def test_a_comment_in_code_is_no_title() -> None:
    assert title_of("```\n# comment\n```\n\n# Title\n", fallback="x") == "Title"


def test_text_between_two_rules_is_not_taken_for_front_matter() -> None:
    text = "---\n\nThe warranty lasts two years.\n\n---\n\nMore."
    assert "The warranty lasts two years." in "\n".join(cut(text, 500))


def test_paragraphs_are_packed_whole() -> None:
    assert cut("aaaa aaaa\n\nbbbb bbbb\n\ncccc cccc", 22) == [
        "aaaa aaaa\n\nbbbb bbbb",
        "cccc cccc",
    ]


def test_a_long_paragraph_is_cut_after_sentences() -> None:
    assert cut('He said "stop." Then it ran. And so on!', 20) == [
        'He said "stop."',
        "Then it ran.",
        "And so on!",
    ]


def test_chinese_sentences_end_without_a_blank() -> None:
    assert cut("保修期为两年。注册后延长！他说：“好的。”然后离开。", 10) == [
        "保修期为两年。",
        "注册后延长！",
        "他说：“好的。”",
        "然后离开。",
    ]


def test_words_are_kept_whole_where_no_sentence_fits() -> None:
    assert cut("one two three four five", 11) == ["one two", "three four", "five"]


def test_a_word_longer_than_a_chunk_is_cut_through() -> None:
    assert cut("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_overlap_repeats_the_last_whole_sentences() -> None:
    text = "One is here. Two is here. Three is here. Four is here."
    assert cut(text, 40, 15) == [
        "One is here. Two is here.",
        "Two is here. Three is here.",
        "Three is here. Four is here.",
    ]


def test_a_document_of_blanks_or_front_matter_has_no_chunks() -> None:
    assert cut(" \n\t\u3000\r\n", 10) == []
    assert cut("---\ntitle: x\n---\n", 10) == []


def test_the_same_text_in_two_documents_has_two_ids() -> None:
    def ids(document: Document) -> set[str]:
        chunks = cut_structure(document, chunk_chars=50, overlap_chars=0)
        return {chunk.chunk_id for chunk in chunks}

    assert not ids(a_document("Same text.", doc_id="a")) & ids(a_document("Same text.", doc_id="b"))


def test_a_heading_goes_with_the_text_below_it_even_where_both_do_not_fit() -> None:
    sentence = "Lamps last long. "
    text = f"# Lamps\n\n{sentence * 5}".strip()
    document = Document("d", text, "Lamps", "", "en", "")
    chunks = cut_structure(document, chunk_chars=90, overlap_chars=0)
    # 7 + 2 + 17 * 4 - 1 = 76 characters; with the fifth sentence it would be 93
    assert [chunk.text for chunk in chunks] == [
        "# Lamps\n\n" + (sentence * 4).strip(),
        sentence.strip(),
    ]
