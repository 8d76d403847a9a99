"""Say what to do on a Python that is too old; the syntax stays that of Python 3.6."""

import os
import shutil
import sys


def sentence(script):
    """Return the sentence, naming a newer interpreter where the machine has one."""
    newer = [name for name in ("python3.13", "python3.12", "python3.11") if _works(name)]
    remedy = (
        f"Run it with a newer one: {newer[0]} {script}"
        if newer
        else "Install Python 3.11, 3.12 or 3.13 (https://www.python.org/downloads/) and run it "
        f"with that: python3.13 {script}"
    )
    version = ".".join(str(part) for part in sys.version_info[:3])
    return (
        f"{os.path.basename(script)} needs Python 3.11 or newer, and this is Python {version} "
        f"({sys.executable}). {remedy}"
    )


def _works(name):
    import subprocess

    path = shutil.which(name)
    if path is None:
        return False
    try:
        return subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False
