//! The codes of findings in UNIGINE files, and of losses in conversions from them.

use meshlens_wire::codes;

pub(crate) use meshlens_wire::codes::{
    DUPLICATE_SURFACE_NAME, INDEX_OUT_OF_RANGE, NAME_TRAILING_BYTES, NO_SURFACES, POSITION_NOT_FINITE,
    SURFACE_EMPTY, TEXCOORD_NOT_FINITE, TRAILING_BYTES, TRIANGLE_DEGENERATE, VERTEX_UNUSED,
};

codes! {
    COMPACT_NOT_MINIMAL: Info, "files with integers longer than they need to be",
        "Compact integers take more bytes than they need. The engine reads them all the same.", "Nothing.";
    NAME_WITHOUT_NUL: Hint, "names of length 0",
        "A name has a length of 0. Writers of the engine count the NUL, so that an empty name has a length of 1.",
        "Nothing.";
    BOUNDS_NOT_FINITE: Error, "bounding volumes that are not finite",
        "A bounding box or sphere has a number that is not a number (NaN) or infinite. Culling goes wrong.",
        "Export the mesh again.";
    BOUNDS_INVERTED: Warning, "bounding boxes that are inside out",
        "The least corner of a bounding box lies beyond the greatest. Culling goes wrong.",
        "Export the mesh again.";
    BOUNDS_EXCEEDED: Warning, "surfaces with vertices outside their bounding box",
        "Vertices lie outside the bounding box of their surface. Engines cull it while parts of it are in sight.",
        "Export the mesh again.";
    NO_ANIMATIONS: Info, "animation files without an animation",
        "The file holds a skeleton and no animation.", "Nothing.";
    ANIMATION_EMPTY: Info, "animations without a frame",
        "An animation has no frame, so there is nothing to play.", "Remove the animation.";
    ANIMATION_BONE: Error, "animations that move bones that are not there",
        "An animation names a bone that the skeleton does not have.", "Export the animation again.";
    ANIMATION_BONE_TWICE: Warning, "bones that an animation moves twice",
        "An animation lists a bone twice. The later transform wins.", "Export the animation again.";
    MASK_UNKNOWN_BITS: Warning, "animations with unknown bits in their mask",
        "The mask of an animation has bits that name no component.", "Export the animation again.";
    RANGE_NOT_FINITE: Error, "animations with ranges that are not finite",
        "The range that quantized keys are stored in is not a number (NaN) or infinite.",
        "Export the animation again.";
    RECORD_UNKNOWN_BITS: Warning, "keys with unknown bits in their flags",
        "The flags of a key have bits that name no component.", "Export the animation again.";
    RECORD_OUTSIDE_MASK: Warning, "keys with components that the mask leaves out",
        "A key stores a component that the mask of the animation leaves out.", "Export the animation again.";
    FIRST_FRAME_INCOMPLETE: Warning, "bones whose first key is incomplete",
        "The first frame leaves out a component of the mask, so that the engine starts from what was there before.",
        "Export the animation again.";
    RECORD_NOT_FINITE: Error, "keys that are not finite",
        "A key is not a number (NaN) or infinite. The bone and everything it moves disappears.",
        "Export the animation again.";
    DUPLICATE_BONE_NAME: Warning, "bones whose name another one has",
        "Two bones have the same name. Animations, which find bones by name, move the first.",
        "Rename one of the bones.";
    PARENT_AFTER_CHILD: Info, "bones whose parent comes after them",
        "A bone comes before its parent. Readers that compute poses in one pass get it wrong.",
        "Sort the bones, parents first, if a reader fails.";
    BONE_NOT_FINITE: Error, "bones whose transform is not finite",
        "The transform of a bone is not a number (NaN) or infinite.", "Export the mesh again.";
    BONE_ROTATION_NOT_UNIT: Warning, "bones whose rotation is not of length 1",
        "The rotation of a bone is a quaternion whose length is not 1. Engines normalize it or scale the bone.",
        "Export the mesh again.";
    BLOCK_OFFSET: Error, "surfaces whose data is not where the table says",
        "The table of blocks names another offset than the one where the geometry lies.", "Export the mesh again.";
    BLOCK_TRAILING_BYTES: Info, "blocks with bytes after the geometry",
        "A block has bytes after its geometry.", "Nothing: readers ignore them.";
    NO_MORPH_TARGETS: Warning, "surfaces without a morph target",
        "The vertices of a surface are in its morph target 0, and there is none.", "Export the mesh again.";
    WEIGHT_COUNT: Error, "surfaces with a wrong number of weights",
        "A surface has weights, but not for each of its vertices.", "Export the mesh again.";
    TEXCOORD_COUNT: Error, "surfaces with a wrong number of texture coordinates",
        "A surface has texture coordinates, but not as many as tangents.", "Export the mesh again.";
    COLOR_COUNT: Error, "surfaces with a wrong number of colors",
        "A surface has colors, but not as many as tangents.", "Export the mesh again.";
    MORPH_TARGET_COUNT: Error, "morph targets of another size than the first",
        "A morph target has another number of vertices or tangents than target 0.", "Export the mesh again.";
    TANGENT_W_ZERO: Warning, "tangent frames without a sign",
        "The w of a tangent frame is 0. It carries the sign of the bitangent, which is lost.",
        "Export the mesh again. Normal maps may look inverted there.";
    TANGENT_NOT_UNIT: Warning, "tangent frames that are not of length 1",
        "A tangent frame is a quaternion whose length is not 1. Lighting is wrong there.", "Export the mesh again.";
    WEIGHT_BONE: Error, "vertices moved by bones that are not there",
        "A vertex names a bone that the skeleton does not have.", "Export the mesh again.";
    VERTEX_WITHOUT_BONES: Info, "vertices that no bone moves",
        "A vertex of a surface with weights has none. It stays where it is.", "Nothing, unless it should move.";
    WEIGHT_SUM: Warning, "vertices whose weights do not add up to 1",
        "The weights of a vertex add up to less or more than 1 by more than their rounding. The vertex moves too little or too far.",
        "Normalize the weights and export the mesh again.";
    INDEX_COUNTS: Error, "surfaces with unequal numbers of indices",
        "A surface has another number of coordinate indices than of triangle indices.", "Export the mesh again.";
    INDEX_COUNT_NOT_TRIPLE: Error, "surfaces whose indices make no whole triangles",
        "The number of indices is no multiple of three.", "Export the mesh again.";

    BOUNDS_LOST: Hint, "bounds that no conversion keeps",
        "The box or the sphere of a mesh or a surface reaches visibly beyond its vertices. The result has the bounds of the vertices.",
        "Enlarge the bounds in the engine, if the model moves outside of its vertices.";
    LIGHTMAP_LOST: Info, "surfaces whose light map settings no conversion keeps",
        "The channel and the resolution of a surface's light map are not kept.", "Set them in the engine.";
}
