"""Settings of a workspace: `annotator.toml`, overridden by environment variables.

A variable is named ANNOTATOR_<SECTION>__<FIELD>, such as ANNOTATOR_CORPUS__CHUNK_CHARS=400.
"""

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from annotator.atomic import atomic_file
from annotator.domain.errors import InputError
from annotator.domain.json import JsonObject
from annotator.retrievers.http import public_url
from annotator.workflows.mine import MiningPlan

SETTINGS_FILE = "annotator.toml"
_ENV_PREFIX = "ANNOTATOR_"
SettingsTable: TypeAlias = dict[str, dict[str, str | int | float | list[str]]]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetSettings(_Section):
    """What the data card of a version says about the data."""

    name: str = Field("dataset", description="Name of the dataset, used in titles.")
    licence: str = Field("unknown", description="Licence of queries and documents, SPDX id.")
    languages: tuple[str, ...] = Field(
        ("en", "zh"), description="Languages of the content, BCP 47, the main one first."
    )


class EncoderSettings(_Section):
    """The embedding model."""

    model: str = Field(
        "default", description='"default", a folder, or a sentence-transformers name on the hub.'
    )


class CurationSettings(_Section):
    """How the log becomes a population of distinct queries in buckets."""

    near_duplicates: bool = Field(True, description="Merge near-duplicate queries.")
    buckets_per_query: float = Field(
        3.5, gt=0, le=20, description="Fine buckets per query of the sampling budget."
    )
    planned_budget: int = Field(
        200, ge=1, description="Budget for which `curate` cuts buckets before a sample is drawn."
    )
    intents: int = Field(24, ge=1, le=200, description="Number of coarse intents.")
    head_share: float = Field(0.5, gt=0, lt=1, description="Traffic share of the head intents.")
    torso_share: float = Field(0.3, ge=0, lt=1, description="Traffic share of the torso intents.")
    traffic: float = Field(0.3, ge=0, le=1, description="Share of the budget drawn by traffic.")
    coverage: float = Field(0.5, ge=0, le=1, description="Share of the budget drawn per bucket.")
    one_offs: float = Field(0.2, ge=0, le=1, description="Share kept for one-off queries.")


class CorpusSettings(_Section):
    """How documents become chunks, for those who bring no chunks of their own."""

    chunker: Literal["structure", "fixed"] = Field(
        "structure", description="Cut at headings, paragraphs and sentences, or at fixed lengths."
    )
    chunk_chars: int = Field(600, ge=20, le=20_000, description="Most characters in a chunk.")
    overlap_chars: int = Field(
        0, ge=0, description="Characters that a chunk repeats of the one before."
    )


class PoolSettings(_Section):
    """Which candidates an assessor sees."""

    depth_k: int = Field(10, ge=1, le=1000, description="Depth of each retriever's list.")
    retrievers: tuple[str, ...] = Field(
        ("builtin", "lexical", "dense"), description="Retrievers whose lists are pooled."
    )
    seed: int = Field(0, description="Seed of the order in which candidates are shown.")


class MiningSettings(_Section):
    """How hard negatives are chosen."""

    retriever: str = Field("builtin", description="The live retriever whose top-k is mined.")
    depth_k: int = Field(20, ge=1, le=1000, description="Depth of the list that is mined.")
    wanted_min: int = Field(3, ge=0, description="Fewest hard negatives of a query.")
    wanted_max: int = Field(5, ge=0, description="Most hard negatives of a query.")
    near_duplicate_similarity: float = Field(
        0.85, gt=0, le=1, description="Similarity to a relevant chunk that rules a negative out."
    )

    def plan(self) -> MiningPlan:
        """Return what the workflow takes."""
        return MiningPlan(
            self.depth_k, self.wanted_min, self.wanted_max, self.near_duplicate_similarity
        )


class ReleaseSettings(_Section):
    """How a version is split."""

    test_share: float = Field(0.25, gt=0, lt=1, description="Share of queries in the test split.")
    split_salt: str = Field("", description="Salt of the split; another one gives another split.")


class ScoreSettings(_Section):
    """How retrievers are scored."""

    depth_k: int = Field(20, ge=10, le=1000, description="Depth of the lists that are scored.")
    confidence_threshold: float = Field(
        0.5, description="Confidence under which a retriever's answer counts as a refusal."
    )


class BuiltinRetriever(_Section):
    """BM25, dense vectors, or both fused by reciprocal ranks."""

    type: Literal["builtin"] = "builtin"
    mode: Literal["hybrid", "lexical", "dense"] = Field("hybrid", description="Which lists to use.")

    def public(self) -> JsonObject:
        """Return what may be published."""
        return {"type": self.type, "mode": self.mode}


