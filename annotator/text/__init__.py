"""Pure text code that several stages need. Imports `domain` only."""
