"""Every way in which `meshlens convert` writes an MD3, drawn by the engines. usage: matrix.py MESHLENS CORPUS FOLDER

A picture is compared with the engine's picture of the original, or with that of `meshlens thumb` where the original is of a
format that the engine does not read. A model that is inside out, turned, untextured or missing must be found."""

import io
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

from compare import COLORS, OUTLINE, Picture
from engines import SIZE, Shot, nexuiz, openarena, players
from faults import FAULTS, untextured_skin
from glb import ball, bent, card, mirrored
from PIL import Image
from studio import PINK

ENGINES = {
    "OpenArena, opengl1": lambda *rest: openarena(folder, "opengl1", *rest)[0],
    "OpenArena, opengl2": lambda *rest: openarena(folder, "opengl2", *rest)[0],
    "Nexuiz": lambda *rest: nexuiz(folder, *rest),
}
# The archives of the games, and models in them with their frames.
OPENARENA, NEXUIZ = Path("/usr/share/games/openarena/baseoa"), Path("/usr/share/games/nexuiz/data")
GAMES = {
    "OpenArena": (OPENARENA, ["models/powerups/ammo/rocketam.md3", "models/weapons2/rocketl/rocketl.md3",
                              "models/weapons2/plasma/plasma.md3"]),
    "Nexuiz": (NEXUIZ, ["models/gibs/eye.md3", "models/gibs/bloodyskull.md3"]),
}  # fmt: skip
# A player of OpenArena, which the engine does not draw in place of others that it refuses, and the image that it must have.
PLAYER, ICON = "models/players/skelebot", "icon_default.tga"
# Formats that a model of a game goes through, and the options of the way back.
WAYS = {"md3": [], "glb": [], "u3d": [], "mesh": [], "3d": []}
# Materials of glTF of which an image alone is not enough, each with whether its card shows its back.
MATERIALS = {
    "mask": ({"alphaMode": "MASK"}, False),
    "blend": ({"alphaMode": "BLEND"}, False),
    "two-sided": ({"doubleSided": True}, True),
}
# The scale at which models of the gallery are 8 units high, so that perspective hardly changes their outline.
SCALE = 8 / 32
INCHES = 39.37007874


@dataclass
class Case:
    """A model, and what its picture is compared with. Without a path, it is the original."""

    name: str
    path: Path | None
    frame: int = 0
    # The file and frame whose picture by `thumb` is expected, or the model of the game whose picture is expected.
    thumb: tuple | None = None
    original: str | None = None
    games: tuple = ("OpenArena", "Nexuiz")
    # Whether the format in between names textures.
    is_textured: bool = True
    fault: str | None = None


def meshlens(*arguments):
    """Runs the command, and returns what it prints."""
    run = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)
    if run.returncode:
        raise SystemExit(f"meshlens {' '.join(map(str, arguments))}: {run.stderr.decode()}")
    return run.stdout


def convert(source, target, *options):
    target.parent.mkdir(parents=True, exist_ok=True)
    meshlens("convert", "-q", "--force", source, "-o", target, *options)
    return target


def thumb(path, frame, *options):
    command = ["thumb", "-q", "--view", "front", "--background", "none", "--size", "256", "--frame", frame, *options]
    image = Image.open(io.BytesIO(meshlens(*command, "-o", "-", path))).convert("RGBA")
    # What is transparent shows the wall of the studio.
    wall = Image.new("RGBA", image.size, PINK)
    wall.alpha_composite(image)
    return Picture(wall)


def gallery():
    """The models of the gallery in every format, as a modder places them: in a folder of the game."""
    for name, frame in {"crate": 0, "flag": 5, "walker": 3}.items():
        for suffix, scale in {".md3": SCALE, ".u3d": SCALE, ".mesh": SCALE * INCHES, "_d.3d": SCALE}.items():
            source = corpus / "gallery" / (name + suffix)
            target = game / f"models/gallery/{name}_{suffix[-3:].strip('.')}.md3"
            convert(source, target, "--scale", scale)
            for number in {0, frame}:
                yield Case(f"{source.name}, frame {number}", target, number, thumb=(source, number))