class HttpRetriever(_Section):
    """Any retriever that answers JSON over HTTP."""

    type: Literal["http"] = "http"
    url: str = Field(description="Address; {query} and {k} in it are replaced, URL-encoded.")
    method: Literal["GET", "POST"] = Field("POST", description="HTTP method.")
    headers: dict[str, str] = Field(
        default_factory=dict,
        description='Headers; "env:NAME" takes the value from an environment variable.',
    )
    body: str = Field(
        '{"query": "{query}", "k": "{k}"}',
        description='JSON template of a POST; "{query}" is replaced and "{k}" becomes a number.',
    )
    hits: str = Field("hits", description="JMESPath to the list of hits.")
    chunk_id: str = Field("chunk_id", description="JMESPath in a hit to the chunk id.")
    score: str = Field("score", description="JMESPath in a hit to the score.")
    doc_id: str = Field("doc_id", description="JMESPath in a hit to the document id.")
    start: str = Field("start", description="JMESPath in a hit to the start offset.")
    end: str = Field("end", description="JMESPath in a hit to the end offset.")
    confidence: str = Field("", description="JMESPath in the answer to a confidence; empty: none.")
    version: str = Field("", description="What you call this state of the retriever.")
    timeout_s: float = Field(10.0, gt=0, le=600, description="Longest wait for one answer.")
    retries: int = Field(2, ge=0, le=10, description="Tries after the first one.")

    def public(self) -> JsonObject:
        """Return what may be published: no header, body or query, which may hold a secret."""
        return {
            "type": self.type,
            "url": public_url(self.url),
            "method": self.method,
            "hits": self.hits,
            "confidence": self.confidence,
            "version": self.version,
        }


RetrieverSettings = Annotated[BuiltinRetriever | HttpRetriever, Field(discriminator="type")]

ALWAYS_THERE: dict[str, BuiltinRetriever | HttpRetriever] = {
    "builtin": BuiltinRetriever(mode="hybrid"),
    "lexical": BuiltinRetriever(mode="lexical"),
    "dense": BuiltinRetriever(mode="dense"),
}


class Settings(BaseSettings):
    """All settings of a workspace."""

    model_config = SettingsConfigDict(
        env_prefix=_ENV_PREFIX, env_nested_delimiter="__", extra="ignore", frozen=True
    )

    dataset: DatasetSettings = DatasetSettings()
    database_url: str = Field(
        "", description="SQLAlchemy URL of the database; empty: SQLite in the workspace."
    )
    encoder: EncoderSettings = EncoderSettings()
    curation: CurationSettings = CurationSettings()
    corpus: CorpusSettings = CorpusSettings()
    pool: PoolSettings = PoolSettings()
    mining: MiningSettings = MiningSettings()
    release: ReleaseSettings = ReleaseSettings()
    score: ScoreSettings = ScoreSettings()
    retrievers: dict[str, RetrieverSettings] = Field(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, whose values come in as init arguments."""
        return env_settings, init_settings

    def all_retrievers(self) -> dict[str, BuiltinRetriever | HttpRetriever]:
        """Return the retrievers that are always there and those that the file adds."""
        return {**ALWAYS_THERE, **self.retrievers}


def load_settings(path: Path) -> Settings:
    """Read a workspace's settings file.

    Raises InputError naming file or environment variable, field and the value where something
    does not fit.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not valid TOML: {error}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8. Save the file as UTF-8.") from error
    unknown = sorted(set(values) - set(Settings.model_fields))
    if unknown:
        raise InputError(
            f"{path}: unknown section or field {unknown[0]!r}. There are: "
            f"{', '.join(Settings.model_fields)}."
        )
    try:
        return Settings(**values)
    except SettingsError as error:
        section = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "")
        raise InputError(
            f"An environment variable {_ENV_PREFIX}{section.upper()}… cannot be read. Lists and "
            'sections are written there as JSON, such as ["lexical"].'
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = _variable(first["loc"]) or f"{path}: {'.'.join(str(part) for part in first['loc'])}"
        may_be_secret = first["loc"][:1] in (("retrievers",), ("database_url",))
        got = "" if may_be_secret else f" (got {first['input']!r})"
        raise InputError(f"{where}: {first['msg']}{got}.") from error


def _variable(place: Sequence[int | str]) -> str:
    """Return the environment variable that sets the field at this place, "" where none does."""
    names = {name.upper(): name for name in os.environ}
    parts = [str(part).upper() for part in place]
    wanted = [_ENV_PREFIX + "__".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((names[name] for name in wanted if name in names), "")


def write_settings(path: Path, values: SettingsTable) -> None:
    """Write a new settings file that holds just these values; the rest are defaults."""
    with atomic_file(path) as temporary:
        temporary.write_text(tomli_w.dumps(values), encoding="utf-8", newline="\n")
