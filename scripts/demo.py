#!/usr/bin/env python3
"""Set up the demo with one command: an environment, a small workspace, the running app.

The syntax stays that of Python 3.6, so that an old interpreter prints a sentence, not a traceback.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    """Read the options, prepare the environment and hand over to `annotator demo`."""
    import argparse

    import environment

    parser = argparse.ArgumentParser(
        description="Install the package into .envs/demo, build a small workspace, serve the app.",
        epilog="Example: python3 scripts/demo.py --port 8600",
    )
    parser.add_argument(
        "--workspace",
        default=str(environment.ROOT / "demo-workspace"),
        help="folder for the demo's workspace (default: demo-workspace in the repository)",
    )
    parser.add_argument("--port", type=int, help="port of the app (default: the app's own)")
    parser.add_argument("--no-serve", action="store_true", help="build the workspace and stop")
    parser.add_argument("--torch-index", metavar="URL", help="package index for torch alone")
    parser.add_argument("--recreate", action="store_true", help="make the environment anew")
    options = parser.parse_args()

    folder = environment.prepare("demo", torch_index=options.torch_index, recreate=options.recreate)
    workspace = os.path.abspath(os.path.expanduser(options.workspace))
    line = [environment.command(folder, "annotator"), "demo", "--workspace", workspace]
    if options.no_serve:
        line.append("--no-serve")
    if options.port is not None:
        line += ["--port", str(options.port)]
    environment.say("Running: " + " ".join(line))
    return environment.replaced_by(line, environment.child_environment(folder))


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036
        import old_python

        sys.exit(old_python.sentence(sys.argv[0]))
    import environment

    sys.exit(environment.guarded(main))
