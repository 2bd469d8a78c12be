# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user is told: findings about files, losses of exports, and errors."""

import bpy
import meshlens

TEXT = "Meshlens report"
#: What the module raises for content that it cannot read or write.
ERRORS = (
    meshlens.FormatError,
    meshlens.UnsupportedError,
    meshlens.MemoryLimitError,
    OSError,
    ValueError,
    LookupError,
)


class Problem(Exception):
    """What makes an import or an export impossible, in words for the user."""


#: What the codes of errors mean for who has the file.
_MEANING = {
    "OUT_OF_BOUNDS": "the file is cut short",
    "OUT_OF_CHUNK": "the file is damaged",
    "MAGIC": "the file is not a game mesh that can be read",
    "VERSION": "the file has a version of its format that is not known",
    "GIT_LFS_POINTER": "the file was not downloaded",
    "ENCRYPTED": "the file is encrypted: enter its password in the options",
    "PASSWORD_WRONG": "the password is not that of the file",
    "UNSUPPORTED": "the file uses something that cannot be read yet",
}


def told(error):
    """An error in words for the user: what it means, and then the details and the place in the file."""
    text = str(error) or type(error).__name__
    if isinstance(error, Problem):
        return text
    meaning = _MEANING.get(getattr(error, "code", None))
    if "OFS_EOF: expected at most" in text:
        # The header of an MD3 states an end that the file does not have.
        meaning = _MEANING["OUT_OF_BOUNDS"]
    if meaning is None and isinstance(error, meshlens.FormatError):
        meaning = "the file is damaged"
    return text if meaning is None else f"{meaning} ({text})"


class Log:
    """Lines about one run of an operator."""

    def __init__(self):
        self.lines = []
        self.errors = []

    def note(self, path, text):
        line = f"{path}: {text}" if path else str(text)
        if line not in self.lines:
            self.lines.append(line)

    def fail(self, path, error):
        text = told(error)
        self.errors.append(text if path and str(path) in text else f"{path}: {text}")

    def show(self, operator, done):
        """Writes all lines to a text of the file, and the most important ones to the status bar."""
        lines = [f"error: {line}" for line in self.errors] + self.lines
        if lines:
            text = bpy.data.texts.get(TEXT) or bpy.data.texts.new(TEXT)
            text.from_string("\n".join(lines) + "\n")
        more = f" More in the text “{TEXT}”." if len(lines) > 1 else ""
        if self.errors:
            operator.report({"ERROR"}, self.errors[0] + more)
        elif self.lines:
            operator.report({"WARNING"}, f"{done} {len(self.lines)} notes; the first: {self.lines[0]}.{more}")
        else:
            operator.report({"INFO"}, done)


def draw_lines(layout, lines, limit=12):
    """Lines of text in a dialog, wrapped."""
    column = layout.column(align=True)
    for line in lines[:limit]:
        first = True
        while line:
            end = len(line) if len(line) <= 90 else (line.rfind(" ", 0, 90) + 1 or 90)
            column.label(text=line[:end], icon="DOT" if first else "BLANK1")
            line, first = line[end:], False
    if len(lines) > limit:
        column.label(text=f"… and {len(lines) - limit} more", icon="BLANK1")
