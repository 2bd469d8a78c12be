//! The codes of losses in conversions, and a list of the codes of all formats.

use crate::Format;
use crate::wire::{self, Code};

/// Every code of this build: the codes of errors, of its formats, and of conversions.
pub fn all() -> impl Iterator<Item = &'static Code> {
    let formats = Format::ALL.iter().flat_map(|format| format.codes());
    wire::codes::ALL.iter().chain(ALL).chain(formats).copied()
}

wire::codes! {
    NORMALS_EQUAL: Warning, "meshes whose normals are all equal",
        "All normals of a mesh are equal although its faces look in different directions, as exporters write that have no normals. The lighting is flat.",
        "Compute normals from the faces and export the model again.";
    NORMALS_REVERSED: Warning, "meshes whose normals point to the back of their faces",
        "Nearly all normals of a mesh point against the front of its faces: the normals point inwards, or the corners of the triangles are in the wrong order. The mesh is lit from the wrong side.",
        "Turn the normals, or the triangles, and export the model again.";
    POSITION_ROUNDED: Info, "positions that moved when they were stored",
        "The target stores positions in steps, and positions moved to the nearest step. The message gives the largest distance.",
        "If it is too large, convert with a larger scale, so that the steps are smaller in proportion.";
    POSITION_CLAMPED: Warning, "positions outside the range of the target",
        "Positions lie outside the range that the target stores, and were moved to its edge. The model is deformed there.",
        "Convert with a smaller scale.";
    NORMAL_ROUNDED: Info, "normals that changed when they were stored",
        "The target stores normals as angles in steps. The message gives the largest change.",
        "Nothing: the change of the lighting cannot be seen.";
    NORMALS_LOST: Info, "normals that are not stored",
        "The target stores no normals: engines compute smooth normals from the triangles.",
        "Nothing for smooth surfaces. Vertices with different normals stay separate, so that edges can be hard; if the engine smooths them, move the copies apart by one step of the grid.";
    TEXCOORD_ROUNDED: Info, "texture coordinates that moved when they were stored",
        "The target stores texture coordinates in steps of 1/255. Textures of more than 256 pixels may shift by one.",
        "Nothing.";
    TEXCOORD_CLAMPED: Warning, "texture coordinates outside 0 to 1",
        "The target stores texture coordinates from 0 to 1. Those outside were moved to the edge, so that textures do not repeat.",
        "Unwrap the model inside 0 to 1, or split the faces where the texture repeats.";
    TEXCOORD_SET_LOST: Warning, "sets of texture coordinates after the first",
        "The target stores one set of texture coordinates.",
        "Bake light maps and other textures of the other sets into the first texture.";
    COLORS_LOST: Warning, "vertex colors that are not stored",
        "The target stores no vertex colors, or one set.", "Bake the colors into the texture.";
    TANGENTS_LOST: Info, "meshes whose tangents are not kept",
        "Tangents were not kept. Programs that need them compute them again.",
        "Nothing, unless normal maps were baked with other tangents.";
    TAG_LOST: Warning, "tags that are not stored",
        "The target has no tags, so other models cannot be attached.", "Attach them before converting.";
    CLIP_RATE_LOST: Info, "clips whose rate is not stored",
        "The target stores no rates. The message gives the frames per second.",
        "Set the rate in the program that plays the clip.";
    CLIP_LOST: Warning, "clips that are not stored",
        "The target does not store a clip, or some of its frames.", "Export the frames of the clip separately.";
    CLIP_NAME_LOST: Info, "clips whose names are not stored",
        "The target stores frames as morph targets, without clips.", "Define the clips in the program that uses the model.";
    CLIP_RENAMED: Info, "clips that are written with another name",
        "Another clip of the model has the same name, and would have become the same clip, or the name has characters that the target does not have.",
        "Give each clip a name of its own.";
    CLIP_REVERSED_LOST: Info, "clips that played backwards",
        "The target does not store that a clip plays backwards.", "Play it backwards in the program that uses the model.";
    CLIP_LOOP_LOST: Info, "clips that looped",
        "The target does not store that a clip loops.", "Loop it in the program that uses the model.";
    CLIP_FRAMES_MISSING: Warning, "clips with frames that the model does not have",
        "A companion file (animation.cfg, a script) names frames that the model does not have.",
        "Correct the companion file, or use the one that belongs to the model.";
    CLIP_DUPLICATE: Warning, "clips whose name another one has",
        "A companion file defines two clips of one name. Engines use the first.", "Rename one of them.";
    COMPANION_WORD_UNKNOWN: Info, "unknown words in companion files",
        "A companion file has a word that is not known. It was ignored.", "Correct the file.";
    NOTIFY_LOST: Info, "notifications of animations",
        "A script calls functions at certain times of an animation. No other format stores this.",
        "Define them in the program that uses the model.";
    BONE_UNMATCHED: Warning, "bones of an animation that the mesh does not have",
        "An animation moves bones by name, and the mesh has no bone of that name.",
        "Use the animation that belongs to the mesh, or rename the bones.";
    ANIMATION_UNUSED: Warning, "animation files for a model that cannot use them",
        "Only UNIGINE meshes can use separate animation files.", "Leave the animation file out.";
    NAME_SHORTENED: Warning, "names that are too long for the target",
        "The target stores names in fields of fixed size. The name was cut off.", "Shorten the name.";
    FRAME_RENAMED: Info, "frames that were renamed",
        "Frames were named after their clips, because readers of the target recognize clips by the names of frames.",
        "Nothing.";
    MATERIAL_LOST: Info, "materials whose properties are not stored",
        "The target stores the texture of a material, and few or no other properties (two-sided, unlit, transparency).",
        "Set the properties in a shader script or in the engine.";
    MATERIAL_PARTS_LOST: Warning, "meshes of several materials",
        "A surface of the target has one material, and the mesh had several.", "Split the mesh by material.";
    VARIANT_LOST: Warning, "variants of materials",
        "A file has several materials for a mesh (KHR_materials_variants). They were omitted: the target has no variants, or no mesh has them.",
        "Export each variant to a file of its own, or choose MD3, whose skins are variants.";
    TEXTURE_LOST: Info, "textures that the target does not store",
        "The target stores no textures: materials are assigned in the engine.", "Assign the material in the engine.";
    VALUE_NOT_FINITE: Warning, "values that are not finite",
        "Values are not a number (NaN) or infinite, and the target has no such values. They were replaced. The message gives the kind of the values.",
        "Repair the source model.";
    LOD_LOST: Warning, "meshes of coarser levels of detail",
        "The target stores one level of detail in a file. Only the finest was converted.",
        "Convert the other levels to files of their own.";
    LOD_DISTANCES_LOST: Info, "models whose distances of levels of detail are not kept",
        "The distances at which levels of detail change are not kept, or have been invented.", "Set them in the engine.";
    SKELETON_LOST: Warning, "models whose skeleton is not stored",
        "The target stores no skeleton, and no animation moves it. The model was converted in its pose at rest.",
        "Nothing. If the skeleton is needed, choose a target that stores skeletons.";
    SKELETON_BAKED: Info, "models whose skeleton became frames of vertices",
        "The target stores no skeleton. Animations were converted to frames of vertices, which look the same.",
        "Choose a target with skeletons if the joints are needed.";
    REST_POSE_LOST: Info, "skeletons whose pose at rest is not kept",
        "The target stores one pose for both: the pose at rest, and the pose in which meshes are bound. They differed.",
        "Nothing: animations look the same.";
    MESH_LOST: Info, "meshes that an animation file does not store",
        "The target stores only animations.", "Convert the model to a mesh file as well.";
    MORPH_TARGET_LOST: Warning, "morph targets that are not stored",
        "The target moves a mesh by bones or by frames, not by both. Or frames were made of the animations of a glTF file, and none shows the morph target.",
        "Choose a target that has both, such as glTF, or give the file an animation that shows the morph target.";
    MESH_WITHOUT_TRIANGLES: Info, "meshes without triangles",
        "A mesh has no vertices or no triangles. The target has no empty meshes, so it was omitted.", "Nothing.";
    SURFACE_HIDDEN: Info, "surfaces that are not drawn",
        "The material of a surface specifies that it is not drawn. It was omitted.", "Nothing.";
    TRIANGLE_DROPPED: Warning, "triangles with indices out of range",
        "A triangle has the index of a vertex that does not exist. It was omitted.", "Export the source model again.";
    MESH_NAMES_LOST: Info, "meshes that were joined",
        "The target can move only one mesh by bones, so meshes were joined. Their names are not kept.", "Nothing.";
    FRAMES_LOST: Warning, "meshes of later frames with another number of vertices",
        "Frames are blended vertex by vertex, so meshes of later frames with another number of vertices were left out.",
        "Keep the number of vertices the same in all frames.";
}
