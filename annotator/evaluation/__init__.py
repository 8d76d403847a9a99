"""runs and a version -> measures.

A pure stage: takes data, returns data, does no IO. May import `text` and `domain`, no
neighbouring stage.
"""
