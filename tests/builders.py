"""Builders of domain values with defaults: a test names only what it is about."""

from collections.abc import Mapping, Sequence

from sqlalchemy import URL

from annotator.corpus.identity import text_sha256
from annotator.domain.document import Chunk, Document, Span
from annotator.domain.judgment import Grade, GradeEvent, Judgment, QueryEvent, QueryVerdict
from annotator.domain.query import Label, SampledQuery, Stratum, Variant
from annotator.domain.release import AnswerSpan, GradedChunk, Record, Split
from annotator.domain.run import Hit, RetrievedList
from annotator.storage import corpus, migrate, samples
from annotator.storage.engine import Store

BUCKET = Label("b-1", "warranty")
INTENT = Label("i-1", "service")


def a_document(text: str = "The pump runs.", *, doc_id: str = "d1", title: str = "") -> Document:
    """Return a document with its true hash."""
    return Document(doc_id, text, title, "", "en", text_sha256(text))


def a_chunk(
    chunk_id: str = "c1",
    *,
    start: int = 0,
    text: str = "The pump runs.",
    end: int | None = None,
    doc_id: str = "d1",
    index: int = 0,
) -> Chunk:
    """Return a chunk that ends where its text does, unless `end` says otherwise."""
    return Chunk(
        chunk_id, doc_id, start, start + len(text) if end is None else end, text, "", index
    )


def chunks_between(document: Document, *bounds: tuple[int, int]) -> list[Chunk]:
    """Return the chunks c1, c2, … that lie between the bounds."""
    return [
        a_chunk(
            f"c{number}",
            doc_id=document.doc_id,
            start=start,
            text=document.text[start:end],
            index=number - 1,
        )
        for number, (start, end) in enumerate(bounds, start=1)
    ]


def a_query(
    query_id: str = "q-1",
    text: str = "how long is the warranty",
    *,
    stratum: Stratum = "head",
    lang: str = "en",
    frequency: int = 10,
    inclusion_probability: float | None = 0.5,
) -> SampledQuery:
    """Return a sampled query."""
    return SampledQuery(
        query_id=query_id,
        text=text,
        bucket=BUCKET,
        intent=INTENT,
        stratum=stratum,
        frequency=frequency,
        inclusion_probability=inclusion_probability,
        lang=lang,
        variants=(Variant(text, frequency),),
    )


def a_judgment(
    chunk_id: str = "c1",
    *,
    grade: Grade | None = 2,
    assessor: str = "ann",
    spans: tuple[Span, ...] = (),
    cannot_judge: str = "",
) -> Judgment:
    """Return the current judgment of one assessor."""
    return Judgment("q-1", chunk_id, assessor, grade, spans, "", cannot_judge)


def a_verdict(
    has_answer: bool | None = True,
    *groups: tuple[str, ...],
    assessor: str = "ann",
) -> QueryVerdict:
    """Return what one assessor said of the query as a whole."""
    return QueryVerdict("q-1", assessor, has_answer, groups)


def a_grade_event(
    event_id: str = "e-1",
    *,
    query_id: str = "q-1",
    chunk_id: str = "c1",
    grade: Grade | None = 2,
    assessor: str = "ann",
    spans: tuple[Span, ...] = (),
    quotes: tuple[str, ...] = (),
    note: str = "",
    cannot_judge: str = "",
) -> GradeEvent:
    """Return an event that grades a chunk."""
    return GradeEvent(
        event_id, query_id, chunk_id, assessor, grade, spans, quotes, note, cannot_judge
    )


def a_query_event(
    event_id: str = "e-1",
    *groups: tuple[str, ...],
    query_id: str = "q-1",
    has_answer: bool | None = True,
    assessor: str = "ann",
) -> QueryEvent:
    """Return an event that finishes a query."""
    return QueryEvent(event_id, query_id, assessor, has_answer, groups)


def a_list(
    query_id: str = "q-1",
    *chunk_ids: str,
    confidence: float | None = 0.9,
    latency_ms: float = 5.0,
) -> RetrievedList:
    """Return a retrieved list with ranks from 1 and scores that fall."""
    hits = tuple(Hit(c, rank, 1.0 / rank) for rank, c in enumerate(chunk_ids, start=1))
    return RetrievedList(query_id, hits, confidence, latency_ms)


def a_record(
    query_id: str = "q-1",
    *,
    query: str = "how long is the warranty",
    grades: Mapping[str, Grade] | None = None,
    groups: Sequence[tuple[str, ...]] | None = None,
    negatives: Sequence[str] = (),
    spans: Sequence[AnswerSpan] = (),
    split: Split = "tuning",
    lang: str = "en",
    frequency: int = 10,
    inclusion_probability: float | None = 0.5,
    reference_answer: str | None = None,
    bucket: Label = BUCKET,
    stratum: Stratum = "head",
) -> Record:
    """Return a record whose derived fields follow from grades and groups.

    `groups` None means that each chunk of grade 2 answers alone.
    """
    grades = {"c1": 2} if grades is None else grades
    if groups is None:
        groups = [(chunk_id,) for chunk_id, grade in sorted(grades.items()) if grade == 2]
    relevant = tuple(dict.fromkeys(chunk_id for group in groups for chunk_id in group))
    return Record(
        query_id=query_id,
        query=query,
        relevant_chunk_ids=relevant,
        hard_negative_ids=tuple(negatives),
        has_answer=bool(relevant),
        graded=tuple(
            GradedChunk(c, g) for c, g in sorted(grades.items(), key=lambda e: (-e[1], e[0]))
        ),
        answer_spans=tuple(spans),
        answer_groups=tuple(groups),
        split_answer=bool(relevant) and all(len(group) > 1 for group in groups),
        reference_answer=reference_answer,
        bucket=bucket,
        intent=INTENT,
        stratum=stratum,
        frequency=frequency,
        inclusion_probability=inclusion_probability,
        source="log",
        annotators=("a-0123abcd",),
        agreement=None,
        split=split,
        lang=lang,
    )


def a_store(url: str | URL) -> Store:
    """Open a database and give it this program's schema, by the real migrations."""
    store = Store(url)
    migrate.upgrade(store)
    return store


def fill(
    store: Store,
    *,
    documents: Sequence[Document] = (),
    chunks: Sequence[Chunk] = (),
    queries: Sequence[SampledQuery] = (),
) -> None:
    """Put documents, chunks and a sample into an empty database."""
    with store.write() as tx:
        corpus.replace_documents(tx, documents)
        corpus.add_chunks(tx, chunks)
        samples.replace(tx, samples.Plan("p-1", max(1, len(queries)), 1, {}), list(queries))
