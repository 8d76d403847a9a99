#!/usr/bin/env python3
"""Set up the tests with one command and run them against the installed package.

Without options: everything that needs no browser and no minutes. `--all`: the checks, then
every folder of tests in full, with real servers and a browser. Exit code 0 means that all that
was run has passed; where CI=true, a skipped test counts as failed.

The syntax stays that of Python 3.6, so that an old interpreter prints a sentence, not a traceback.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    """Read the options, prepare the environment, run the stages."""
    import argparse

    import environment
    import stages

    parser = argparse.ArgumentParser(
        description="Install the package into .envs/test and run its tests there.",
        epilog="Examples: python3 scripts/test.py -k offsets; python3 scripts/test.py --all",
    )
    parser.add_argument(
        "--all", action="store_true", help="also the checks, the slow tests and the browser's"
    )
    parser.add_argument(
        "--stage", metavar="NAME", help="one stage of --all: " + ", ".join(stages.names())
    )
    parser.add_argument(
        "-k", metavar="EXPR", nargs="+", default=[], help="only tests that pytest's -k selects"
    )
    parser.add_argument("--torch-index", metavar="URL", help="package index for torch alone")
    parser.add_argument("--recreate", action="store_true", help="make the environment anew")
    options = parser.parse_args()
    if options.stage is not None and options.stage not in stages.names():
        parser.error("no stage {!r}; there are {}".format(options.stage, ", ".join(stages.names())))

    folder = environment.prepare(
        "test", group="dev", torch_index=options.torch_index, recreate=options.recreate
    )
    return stages.run(
        folder,
        chosen=[options.stage] if options.stage else stages.names() if options.all else None,
        expression=" ".join(options.k),
        is_skip_failure=os.environ.get("CI", "").lower() in ("true", "1"),
    )


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036
        import old_python

        sys.exit(old_python.sentence(sys.argv[0]))
    import environment

    sys.exit(environment.guarded(main))
