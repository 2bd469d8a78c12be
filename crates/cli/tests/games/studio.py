"""A Quake 3 map in which engines draw single models.

There is a floor to stand on, which is not drawn, a place to stand, a wall of one color in front of it, and light from
where the player stands, everywhere alike.
"""

import struct

# The lumps of an IBSP 46 file that are not empty, by number.
ENTITIES, SHADERS, PLANES, NODES, LEAFS, LEAF_SURFACES, LEAF_BRUSHES, MODELS = range(8)
BRUSHES, BRUSH_SIDES, VERTICES, INDICES, SURFACES, LIGHT_GRID = 8, 9, 10, 11, 13, 15
SOLID = 1
# Half the size of the map, of its wall and its floor, and of its points of light: every 64 units, and every 128 upwards.
FAR, LIT = 16384, 512
POINTS = 17 * 17 * 9
# The ambient and directed light, and the angles of its direction: from the zenith, and around it; 256 are a full turn.
LIGHT = bytes([40] * 3 + [60] * 3 + [48, 128])
# The wall: its shader, its color, and its corners.
WALL = "textures/studio/wall"
PINK = (255, 0, 128)
CORNERS = [(400, y, z) for z in (-FAR, FAR) for y in (-FAR, FAR)]


def files(entities=()):
    """The files of the map: its geometry, and the shader and the image of the wall."""
    shader = f"{WALL}\n{{\n\t{{\n\t\tmap {WALL}.tga\n\t\trgbGen identity\n\t}}\n}}\n"
    image = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 8, 0, 24, 0]) + bytes(reversed(PINK)) * 64
    return {"maps/studio.bsp": studio(entities), "scripts/studio.shader": shader.encode(), f"{WALL}.tga": image}


def studio(entities=()):
    """The bytes of the map. `entities` are dictionaries of keys and values, beside the world and the place to stand."""
    place = {"classname": "info_player_deathmatch", "origin": "0 0 24", "angle": "0"}
    texts = [
        "{\n" + "".join(f'"{key}" "{value}"\n' for key, value in entity.items()) + "}\n"
        for entity in ({"classname": "worldspawn", "message": "studio"}, place, *entities)
    ]
    floor = [(-FAR, FAR), (-FAR, FAR), (-64, 0)]
    planes = []
    for axis, (least, most) in enumerate(floor):
        for sign, distance in ((-1, -least), (1, most)):
            normal = [0.0, 0.0, 0.0]
            normal[axis] = float(sign)
            planes.append(struct.pack("<4f", *normal, distance))
    box = struct.pack("<6i", *[-FAR] * 3, *[FAR] * 3)
    leaf = struct.pack("<2i", 0, 0) + box + struct.pack("<4i", 0, 1, 0, 1)
    vertex = struct.Struct("<10f4B")
    wall = struct.pack("<12i", 1, -1, 1, 0, 4, 0, 6, -3, 0, 0, 0, 0)
    wall += struct.pack("<12f2i", *[0] * 9, -1, 0, 0, 0, 0)
    lumps = {
        ENTITIES: "".join(texts).encode() + b"\0",
        SHADERS: struct.pack("<64s2i", b"textures/studio/floor", 0, SOLID)
        + struct.pack("<64s2i", WALL.encode(), 0, SOLID),
        PLANES: b"".join(planes),
        NODES: struct.pack("<3i", 1, -1, -2) + box,
        LEAFS: leaf * 2,
        LEAF_SURFACES: struct.pack("<i", 0),
        LEAF_BRUSHES: struct.pack("<i", 0),
        MODELS: struct.pack("<6f4i", *[-LIT] * 3, *[LIT] * 3, 0, 1, 0, 1),
        BRUSHES: struct.pack("<3i", 0, 6, 0),
        BRUSH_SIDES: b"".join(struct.pack("<2i", side, 0) for side in range(6)),
        VERTICES: b"".join(vertex.pack(*at, 0, 0, 0, 0, -1, 0, 0, *[255] * 4) for at in CORNERS),
        INDICES: struct.pack("<6i", 0, 1, 2, 2, 1, 3),
        SURFACES: wall,
        LIGHT_GRID: LIGHT * POINTS,
    }
    header, body = b"IBSP" + struct.pack("<i", 46), b""
    start = 8 + 17 * 8
    for number in range(17):
        lump = lumps.get(number, b"")
        header += struct.pack("<2i", start + len(body), len(lump))
        body += lump + b"\0" * (-len(lump) % 4)
    return header + body
