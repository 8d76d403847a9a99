"""judgments -> version: splits, records, version numbers.

A pure stage: takes data, returns data, does no IO. May import `text` and `domain`, no
neighbouring stage.
"""
