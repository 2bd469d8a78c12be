"""The command ``meshlens``."""

from __future__ import annotations

import signal
import sys

from ._meshlens import command


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit status."""
    # The command ends by the default action of the signal, and removes partial outputs first.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["meshlens", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
