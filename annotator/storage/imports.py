"""Which files were imported, so that the same file twice changes nothing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import delete, insert, select

from annotator.storage.engine import Transaction, now
from annotator.storage.tables import imports

ImportKind: TypeAlias = Literal["log"]


@dataclass(frozen=True, slots=True)
class Import:
    """A file that was imported; `counts` are its rows by fate, `options` how it was read."""

    kind: ImportKind
    sha256: str
    file_name: str
    options: dict[str, str]
    counts: dict[str, int]


def find(tx: Transaction, kind: ImportKind, sha256: str) -> Import | None:
    """Return the import of a file with this content, if there was one."""
    row = tx.execute(
        select(imports).where(imports.c.kind == kind, imports.c.sha256 == sha256)
    ).one_or_none()
    return None if row is None else Import(kind, row.sha256, row.file_name, row.options, row.counts)


def add(tx: Transaction, entry: Import) -> None:
    """Record an import."""
    tx.execute(
        insert(imports).values(
            kind=entry.kind,
            sha256=entry.sha256,
            file_name=entry.file_name,
            options=entry.options,
            counts=entry.counts,
            created_at=now(),
        )
    )


def remove(tx: Transaction, kind: ImportKind, sha256: str) -> None:
    """Forget an import."""
    tx.execute(delete(imports).where(imports.c.kind == kind, imports.c.sha256 == sha256))


def listed(tx: Transaction, kind: ImportKind) -> list[Import]:
    """Return all imports of a kind, oldest first."""
    rows = tx.execute(
        select(imports)
        .where(imports.c.kind == kind)
        .order_by(imports.c.created_at, imports.c.sha256)
    )
    return [Import(kind, row.sha256, row.file_name, row.options, row.counts) for row in rows]
