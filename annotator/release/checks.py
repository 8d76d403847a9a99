"""What must hold for every version; a finding names the query and the value."""

from collections.abc import Collection, Mapping, Sequence

from annotator.domain.release import Record


def record_problems(records: Sequence[Record], *, chunk_ids: Collection[str]) -> list[str]:
    """Return one sentence per broken rule of the export contract, in the records' order."""
    problems: list[str] = []
    seen: dict[str, str] = {}
    known = set(chunk_ids)
    for record in records:
        where = f"Query {record.query_id}"
        if record.query_id in seen:
            problems.append(f"{where} stands in {seen[record.query_id]} and in {record.split}.")
        seen[record.query_id] = record.split
        if not record.query.strip():
            problems.append(f"{where} has an empty text.")
        if record.has_answer != bool(record.relevant_chunk_ids):
            problems.append(
                f"{where} has has_answer {record.has_answer} but "
                f"{len(record.relevant_chunk_ids)} relevant chunks."
            )
        both = set(record.relevant_chunk_ids) & set(record.hard_negative_ids)
        if both:
            problems.append(f"{where} has {sorted(both)[0]} as relevant and as hard negative.")
        grades = {graded.chunk_id: graded.grade for graded in record.graded}
        for chunk_id in record.hard_negative_ids:
            if grades.get(chunk_id) != 0:
                problems.append(f"{where} has the hard negative {chunk_id}, not judged 0.")
        grouped = {chunk_id for group in record.answer_groups for chunk_id in group}
        if grouped != set(record.relevant_chunk_ids):
            problems.append(f"{where} has relevant chunks that are not those of its groups.")
        if set(record.relevant_chunk_ids) - {c for c, grade in grades.items() if grade > 0}:
            problems.append(f"{where} has a relevant chunk that nobody graded 1 or 2.")
        named = {*record.relevant_chunk_ids, *record.hard_negative_ids, *grades}
        dangling = sorted(named - known)
        if dangling:
            problems.append(f"{where} names chunks that the corpus lacks: {dangling[:3]}.")
    return problems


def straddling_needs(records: Sequence[Record], needs: Mapping[str, str]) -> list[str]:
    """Return one sentence per information need that stands in both splits."""
    splits: dict[str, dict[str, str]] = {}
    for record in records:
        splits.setdefault(needs[record.query_id], {})[record.split] = record.query_id
    return [
        f"One information need stands in both splits: {both['tuning']} (tuning) and "
        f"{both['test']} (test)."
        for both in splits.values()
        if len(both) > 1
    ]
