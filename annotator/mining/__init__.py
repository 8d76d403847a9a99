"""hard negatives and split answers.

A pure stage: takes data, returns data, does no IO. May import `text` and `domain`, no
neighbouring stage.
"""
