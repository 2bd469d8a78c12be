//! The codes of findings in Ultimate 3D files, and of losses in conversions from them.

use meshlens_wire::codes;

pub(crate) use meshlens_wire::codes::{
    INDEX_OUT_OF_RANGE, POSITION_NOT_FINITE, TEXCOORD_NOT_FINITE, TRAILING_BYTES, TRIANGLE_DEGENERATE,
    VERTEX_UNUSED,
};

codes! {
    NAME_NOT_ASCII: Hint, "names that are not ASCII",
        "A name has bytes outside ASCII. Strings of the format are ASCII, and the character set of other bytes is not known.",
        "Nothing, or use ASCII names.";
    BOOLEAN_NEITHER: Warning, "booleans that are neither true nor false",
        "A boolean is 0 for false and has its lowest bit set for true. This one is neither.", "Export the model again.";
    FRAME_COUNT_ZERO: Error, "models without a frame",
        "The header has 0 frames; every model has at least one.", "Export the model again.";
    LOD_COUNT_ZERO: Error, "models without a level of detail",
        "The header has 0 levels of detail; every model has at least one.", "Export the model again.";
    MATERIAL_COUNT_ZERO: Error, "models without a material",
        "The header has 0 materials; every model has at least one.", "Give the model a material.";
    MESH_COUNT_PRODUCT: Error, "models whose number of meshes does not match the other counts",
        "The number of meshes is not the number of meshes in a frame times the levels of detail times the frames.",
        "Export the model again.";
    MESH_COUNT: Error, "models with another number of meshes than the header has",
        "The number of meshes in the header is not the number in the file.", "Export the model again.";
    MATERIAL_COUNT: Error, "models with another number of materials than the header has",
        "The number of materials in the header is not the number in the file.", "Export the model again.";
    BONE_COUNT: Error, "models with another number of bones than the header has",
        "The number of bones in the header is not the number in the file.", "Export the model again.";
    SKIN_MESH_COUNT: Error, "models with a skin and several meshes",
        "A model with skin weights has exactly one mesh.", "Join the meshes.";
    SKIN_WITHOUT_BONES: Error, "models with skin weights and no bones",
        "There are skin weights, but no bones that they could refer to.", "Export the model again, with its skeleton.";
    TWEENING_WITH_BONES: Error, "models with both bones and vertex tweening",
        "A model is moved by bones or by frames of vertices, not by both.", "Switch one of them off.";
    FILE_VERSION: Error, "files of an unknown version",
        "The version field of a 1.0 file is not 1.0.", "Export the model again.";
    LOD_COUNT_WIDTH: Warning, "files whose number of levels has another width",
        "The number of levels of detail does not take two bytes, as in other files of version 1.0.",
        "Nothing: the width is worked out from the file.";
    LOD_LEVEL_RANGE: Error, "levels of detail outside 0 to 1",
        "A level of detail is a fraction from 0 to 1.", "Export the model again.";
    LOD_DISTANCE_NAN: Error, "distances that are not numbers",
        "The distance of a level of detail is not a number.", "Export the model again.";
    LOD_DISTANCE_ORDER: Warning, "distances that do not grow",
        "The distance of a level of detail is less than the distance of the level before, so that the level is never shown.",
        "Sort the distances.";
    ACTION_BACKWARDS: Warning, "actions that run backwards",
        "The first frame of an action comes after its last.", "Swap the two, unless it is meant.";
    ACTION_FRAME_RANGE: Info, "actions that go past the last frame",
        "An action names frames that are not there. The last frame is shown instead.",
        "Correct the range of the action.";
    VERSION_NEWER: Info, "files of a later version",
        "The file has a version of 2.0.0's family that is not documented. It is read as 2.0.0.",
        "Nothing, or export it as 2.0.0.";
    CHUNK_CUSTOM: Hint, "chunks of other programs",
        "A chunk belongs to another program. Engines skip it.", "Nothing.";
    CHUNK_UNKNOWN: Info, "unknown chunks",
        "The format does not define this chunk. Engines skip it.", "Nothing.";
    CHUNK_MISPLACED: Warning, "chunks in the wrong place",
        "A chunk has no meaning in its place, and is skipped.", "Export the model again.";
    CHUNK_BEFORE_MODEL_HEADER: Error, "chunks before the model header",
        "A chunk comes before the model header, which is needed to read it.", "Export the model again.";
    CHUNK_EXTRA_BYTES: Warning, "chunks with undocumented bytes",
        "A chunk of version 2.0.0 has bytes after its documented fields.", "Nothing: they are skipped.";
    CHUNK_NEWER_BYTES: Hint, "chunks with bytes of a later version",
        "A chunk of a later version has bytes after its documented fields, as later versions may.",
        "Nothing: they are skipped.";
    MODEL_HEADER_DUPLICATE: Error, "model headers after the first",
        "There is a second model header. Only the first one is read.", "Export the model again.";
    ACTION_RANGE_DUPLICATE: Error, "action ranges after the first",
        "There is a second chunk of actions. Only the first one is read.", "Export the model again.";
    LOD_OUT_OF_RANGE: Error, "meshes of a level of detail that is not there",
        "A mesh belongs to a level of detail that the header does not have.", "Export the model again.";
    LOD_UNKNOWN: Warning, "meshes of a level of detail that is not listed",
        "A mesh has its level of detail as a fraction of triangles, and the header does not list that fraction.", "Export the model again.";
    FRAME_OUT_OF_RANGE: Error, "meshes of a frame that is not there",
        "A mesh belongs to a frame after the last one of the header.", "Export the model again.";
    FRAME_WITH_BONES: Error, "meshes of later frames in a model that bones move",
        "A model that bones move has only meshes of frame 0.", "Export the model again.";
    MESH_OUT_OF_RANGE: Error, "meshes past the number in a frame",
        "The number of a mesh in its frame is not below the number of meshes in a frame.", "Export the model again.";
    MESH_EMPTY: Warning, "meshes without vertices or triangles",
        "A mesh has no vertices or no triangles, so nothing of it is visible. Version 2.0 forbids it.",
        "Remove the mesh.";
    MESH_DUPLICATE: Error, "meshes in the place of another one",
        "Two meshes have the same frame, level of detail and number.", "Export the model again.";
    NORMAL_SCALAR_NOT_FINITE: Error, "meshes whose normals have a factor that is not finite",
        "The factor that normals are multiplied by is not a number (NaN) or infinite.", "Export the model again.";
    NORMAL_SCALAR: Info, "meshes whose normals have an unusual factor",
        "The factor that normals are multiplied by is neither 1 nor -1. Normals are normalized all the same.",
        "Nothing.";
    NORMALS_LEGACY: Info, "meshes with normals of two bytes",
        "Normals take two bytes, as before version 2.0 was final.", "Nothing: they are read.";
    NORMAL_CODE: Info, "normals with unusual angles",
        "Normals have angles that encoders do not write. They are read as they are.", "Nothing.";
    TANGENT_SETS: Error, "meshes whose tangents do not fit their texture coordinates",
        "A mesh is marked as having a tangent space, but its last two sets of texture coordinates cannot hold it.",
        "Export the model again.";
    SKIN_WEIGHT_COUNT: Warning, "meshes with two skin weights",
        "Vertices have two stored skin weights. Engines read 0, 1 or 3.",
        "Export the model with 3.";
    BONE_OUT_OF_RANGE: Error, "vertices moved by bones that are not there",
        "A vertex refers to a bone that the model does not have.", "Export the model again.";
    MAX_BONE: Warning, "meshes whose largest bone index is not the stored one",
        "The largest bone index in the header of a mesh is not that of its vertices. Engines may copy too few bones.",
        "Export the model again.";
    WEIGHT_RANGE: Warning, "vertices with weights outside 0 to 1",
        "A skin weight is not between 0 and 1.", "Normalize the weights and export the model again.";
    SHADOW_INDEX_OUT_OF_RANGE: Error, "shadow volumes with indices of vertices that are not there",
        "A triangle of a shadow volume has an index of a vertex that is not there.", "Export the model again.";
    MATERIAL_OUT_OF_RANGE: Error, "triangles of materials that are not there",
        "A triangle refers to a material that the model does not have.", "Export the model again.";
    TEXCOORDS_WITHOUT_BUFFER: Error, "meshes without texture coordinates and without a buffer for them",
        "A mesh has no texture coordinates of its own, and no buffer for borrowed ones.",
        "Export the model again.";
    TEXCOORDS_NOT_BORROWED: Error, "meshes that find no texture coordinates to borrow",
        "A mesh borrows texture coordinates from frame 0, which has no matching mesh.", "Export the model again.";
    BORROWED_WITH_BONES: Warning, "meshes that borrow triangles in a model that bones move",
        "Only meshes of later frames borrow triangles from frame 0. A model that bones move has no later frames.",
        "Export the model again.";
    TRIANGLES_NOT_BORROWED: Error, "meshes that find no triangles to borrow",
        "A mesh borrows triangles from frame 0, which has no matching mesh.", "Export the model again.";
    TRIANGLES_BORROWED_COUNT: Error, "meshes that borrow another number of triangles than they state",
        "A mesh states another number of triangles than the mesh that it borrows them from.", "Export the model again.";
    TWEENING_SIZE: Error, "meshes that are blended with ones of another size",
        "Frames are blended, and a mesh has another number of vertices or triangles than in frame 0.",
        "Keep the number of vertices the same in all frames.";
    MATERIAL_REPEATED: Info, "materials that are equal to the one before them",
        "Two materials in a row have the same name, colors and textures. The engine changes its state for both.",
        "Use one of them for all triangles.";
    MATERIAL_INDEX: Error, "materials with a wrong number",
        "The numbers of the materials are not 0, 1, 2 and so on.", "Export the model again.";
    MATERIAL_NOT_FINITE: Error, "materials with numbers that are not finite",
        "A color, depth or quality of a material is not a number (NaN) or infinite.", "Correct the material.";
    MATERIAL_OPAQUE: Info, "materials with undocumented parts",
        "What follows the texture stages of a material is not documented.", "Nothing.";
    TEXTURE_COUNT: Error, "materials with too many textures",
        "A material has more textures than there are stages.", "Remove textures.";
    CUBE_NORMAL_MAP: Error, "cube textures that are height maps",
        "A cube texture cannot be a height map.", "Correct the material.";
    TEXTURE_NOT_FINITE: Warning, "textures whose height is not finite",
        "The height of a height map is not a number (NaN) or infinite.", "Correct the material.";
    TEXTURE_PATH_EMPTY: Warning, "textures without a path",
        "A texture has no path, so it cannot be loaded.", "Name the file, or remove the texture.";
    TEXTURE_PATH_ABSOLUTE: Warning, "texture paths on the author's machine",
        "A path begins at a drive or at the root of a file system, where others do not have the file.",
        "Write the path relative to the model.";
    TEXTURE_EXTENSION: Hint, "textures of types that the engine does not load",
        "The engine does not load files with this extension.", "Convert the image, for example to PNG.";
    BONE_INDEX: Error, "bones with a wrong number",
        "The numbers of the bones are not 0, 1, 2 and so on.", "Export the model again.";
    PARENT_OUT_OF_RANGE: Error, "bones whose parent is not there",
        "The parent of a bone is not in the model.", "Export the model again.";
    PARENT_CYCLE: Error, "skeletons with a cycle",
        "Bones are each other's parents, and none of them is a root. No pose can be computed.",
        "Correct the hierarchy and export the model again.";
    BONE_FRAME_NAN: Error, "bones whose frame is not a number",
        "The frame that a bone is always at is not a number.", "Export the model again.";
    BONE_MESH_COUNT: Error, "bones of a skin that are not bound to exactly one mesh",
        "In a model with skin weights, each bone is bound to the one mesh.", "Export the model again.";
    BONE_MESH_OUT_OF_RANGE: Error, "bones that are bound to meshes that are not there",
        "A bone is bound to a mesh that the model does not have.", "Export the model again.";
    BONE_BEFORE_MESH: Error, "bones before the mesh that they are bound to",
        "A mesh comes after a bone that is bound to it, where engines do not find it.", "Export the model again.";
    MATRIX_NOT_FINITE: Error, "matrices that are not finite",
        "A matrix that binds a mesh to a bone has numbers that are not finite.", "Export the model again.";
    MATRIX_NOT_AFFINE: Warning, "matrices with a projection",
        "The last column of a matrix that binds a mesh to a bone is not 0, 0, 0, 1. Only an affine matrix has a meaning there.",
        "Export the model again.";
    KEY_NOT_FINITE: Error, "keys that are not finite",
        "A key is not a number (NaN) or infinite. The bone and everything it moves disappears.",
        "Export the model again.";
    ROTATION_NOT_UNIT: Warning, "rotations that are not of length 1",
        "A rotation is a quaternion whose length is not 1. Engines normalize it or scale the bone.",
        "Export the model again.";
    KEYS_UNSORTED: Warning, "bones whose keys are not sorted",
        "A key comes after a key of a later frame. Engines that search find the wrong one.", "Export the model again.";
    KEY_FRAME_RANGE: Info, "keys after the last frame",
        "A key is at a frame after the last one. It still affects the frames before it.", "Nothing.";

    CEL_SHADING_LOST: Info, "models whose outline no conversion keeps",
        "The model is drawn with an outline (cel shading), whose width and color are not kept.",
        "Draw the outline where the model is used.";
    SHADER_PACK_LOST: Warning, "shaders that no conversion keeps",
        "The model or a material has a shader pack of the engine, which is not kept.",
        "Set the material up again where the model is used.";
    PARALLAX_LOST: Info, "materials whose depth no conversion keeps",
        "A material has a depth for parallax mapping, which is not kept.",
        "Set the material up again where the model is used.";
    CHUNK_BYTES_LOST: Hint, "chunks with undocumented bytes that no conversion keeps",
        "A chunk has bytes after the documented ones, as newer versions may write. They are not kept.", "Nothing.";
    SHADOW_LOST: Info, "meshes whose shadow volume no conversion keeps",
        "The geometry of a shadow volume is not kept.", "Nothing: engines compute shadows from the mesh.";
    TEXCOORD_DIMENSION_LOST: Info, "sets of texture coordinates that are not of two numbers",
        "Texture coordinates of one, three or four numbers are not kept, except tangents and bitangents.",
        "Set the material up again where the model is used.";
    MATRIX_PROJECTION_LOST: Warning, "matrices whose projection no conversion keeps",
        "The last column of a MeshToBone matrix is not 0, 0, 0, 1. It is read as if it were, so vertices may be elsewhere.",
        "Correct the matrix in the source model.";
    CHUNK_LOST: Hint, "chunks of other programs that no conversion keeps",
        "A chunk belongs to another program and is not kept.", "Nothing.";
    STEPS_LOST: Info, "models whose frames become blended",
        "The engine shows one frame after the other. Programs that read the result blend them.",
        "Play the frames without interpolation; glTF stores this with steps instead of linear keys.";
    LATER_FRAME_LOST: Warning, "meshes of later frames with content of their own",
        "A mesh of a later frame has another name, other texture coordinates or other triangles than in frame 0, which all frames get.",
        "Export the frames as models of their own.";
    TEXTURE_SIZE_LOST: Hint, "textures that the engine scales",
        "The engine scales an image to the size that its texture has. Converted models use the image as it is.", "Nothing.";
    MATERIAL_OPAQUE_LOST: Info, "materials with a part that only the engine can read",
        "A part of a material is not documented and not kept.", "Set the material up again where the model is used.";
    TEXTURE_STAGE_LOST: Warning, "textures that are neither the color nor the height map of their material",
        "A material mixes several textures. Its color and its height map are kept; cubes and more images are not.",
        "Bake the textures into one, or set the material up again where the model is used.";
    COLOR_OPERATION_LOST: Info, "materials whose color operation no conversion keeps",
        "The color operation of a texture is not a multiplication. The texture is multiplied by the color.",
        "Change the color or the texture where the model is used.";
    TEXTURE_SET_LOST: Warning, "textures with other texture coordinates than those of a set",
        "A texture uses a set of texture coordinates that the meshes do not have, or computed ones that are not those of an environment map. The first set, or an environment map, is used.",
        "Set the material up again where the model is used.";
    MATERIAL_COLORS_LOST: Info, "materials whose ambient and specular colors no conversion keeps",
        "The ambient and specular colors of a material are not kept.",
        "Set the material up again where the model is used.";
}
