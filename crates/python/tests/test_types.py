"""Documentation and representations of everything public."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import meshlens
from conftest import square
from meshlens import _meshlens


def test_everything_public_is_documented_at_run_time() -> None:
    for name in meshlens.__all__:
        value = getattr(meshlens, name)
        assert inspect.getdoc(value), name
        if not inspect.isclass(value) or value.__module__ != "meshlens" or issubclass(value, BaseException):
            continue
        if value.__name__ in _meshlens.__dict__ or value is meshlens.Model:
            for member in dir(value):
                if not member.startswith("_"):
                    text = inspect.getdoc(getattr(value, member))
                    assert text and text.endswith((".", ")", "`")) or "\n" in (text or ""), f"{name}.{member}: {text!r}"
    assert "(points, 3)" in (meshlens.Mesh.positions.__doc__ or "")
    assert "IndexError" in (meshlens.Mesh.positions.__doc__ or "")


def test_every_object_has_a_representation(corpus: Path) -> None:
    scene = meshlens.open(corpus / "gallery/walker.u3d")
    tagged = meshlens.open(corpus / "md3/tagged.md3")
    objects = [
        scene, scene.nodes[0], scene.meshes[0], scene.clips[0], scene.nodes[0].clips[0], scene.nodes[0].animations[0],
        scene.nodes[0].joints[0], scene.materials[0], scene.arrays[0], scene.at(), scene.space, tagged.tags[0],
        square(), scene.export("glb"), meshlens.inspect(corpus / "md3/static.md3"), meshlens.Finding("error", "X", "y"),
    ]  # fmt: skip
    for value in objects:
        text = repr(value)
        assert type(value).__name__ in text and " object at 0x" not in text and len(text) < 600, text


def test_signatures_show_every_option() -> None:
    for call, option in [
        (meshlens.Scene.thumb, "view"),
        (meshlens.Scene.export, "meshopt"),
        (meshlens.Scene.to_glb, "quantize"),
        (meshlens.open, "mount"),
        (meshlens.inspect, "frames"),
        (meshlens.validate, "limit"),
    ]:
        parameters = inspect.signature(call).parameters
        assert option in parameters, call
        assert not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()), call
    stubs = ast.parse(Path(_meshlens.__file__).with_name("_meshlens.pyi").read_text())
    [scene] = [node for node in stubs.body if isinstance(node, ast.ClassDef) and node.name == "Scene"]
    for method in (node for node in scene.body if isinstance(node, ast.FunctionDef)):
        if method.name in ("thumb", "export", "to_glb"):
            stub = {argument.arg: ast.literal_eval(value) for argument, value in zip(method.args.kwonlyargs, method.args.kw_defaults) if value}
            shown = inspect.signature(getattr(meshlens.Scene, method.name)).parameters
            assert stub == {name: of.default for name, of in shown.items() if of.kind is of.KEYWORD_ONLY}, method.name


def test_only_names_of_the_package_are_completed() -> None:
    assert dir(meshlens) == sorted([*meshlens.__all__, "__version__"])


def test_arrays_are_sources_for_type_checkers() -> None:
    mypy = pytest.importorskip("mypy.api")
    code = "import meshlens, numpy as np\nmeshlens.open(np.zeros(8, np.uint8))\nmeshlens.inspect(memoryview(b''))\n"
    out, errors, status = mypy.run(["--config-file=", "--strict", "-c", code])
    assert status == 0, out + errors


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert meshlens.__version__ == version("meshlens")
