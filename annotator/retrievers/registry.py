"""The adapters by the `type` that the settings name: one line each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotator.domain.errors import InputError
from annotator.retrievers.base import Retriever
from annotator.retrievers.builtin import BuiltinIndex, BuiltinRetriever, Mode
from annotator.retrievers.http import HttpRequest, HttpRetriever

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Materials:
    """What adapters may be built from: the index over the workspace's chunks, and its encoder."""

    index: Callable[[Mode], BuiltinIndex]
    encode: "Callable[[Sequence[str]], NDArray[np.float32]]"


Options = Mapping[str, Any]

_BUILDERS: dict[str, Callable[[str, Options, Materials], Retriever]] = {
    "builtin": lambda name, options, materials: BuiltinRetriever(
        name, materials.index(options["mode"]), materials.encode
    ),
    "http": lambda name, options, _: HttpRetriever(name, HttpRequest(**options)),
}


def build_retriever(name: str, kind: str, options: Options, materials: Materials) -> Retriever:
    """Return the adapter of this kind; `options` are its settings without `type`."""
    if kind not in _BUILDERS:
        raise InputError(
            f"Retriever {name!r} has the unknown type {kind!r}. Types: {', '.join(_BUILDERS)}."
        )
    return _BUILDERS[kind](name, options, materials)
