"""The type of a JSON value."""

from typing import TypeAlias

Json: TypeAlias = str | int | float | bool | list["Json"] | dict[str, "Json"] | None
JsonObject: TypeAlias = dict[str, Json]
