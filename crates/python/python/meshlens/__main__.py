"""The command ``meshlens``."""

from __future__ import annotations

import shutil
import signal
import sys

from ._meshlens import command


_CENSUS = """\
This package does not contain that program. meshlens.census describes files as the same rows, and tables of many files
are made by engines: pip install 'meshlens[ray]', 'meshlens[daft]' or 'meshlens[spark]'."""


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit status."""
    # The command ends by the default action of the signal, and removes partial outputs first.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = command(["meshlens", *sys.argv[1:]])
    if status and sys.argv[1:2] in (["census"], ["list"]) and shutil.which("meshlens-census") is None:
        print(_CENSUS, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
