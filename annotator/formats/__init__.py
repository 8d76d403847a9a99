"""Files in and out. May import `text` and `domain`; knows no database."""