def gltf():
    """glTF files of ours and of others: compressed, mirrored, of more vertices than a surface may have, of Blender."""
    source = corpus / "gallery/walker.md3"
    for name, options in {"plain": [], "compressed": ["--quantize", "--meshopt"]}.items():
        glb = convert(source, folder / f"{name}.glb", *options)
        target = convert(glb, game / f"models/gltf/{name}.md3", "--scale", SCALE)
        yield Case(f"walker as glTF, {name}", target, 3, thumb=(source, 3))
    glb = mirrored(folder / "plain.glb", folder / "mirrored.glb")
    target = convert(glb, game / "models/gltf/mirrored.md3", "--scale", SCALE)
    yield Case("walker as glTF, mirrored", target, thumb=(glb, 0))
    glb = ball(folder / "ball.glb", corpus / "gallery/crate.tga")
    target = convert(glb, game / "models/gltf/ball.md3", "--scale", 4, "--engine", "openarena")
    yield Case("ball of 12,100 vertices, split", target, thumb=(glb, 0))
    blender = folder / "blender.glb"
    if blender.is_file():
        target = convert(blender, game / "models/gltf/blender.md3", "--scale", SCALE)
        yield Case("walker as glTF, by Blender", target, thumb=(blender, 0))


def shaders():
    """The shaders that are written for materials of glTF. Without them, the pictures must be wrong."""
    for name, (material, is_turned) in MATERIALS.items():
        glb = card(folder / f"{name}.glb", material, is_turned)
        for fault in (None, "without its shader"):
            target = convert(glb, game / f"models/{'plain' if fault else 'shaded'}/{name}.md3", "--scale", 4)
            script = game / f"scripts/{target.parent.name}_{name}.shader"
            if not script.is_file():
                raise SystemExit(f"{script}: not written")
            if fault:
                script.unlink()
            yield Case(f"card, {name}", target, thumb=(glb, 0), games=("OpenArena",), fault=fault)


def normal_maps():
    """A normal map of glTF, which opengl2 draws as normals of vertices that lean the same way, and not as those that lean the
    other way. The other renderer draws the surface without it."""
    models = {}
    for name, (up, is_map) in {"map": (1, True), "leaning": (1, False), "other": (-1, False), "flat": (0, False)}.items():
        glb = bent(folder / f"{name}.glb", up, is_map)
        models[name] = convert(glb, game / f"models/bent/{name}.md3", "--scale", 4)
    bumps = models["map"].with_name("map_n.png")
    if not bumps.is_file():
        raise SystemExit(f"{bumps}: not written")
    for renderer, name, fault in [
        ("opengl2", "leaning", None),
        ("opengl2", "other", "as if it leaned the other way"),
        ("opengl1", "flat", None),
    ]:
        original, games = str(models[name].relative_to(game)), (f"OpenArena, {renderer}",)
        yield Case(f"{name} normals", None, original=original, games=games)
        yield Case("normal map", models["map"], original=original, games=games, fault=fault)


def games():
    """Models of the games, through every format and back to MD3."""
    for name, (archives, models) in GAMES.items():
        for model in models:
            yield Case(f"{model}, as it is", None, original=model, games=(name,))
            archive = next(path for path in sorted(archives.glob("*.pk3")) if model in ZipFile(path).namelist())
            for way, options in WAYS.items():
                between = convert(f"{archive}!{model}", folder / f"ways/{Path(model).stem}.{way}")
                source = between.with_name(f"{between.stem}_d.3d") if way == "3d" else between
                target = game / f"models/ways/{between.stem}_{way}.md3"
                convert(source, target, "--textures", "none", *options)
                yield Case(f"{model}, through {way}", target, original=model, games=(name,), is_textured=way != "mesh")


def faults(cases):
    """A case of each fault, planted in a model of each game."""
    for number, model in enumerate(models[0] for _, models in GAMES.values()):
        right = next(case for case in cases if case.original == model and case.path)
        for name, plant in FAULTS.items():
            path = game / f"models/faults/{number}_{name.replace(' ', '_')}.md3"
            path.parent.mkdir(parents=True, exist_ok=True)
            broken = plant(right.path.read_bytes())
            if broken is not None:
                path.write_bytes(broken)
            yield replace(right, name=f"{model}, {name}", path=path, fault=name)


def wrong(case, found, expected):
    """What is wrong with a picture; `None` if it is right."""
    if found is None or found.is_empty:
        return "there is no model in the picture"
    # The light of `thumb` is another one.
    brightness = 1.0 if case.original else found.brightness(expected)
    outline, difference = found.outline(expected), found.difference(expected, brightness)
    measured.append((outline, difference if case.is_textured else 0, case))
    if outline < OUTLINE:
        return f"{outline:.0%} of the outline is as expected"
    if case.is_textured and difference > COLORS:
        return f"the colors differ by {difference:.3f}"
    return None


