"""Faults that are planted in an MD3, which its pictures must show."""

import struct

HEADER = struct.Struct("<4si64s9i")
SURFACE = struct.Struct("<4s64s10i")


def surfaces(data):
    """The offset and the header of each surface."""
    header = HEADER.unpack_from(data)
    at = header[10]
    for _ in range(header[6]):
        surface = SURFACE.unpack_from(data, at)
        yield at, surface
        at += surface[-1]


def inside_out(data):
    """Triangles with their corners in the other order."""
    data = bytearray(data)
    for at, surface in surfaces(data):
        for number in range(surface[6]):
            place = at + surface[7] + 12 * number
            a, b, c = struct.unpack_from("<3i", data, place)
            struct.pack_into("<3i", data, place, a, c, b)
    return bytes(data)


def turned(data):
    """A quarter turn about the upward axis."""
    data = bytearray(data)
    for at, surface in surfaces(data):
        for number in range(surface[3] * surface[5]):
            place = at + surface[10] + 8 * number
            x, y = struct.unpack_from("<2h", data, place)
            struct.pack_into("<2h", data, place, -y, x)
    return bytes(data)


def untextured(data):
    """Shaders whose names no file has."""
    data = bytearray(data)
    for at, surface in surfaces(data):
        for number in range(surface[4]):
            struct.pack_into("<64s", data, at + surface[8] + 68 * number, b"models/nothing.tga")
    return bytes(data)


def untextured_skin(data):
    """A skin whose images do not exist."""
    lines = [line.split(b",")[0] for line in data.splitlines()]
    return b"".join(line + (b"," if line.startswith(b"tag_") else b",models/nothing.tga") + b"\n" for line in lines if line)


FAULTS = {"inside out": inside_out, "turned": turned, "untextured": untextured, "missing": lambda data: None}
