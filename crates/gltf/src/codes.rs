//! The codes of losses in conversions to glTF and from glTF. [`meshlens::codes`] has the codes of all conversions.

meshlens::wire::codes! {
    TANGENT_TARGETS_LOST: Info, "meshes whose tangents of later frames are not stored",
        "Tangents are stored for the base frame only, and not for morph targets.",
        "Nothing, unless normal maps look wrong in motion.";
    MORPH_TARGETS_SPLIT: Warning, "models whose meshes are split because of their morph targets",
        "Bevy draws at most 256 morph targets of a mesh, and three.js and Babylon.js no more on devices with 256 texture layers, the least that WebGL2 guarantees. Each mesh became several, with the targets of some clips each; animations show one at a time and give the others a scale of 0. Base vertices, triangles and frames are stored once.",
        "Nothing, if the file is played. To edit it, allow more targets in a mesh. A vertex animation texture and USD have no such limit.";
    MORPH_TARGETS_MANY: Warning, "meshes with more morph targets than many programs draw",
        "Bevy loads no mesh with more than 256 morph targets, and three.js and Babylon.js draw no more on devices with 256 texture layers, the least that WebGL2 guarantees.",
        "Allow fewer targets in a mesh, so that it is split; or write fewer frames, one clip, a vertex animation texture or USD.";
    NORMAL_TARGETS_LOST: Info, "morph targets without normals",
        "Normals are stored for the base frame only, as requested. Lighting does not follow movements.",
        "Write the normals of all frames if that can be seen.";
    JOINT_FRAME_LOST: Warning, "frames of joints that no clip plays",
        "Animations of joints are written clip by clip. Frames that no clip plays are not written.",
        "Give the model a clip that plays them.";
    JOINT_SCALE_MOVED: Info, "joints whose uniform scale at rest was moved into translations",
        "Joints had a uniform scale at rest, which some programs (Blender) do not keep. It is in the translations now.",
        "Nothing: the model looks the same. The scales that an export moved come back when its file is imported.";
    VALUE_REPLACED: Warning, "values that are not finite or have no length",
        "A value is not a number (NaN), infinite, or a normal of length 0. glTF allows none of these; it was replaced.",
        "Repair the source model.";
    TAG_AXES_REPAIRED: Warning, "tags whose axes are left-handed or not finite",
        "A glTF node stores a rotation, and mirrored axes are not a rotation. The nearest rotation was stored.",
        "Reverse one axis of the tag in the source model.";
    COLOR_NOT_FINITE: Warning, "materials with colors that are not numbers",
        "A color of a material is not a number (NaN) and was replaced by white or black.", "Repair the source model.";
    COLOR_CLAMPED: Info, "materials whose color is brighter than white",
        "The texture of a material is multiplied by a color above 1, which glTF does not have. It became 1.",
        "Brighten the texture.";
    PRIMITIVE_LOST: Warning, "primitives that are points or lines",
        "Only triangles are converted.", "Convert points and lines to triangles.";
    JOINTS_LOST: Warning, "vertices that more than four joints move",
        "A vertex is moved by more than four joints, and only the four with the greatest weights are kept.",
        "Limit the influences to four in the modeling program.";
    ANIMATION_LOST: Warning, "files whose animations move nothing that is kept",
        "Animations move nodes without meshes.", "Nothing.";
    CHANNEL_LOST: Info, "animation channels that move no node",
        "A channel of an animation moves a property of an extension, such as a color of a material. Only nodes and morph targets are animated.",
        "Nothing, unless that movement is needed.";
    CAMERA_LOST: Info, "cameras", "Game models have no cameras.", "Nothing.";
    IMAGE_LOST: Info, "images that are not the color or the normals of a material",
        "Game models have one image for each material, which is its color, and some have its normals in the same place. Images of roughness, occlusion and emitted light, and other places on the surface, are not converted.",
        "Nothing, unless the look of the material depends on them: combine them into its color then.";
    IMAGE_FORMAT_LOST: Warning, "images in formats that are not read",
        "The color of a material is an image in a format that is not read, such as KTX2 (Basis Universal) or AVIF. The material has no image.",
        "Convert the images to PNG, JPEG or WebP.";
    IMAGE_UNREADABLE: Warning, "images in a document that cannot be read",
        "An image is in a range of a buffer that does not exist, or in a data URI that is not base64. The material has no image.",
        "Export the document again.";
    SCENE_LOST: Warning, "scenes that are not the default one",
        "A model has one scene. Nodes that are only in others were omitted.",
        "Export the other scenes to files of their own, or choose another default scene.";
    INSTANCE_LOST: Warning, "instances of meshes that joints move",
        "A node has a skin and instances (EXT_mesh_gpu_instancing). Joints place its mesh, which is there once.",
        "Give each instance a node and a skin of its own.";
    INSTANCE_TRACK_LOST: Warning, "tracks of morph targets of instances",
        "An animation sets the weights of the morph targets of all instances of a node (EXT_mesh_gpu_instancing). The instances keep the weights that they have at rest.",
        "Give each instance a node of its own.";
    NORMAL_SCALE_LOST: Info, "materials whose normals are scaled",
        "A normal texture of a material has a scale other than 1, which makes the relief flatter or steeper. Models have normal maps without it.",
        "Apply the scale to the image.";
    LIGHT_LOST: Info, "lights", "Game models have no lights.", "Nothing.";
    EXTRAS_FILE_LOST: Warning, "files in extras that cannot be read",
        "The extras of a node have a file that belongs to the model, such as a skin, but its kind is not known, its name has a folder, or its content is damaged. It was omitted.",
        "Remove it from the extras, or export the source model again.";
    ATTRIBUTE_LOST: Info, "vertex attributes of applications",
        "A vertex attribute whose name begins with an underscore belongs to one application. It was omitted.",
        "Nothing, unless that application reads the result.";
    SKIN_BAKED: Info, "skins that became frames of vertices",
        "The movement of the joints was converted to frames of vertices, which look the same.",
        "Choose a target with skeletons if the joints are needed.";
    STEP_LINEARIZED: Info, "tracks that jump from key to key",
        "A track jumps at its keys. Frames are blended, so that each jump takes as long as a frame.",
        "Convert with a higher rate if that can be seen.";
    KEY_BETWEEN_FRAMES: Info, "keys between frames",
        "Keys of an animation lie between the frames that it is stored in, which are evenly spaced.",
        "Convert with a higher rate if movements lack detail.";
    ANIMATION_SAMPLED: Info, "animations with frames between their keys",
        "Frames are blended linearly. An animation turns, has curves, or has keys at uneven times, so it has frames between its keys: every vertex stays within 1/200 of the size of its mesh.",
        "Nothing. Convert with a lower rate if there are too many frames.";
    ANIMATION_COARSE: Warning, "animations that frames do not follow closely",
        "Between two frames, vertices are farther from their places than 1/200 of the size of their mesh. The message gives the distance.",
        "Convert with a higher rate.";
    KEY_TIMES_EQUAL: Warning, "tracks with several keys at one time",
        "Several keys of a track have the same time, which glTF does not allow. The value jumps from the first of them to the last.",
        "Nothing if a jump was meant. Otherwise remove all keys but one.";
    KEY_BEFORE_START: Warning, "tracks with keys before time 0",
        "Keys of a track have negative times, which glTF does not allow. The animation is converted from time 0 on.",
        "Move the animation in the modeling program so that it starts at time 0.";
    MORPH_TRACK_LOST: Warning, "tracks of morph targets of a model with joints",
        "A model with joints keeps the movement of its joints, and not that of its morph targets.",
        "Convert to a format of vertices, which keeps both as frames.";
}
