"""Engines that draw models of a PK3 in the studio: OpenArena, by the two renderers of ioquake3, and Nexuiz, by DarkPlaces."""

import os
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from studio import files as studio_files

SIZE = 512
# The place of a model: in front of the eyes of the player.
DISTANCE = 100
# The angle of view in degrees. Nexuiz changes it smoothly, so it is one for all pictures.
VIEW = 16
# In Nexuiz: how high the eyes of an observer are, and how far models stand from each other.
EYES_OF_OBSERVERS, ROW = 60, 300
SCREEN = ["xvfb-run", "-a", "-s", f"-screen 0 {SIZE}x{SIZE}x24"]


@dataclass(frozen=True)
class Shot:
    """A picture to take: a model of the game's file system, and one of its frames."""

    name: str
    model: str
    frame: int = 0


def pack(path, files):
    """Writes a PK3 with these files, by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def run(command, home, log):
    """Runs a game with an empty home folder, and returns the lines that it prints."""
    environment = {**os.environ, "HOME": str(home), "PATH": os.environ["PATH"] + ":/usr/games"}
    with open(log, "wb") as out:
        subprocess.run([*SCREEN, *command], env=environment, stdout=out, stderr=out, timeout=600, check=False)
    return log.read_text(errors="replace").splitlines()


def picture(path):
    return Image.open(path).convert("RGB") if path.is_file() else None


def ioquake3(folder, renderer, files, settings, script):
    """Runs a script in the studio, by one of ioquake3's renderers. Returns its folder of pictures, and what it said."""
    home = folder / f"openarena-{renderer}"
    game = home / ".openarena/baseoa"
    pack(game / "zz-models.pk3", {**studio_files(), **files})
    script = ["set con_notifytime 0", "set cg_draw2D 0", "set cg_drawGun 0", "set cg_drawCrosshair 0", *script, "quit"]
    game.joinpath("shots.cfg").write_text("\n".join(script) + "\n")
    settings = {
        **{"cl_renderer": renderer, "r_mode": -1, "r_customwidth": SIZE, "r_customheight": SIZE, "r_fullscreen": 0},
        # What is behind the wall, and the exposure of the second renderer.
        **{"r_fastsky": 1, "r_postProcess": 0, "s_initsound": 0, "sv_pure": 0},
        **settings,
    }
    options = [word for key, value in settings.items() for word in ("+set", key, str(value))]
    command = ["openarena", *options, "+devmap", "studio", "+wait", "100", "+exec", "shots.cfg"]
    return game / "screenshots", run(command, home, folder / f"{renderer}.log")


def openarena(folder, renderer, files, shots):
    """The picture of each shot by one of ioquake3's renderers; `None` if the engine refuses its model. Second, what it said."""
    script = ["set cg_thirdPerson 0", f"set cg_fov {VIEW}", "wait 30"]
    for shot in shots:
        script += [f"echo SHOT {shot.name}", f"testmodel {shot.model}"]
        script += ["nextframe"] * shot.frame + ["wait 5", f"screenshot {shot.name}"]
    pictures, lines = ioquake3(folder, renderer, files, {}, script)
    said = {shot.name: [] for shot in shots}
    at = None
    for line in lines:
        at = line[5:] if line.startswith("SHOT ") else at
        if at in said:
            said[at].append(line)
    refused = {name for name, lines in said.items() if any("Can't register model" in line for line in lines)}
    drawn = {shot.name: None if shot.name in refused else picture(pictures / f"{shot.name}.tga") for shot in shots}
    return drawn, said


def players(folder, renderer, files, shots):
    """The picture of each player, whose model is a folder, from behind. Time hardly passes, so all stand alike. The engine draws
    another player in place of one that it refuses."""
    script = [f"set cg_fov {2 * VIEW}", "set cg_thirdPerson 1", "set cg_thirdPersonAngle 30", "set cg_shadows 0"]
    script += ["wait 100", "timescale 0.02"]
    for shot in shots:
        script += [f"model {shot.model}", f"headmodel {shot.model}", "wait 500", f"screenshot {shot.name}"]
    pictures, _ = ioquake3(folder, renderer, files, {"cg_thirdPersonRange": 200, "cg_deferPlayers": 0, "sv_floodProtect": 0}, script)
    return {shot.name: picture(pictures / f"{shot.name}.tga") for shot in shots}


def nexuiz(folder, files, shots):
    """The picture of each shot by DarkPlaces. A model that is refused is missing in its picture."""
    home = folder / "nexuiz"
    data = home / ".nexuiz/data"
    # All models stand in a row, which the player is moved along.
    places = [ROW * number for number in range(len(shots))]
    models = [
        {"classname": "misc_gamemodel", "model": shot.model, "frame": shot.frame, "angle": 180,
         "origin": f"{DISTANCE} {place} {EYES_OF_OBSERVERS}"}
        for shot, place in zip(shots, places)
    ]  # fmt: skip
    script = ["r_draw2d 0", "r_drawviewmodel 0", "con_notifytime 0", f"fov {VIEW}", *["wait"] * 20]
    for shot, place in zip(shots, places):
        script += [f'prvm_edictset server 1 origin "0 {place} 24"', *["wait"] * 20]
        script += [f"screenshot {shot.name}.tga", "wait"]
    start = {"maps/studio.cfg": 'host_framerate 0.05\ndefer 5 "exec shots.cfg"\n', "shots.cfg": "\n".join([*script, "quit"]) + "\n"}
    pack(data / "zz-models.pk3", {**studio_files(models), **files, **start})
    settings = {"vid_width": SIZE, "vid_height": SIZE, "vid_fullscreen": 0, "scr_screenshot_jpeg": 0}
    options = [word for key, value in settings.items() for word in (f"+{key}", str(value))]
    run(["nexuiz", "-nosound", *options, "+map", "studio"], home, folder / "nexuiz.log")
    return {shot.name: picture(data / f"{shot.name}.tga") for shot in shots}
