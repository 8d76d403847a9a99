"""Run the migrations in the engine that `migrate.py` hands in."""

from alembic import context

from annotator.storage.tables import metadata

with (
    context.config.attributes["engine"].connect().execution_options(annotator_write=True)
) as connection:
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
