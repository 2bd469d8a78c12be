//! The codes of findings in Unreal meshes and their scripts, and of losses in conversions from them.

use meshlens_wire::codes;

pub(crate) use meshlens_wire::codes::{
    INDEX_OUT_OF_RANGE, LIMIT_VERTICES, NO_FRAMES, TRAILING_BYTES, TRIANGLE_DEGENERATE, VERTEX_UNUSED,
};

codes! {
    MISSING_COMPANION: Warning, "files without the other file of their mesh",
        "An Unreal mesh is two files: _d.3d with the triangles, and _a.3d with the frames. One of them is missing.",
        "Put the other file into the same folder, or name both files, or the .uc script that names them.";
    VERTICES_16_BIT: Info, "meshes with 16-bit vertices",
        "The vertices have 16 bits for each axis, as in Deus Ex. Other engines read packed vertices of 11, 11 and 10 bits.",
        "Nothing for Deus Ex. Convert the mesh for other engines.";
    FRAME_PADDED: Info, "meshes with bytes after the vertices of each frame",
        "Each frame has bytes after its last vertex. Some exporters write them.",
        "Nothing: readers skip them.";
    FRAME_SIZE_MISTAKEN: Warning, "meshes with a wrong frame size",
        "The frame size is 3 bytes for each vertex, but vertices have 4: a mistake of one exporter. Other readers fail.",
        "Convert the mesh, which writes the right size.";
    VERTEX_COUNT_MISTAKEN: Warning, "meshes with a wrong number of vertices",
        "The number of vertices in the geometry file is not that of a frame. Other readers fail or draw the mesh wrong.",
        "Convert the mesh, which writes the right number.";
    FRAMES_TRUNCATED: Error, "frames files that end too early",
        "The file ends before its last frame. The whole frames are used.",
        "Get the file again, or export the mesh again.";
    FRAME_INCOMPLETE: Error, "frames files that end inside their last frame",
        "The file ends inside its last frame. The missing vertices keep their positions from the frame before.",
        "Get the file again. Some writers count the header in the frame size, and the last vertex was never written.";
    NO_VERTICES: Info, "meshes without a vertex",
        "The mesh has no vertex, so there is nothing to show.", "Nothing, unless the mesh should be visible.";
    NO_TRIANGLES: Info, "meshes without a triangle",
        "The mesh has no triangle, so there is nothing to show.", "Nothing, unless the mesh should be visible.";
    TRIANGLE_TYPE_UNKNOWN: Warning, "triangles of an unknown type",
        "The low four bits of a triangle's type are not one of the documented values. Engines differ in how they draw it.",
        "Give the triangle one of the types 0 to 4, or 8 for a weapon triangle.";
    WEAPON_TRIANGLE_AGAIN: Info, "weapon triangles after the first",
        "Weapons are attached to the first triangle of type 8. Others are not used.",
        "Remove the other weapon triangles.";
    EXEC_LINE_SKIPPED: Warning, "lines of a script that cannot be read",
        "An #exec line is faulty and was skipped.",
        "Correct the line.";
    SEQUENCE_EMPTY: Info, "sequences without frames",
        "A sequence of a script has no frames.", "Give it NUMFRAMES of at least 1, or remove it.";
    SEQUENCE_OUT_OF_RANGE: Warning, "sequences that go past the last frame",
        "A sequence of a script goes past the last frame of the mesh.",
        "Correct STARTFRAME and NUMFRAMES, or export the missing frames.";

    UNUSED_BYTES_LOST: Hint, "bytes that are not used",
        "The header or the end of a file, or vertices, have bytes that engines ignore. They are not kept.", "Nothing.";
    TRIANGLE_BYTES_LOST: Hint, "triangles with a color or flags that no conversion keeps",
        "Triangles have a color byte or flags, which engines ignore. They are not kept.", "Nothing.";
    EFFECT_LOST: Warning, "triangles with an effect that no conversion keeps",
        "Triangles are drawn with an effect of the engine (modulated, or a kind that is not known) that is not kept.",
        "Set the material up again where the model is used.";
}
