"""chunks -> judgments: pools, what an event may say, what holds now.

A pure stage: takes data, returns data, does no IO. May import `text` and `domain`, no
neighbouring stage.
"""
