"""Build retrieval test sets one can trust: from a query log to a scored, versioned test set.

Importing this package is cheap on purpose: nothing heavy is loaded before it is used.
"""

__version__ = "0.1.0"
