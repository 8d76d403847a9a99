"""The entry point of `annotator` and `python -m annotator`."""

from annotator.cli.main import run


def main() -> None:
    """Run the command line and exit with its code."""
    run()


if __name__ == "__main__":
    main()
