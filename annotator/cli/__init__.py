"""The command line: one file per noun or workflow. Heavy imports happen inside commands."""
