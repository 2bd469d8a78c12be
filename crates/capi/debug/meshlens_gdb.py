"""Pretty-printers of meshlens for gdb:  (gdb) source meshlens_gdb.py

Errors are shown with their code and text, arrays with what they hold, and handles of the C++ wrapper as open or empty.
"""

import gdb
import gdb.printing


def text(value):
    """A char array that ends with a NUL."""
    return value.string(errors="replace", length=-1).split("\0", 1)[0]


def constant(value, prefix):
    """The name of a constant of an enumeration, without its prefix."""
    name = str(value)
    return name[len(prefix):].lower() if name.startswith(prefix) else str(int(value))


class Error:
    """ml_error."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        value = self.value
        if int(value["code"]) == 0:
            return "ML_OK"
        offset = int(value["offset"])
        place = "" if offset == 2**64 - 1 else " at %#x" % offset
        name = text(value["format"])
        return "%s%s%s: %s" % (value["code"], " in " + name if name else "", place, text(value["text"]))


class Array:
    """ml_array."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        value = self.value
        stored = value["format"]
        encoding = " as " + stored["name"].string() if int(stored) and int(stored["name"]) else ""
        return "%s of mesh %d, frame %d: %d elements%s, %d bytes apart, at %#x" % (
            constant(value["semantic"], "ML_SEMANTIC_"),
            int(value["mesh"]),
            int(value["frame"]),
            int(value["count"]),
            encoding,
            int(value["stride"]),
            int(value["file_offset"]),
        )


class Bounds:
    """ml_bounds."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        corner = lambda side: "[%s]" % ", ".join("%g" % float(self.value[side][i]) for i in range(3))
        return "%s to %s" % (corner("min"), corner("max"))


class Matrix:
    """ml_matrix, row by row."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        cell = lambda row, column: "%g" % float(self.value["m"][4 * column + row])
        rows = ("[%s]" % ", ".join(cell(row, column) for column in range(4)) for row in range(4))
        return "[%s]" % ", ".join(rows)


class Blend:
    """ml_blend."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        value = self.value
        return "frame %d to %d, weight %g" % (int(value["a"]), int(value["b"]), float(value["weight"]))


class Handle:
    """A handle of the C++ wrapper."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        raw = self.value["raw_"]
        return "open %s" % raw if int(raw) else "empty"


def printers():
    found = gdb.printing.RegexpCollectionPrettyPrinter("meshlens")
    for name, printer in [
        ("ml_error", Error),
        ("ml_array", Array),
        ("ml_bounds", Bounds),
        ("ml_matrix", Matrix),
        ("ml_blend", Blend),
    ]:
        found.add_printer(name, "^%s$" % name, printer)
    handles = "^ml::(file|report|input|asset|assets|request|stream|streamer)$"
    found.add_printer("handle", handles, Handle)
    return found


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
