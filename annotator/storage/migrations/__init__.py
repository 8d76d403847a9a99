"""Alembic's migrations, run up and down in the tests."""
