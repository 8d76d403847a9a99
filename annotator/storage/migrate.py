"""Bring a database to this program's schema, or refuse with a sentence."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from annotator.domain.errors import WorkspaceVersion
from annotator.storage.engine import Store, errors_as_sentences


def migration_config(store: Store) -> Config:
    """Return Alembic's configuration for the store's database."""
    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    config.attributes["engine"] = store.engine
    return config


def upgrade(store: Store, *, revision: str = "head") -> None:
    """Create or upgrade the schema.

    Raises WorkspaceVersion where the database was written by a newer program.
    """
    with errors_as_sentences(store.url):
        config = migration_config(store)
        current = schema_revision(store)
        script = ScriptDirectory.from_config(config)
        known = {entry.revision for entry in script.walk_revisions()}
        if current is not None and current not in known:
            raise WorkspaceVersion(
                f"The workspace's database has schema {current}, which this version does not know. "
                "It was written by a newer rag-annotator; upgrade with: "
                "pip install -U rag-annotator"
            )
        if current != (script.get_current_head() if revision == "head" else revision):
            command.upgrade(config, revision)


def schema_revision(store: Store) -> str | None:
    """Return the revision of the database's schema, None for an empty database."""
    with store.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()
