"""documents -> chunks, their ids and the map of offsets.

A pure stage: takes data, returns data, does no IO. May import `text` and `domain`, no
neighbouring stage.
"""
