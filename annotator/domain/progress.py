"""How long work tells how far it is, without knowing who listens."""

from collections.abc import Callable
from typing import TypeAlias

Report: TypeAlias = Callable[[str, int, int], None]
"""Called as report(step, done, total); total 0 means that the total is not known yet."""


def silent(step: str, done: int, total: int) -> None:
    """Report to nobody."""
