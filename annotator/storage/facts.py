"""Single values that belong to the whole workspace, such as the corpus hash."""

from sqlalchemy import delete, insert, select

from annotator.domain.json import Json
from annotator.storage.engine import Transaction
from annotator.storage.tables import facts


def get(tx: Transaction, key: str) -> Json:
    """Return the fact, None where it was never set."""
    return tx.execute(select(facts.c.value).where(facts.c.key == key)).scalar_one_or_none()


def put(tx: Transaction, key: str, value: Json) -> None:
    """Set the fact."""
    tx.execute(delete(facts).where(facts.c.key == key))
    tx.execute(insert(facts).values(key=key, value=value))
