"""Single values that belong to the whole workspace, such as the corpus hash."""

from typing import TypeAlias

from sqlalchemy import delete, insert, select

from annotator.storage.engine import Transaction
from annotator.storage.tables import facts

Fact: TypeAlias = str | int | float | bool | list["Fact"] | dict[str, "Fact"] | None


def get(tx: Transaction, key: str) -> Fact:
    """Return the fact, None where it was never set."""
    return tx.execute(select(facts.c.value).where(facts.c.key == key)).scalar_one_or_none()


def put(tx: Transaction, key: str, value: Fact) -> None:
    """Set the fact."""
    tx.execute(delete(facts).where(facts.c.key == key))
    tx.execute(insert(facts).values(key=key, value=value))
