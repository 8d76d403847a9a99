"""Adapters to live retrievers: one file and one registry line each."""