def judge(engine, cases):
    """Draws the cases in one engine, and returns the number of those that are not as they should be."""
    files = {str(path.relative_to(game)): path.read_bytes() for path in game.rglob("*") if path.is_file()}
    # An MD3 that is written as an MD3 keeps the names of its images.
    files |= {path.name: path.read_bytes() for path in (corpus / "gallery").glob("*.tga")}
    shots = [
        Shot(str(number), case.original if case.path is None else str(case.path.relative_to(game)), case.frame)
        for number, case in enumerate(cases)
    ]
    images = ENGINES[engine](files, shots)
    pictures = [image and Picture(image) for image in (images[shot.name] for shot in shots)]
    originals = {case.original: picture for case, picture in zip(cases, pictures) if case.path is None}
    failed = 0
    for case, picture in zip(cases, pictures):
        expected = originals[case.original] if case.original else thumb(*case.thumb)
        said = wrong(case, picture, expected)
        if (said is None) == (case.fault is None):
            continue
        failed += 1
        print(f"{engine}: {case.name}: {said or f'the fault is not seen: {case.fault}'}")
    print(f"{engine}: {len(cases)} pictures, {failed} of them not as they should be")
    sheets.append([images[shot.name] for shot in shots])
    return failed


def player_files():
    """The files of the player after a way through glTF, as it is and compressed, and with each fault in its torso; by name."""
    archive = next(path for path in sorted(OPENARENA.glob("*.pk3")) if f"{PLAYER}/upper.md3" in ZipFile(path).namelist())
    icon = ZipFile(archive).read(f"{PLAYER}/{ICON}")
    for name, options in {"plain": [], "compressed": ["--quantize", "--meshopt"]}.items():
        glb = convert(f"{archive}!{PLAYER}", folder / f"players/{name}.glb", *options)
        meshlens("convert", "-q", glb, "--to", "md3", "-o", f"{folder}/players/{name}/")
        written = {path.name: path.read_bytes() for path in (folder / f"players/{name}").iterdir() if path.is_file()}
        yield name, {**written, ICON: icon}, None
    for name, plant in FAULTS.items():
        broken = {**written, ICON: icon, "upper.md3": plant(written["upper.md3"])}
        if name == "untextured":
            # Skins name the images of a player.
            broken = {file: untextured_skin(data) if file.endswith(".skin") else data for file, data in broken.items()}
        yield name.replace(" ", "_"), broken if broken["upper.md3"] else {}, name


def judge_players(renderer, copies):
    """Draws the player as the game has it, and each of its copies, in one renderer. Returns the number of wrong pictures."""
    files = {f"models/players/{name}/{file}": data for name, copy, _ in copies for file, data in copy.items()}
    names = [Path(PLAYER).name, *(name for name, _, _ in copies)]
    images = players(folder / "players", renderer, files, [Shot(name, name) for name in names])
    original, failed = Picture(images[names[0]]), 0
    for name, _, fault in copies:
        found = Picture(images[name])
        case = Case(f"{PLAYER}, {name}", None, original=PLAYER, fault=fault)
        said = wrong(case, found, original)
        if (said is None) != (fault is None):
            failed += 1
            print(f"OpenArena, {renderer}: {case.name}: {said or 'the fault is not seen'}")
    print(f"OpenArena, {renderer}: {len(copies)} players, {failed} of them not as they should be")
    sheets.append([images[name] for name in names])
    return failed


program, corpus, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
game = folder / "game"
measured, sheets = [], []
cases = [*gallery(), *gltf(), *shaders(), *normal_maps(), *games()]
cases += faults(cases)
failed = 0
for engine in ENGINES:
    failed += judge(engine, [case for case in cases if any(engine.startswith(name) for name in case.games)])
copies = list(player_files())
for renderer in ("opengl1", "opengl2"):
    failed += judge_players(renderer, copies)
good = [(outline, difference) for outline, difference, case in measured if not case.fault]
least, most = min(outline for outline, _ in good), max(difference for _, difference in good)
print(f"at least {least:.0%} of an outline is as expected, and colors differ by at most {most:.3f}")
if sheet := os.environ.get("MESHLENS_SHEET"):
    columns, side = 14, 128
    images = [image for images in sheets for image in [*images, *[None] * (-len(images) % columns)]]
    whole = Image.new("RGB", (columns * side, len(images) // columns * side))
    for number, image in enumerate(images):
        if image:
            half = image.crop((SIZE // 4, SIZE // 4, 3 * SIZE // 4, 3 * SIZE // 4)).resize((side, side))
            whole.paste(half, (number % columns * side, number // columns * side))
    whole.save(sheet)
sys.exit(1 if failed else 0)
