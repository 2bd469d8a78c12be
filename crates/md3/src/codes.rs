//! The codes of findings in MD3 files, and of losses in conversions from them.

use meshlens_wire::codes;

pub(crate) use meshlens_wire::codes::{
    DUPLICATE_SURFACE_NAME, INDEX_OUT_OF_RANGE, LIMIT_VERTICES, NAME_TRAILING_BYTES, NO_FRAMES, NO_SURFACES,
    SURFACE_EMPTY, TEXCOORD_NOT_FINITE, TRAILING_BYTES, TRIANGLE_DEGENERATE, VERTEX_UNUSED,
};

codes! {
    NAME_EMPTY: Hint, "models without a name",
        "The model has no name. Engines use the name of the file.", "Nothing.";
    NAME_UNTERMINATED: Warning, "names without a NUL",
        "A name fills its field and has no NUL at its end. Some readers go on reading into the next field.",
        "Shorten the name to one byte less than its field.";
    FLAGS_SET: Info, "fields of flags that are not 0",
        "The flags of a model or a surface are not 0. Quake 3 ignores them. DarkPlaces reads the flags of a model as those of Quake: 8 turns it around all the time, others leave trails.",
        "Nothing, unless the model turns or leaves a trail in DarkPlaces and is not meant to.";
    SKINS_ANNOUNCED: Info, "models with a number of skins",
        "The header counts skins, but the format has no table of them: skins are text files in the same folder.",
        "Nothing.";
    LIMIT_FRAMES: Warning, "models with more frames than Quake 3's tools accept",
        "There are more than 1024 frames, the limit of the format's description and of Quake 3's tools. Few engines check it.", "Split or thin out the animation.";
    LIMIT_TAGS: Warning, "models with more tags than Quake 3's tools accept",
        "There are more than 16 tags, the limit of the format's description and of Quake 3's tools. Few engines check it.", "Remove tags.";
    LIMIT_SURFACES: Warning, "models with more surfaces than Quake 3's tools accept",
        "There are more than 32 surfaces, the limit of the format's description and of Quake 3's tools. Few engines check it.", "Join surfaces of the same shader.";
    LIMIT_TRIANGLES: Warning, "surfaces with more triangles than Quake 3's tools accept",
        "A surface has more than 8192 triangles, the limit of the format's description and of Quake 3's tools. Few engines check it.",
        "Split the surface, or simplify the model.";
    LIMIT_SHADERS: Warning, "surfaces with more shaders than Quake 3's tools accept",
        "A surface has more than 256 shaders, the limit of the format's description and of Quake 3's tools. Few engines check it.", "Remove shaders.";
    ENGINE_LIMIT_VERTICES: Warning, "surfaces with more vertices than ioquake3 and OpenArena accept",
        "ioquake3 and OpenArena refuse a model with a surface of 1000 or more vertices: it is not drawn.",
        "Split the surface.";
    ENGINE_LIMIT_TRIANGLES: Warning, "surfaces with more triangles than ioquake3 and OpenArena accept",
        "ioquake3 and OpenArena refuse a model with a surface of 2000 or more triangles: it is not drawn.",
        "Split the surface.";
    DATA_BEHIND_EOF: Warning, "files with data after their OFS_EOF",
        "The header says that the file ends before the last table does. Readers that trust it truncate the table.",
        "Export the file again.";
    OVERLAP: Warning, "tables that overlap",
        "Two tables share bytes. Either an offset is wrong, or the file was packed that way on purpose.",
        "Export the file again, unless it was packed on purpose.";
    FRAME_STRIDE_104: Warning, "models with frame records of 104 bytes",
        "The frame records have names of 64 bytes. Most readers expect 16 and fail.",
        "Convert the file to MD3 once, which writes records of 56 bytes.";
    FRAME_NOT_FINITE: Error, "frames whose bounds, origin or radius are not finite",
        "A number in a frame record is not a number (NaN) or infinite. Engines cull the model wrongly.",
        "Export the model again.";
    FRAME_BOUNDS_INVERTED: Warning, "frames whose bounds are inverted",
        "The minimum of the bounds is greater than the maximum. Engines cull the frame while it is visible.",
        "Export the model again, or convert it, which computes the bounds.";
    FRAME_BOUNDS_UNUSED: Info, "frames without vertices whose bounds are inverted",
        "The bounds of a frame without vertices are inverted, as some exporters write them.",
        "Nothing: there is nothing to cull.";
    FRAME_BOUNDS_EXCEEDED: Warning, "frames with vertices outside their bounds",
        "Vertices lie outside the stored bounds of their frame. Engines cull the model while parts of it are visible.",
        "Export the model again, or convert it, which computes the bounds.";
    FRAME_RADIUS_EXCEEDED: Warning, "frames with vertices outside their sphere",
        "Vertices lie farther from the origin of their frame than its radius. Engines cull the model while parts of it are visible.",
        "Export the model again, or convert it, which computes the radius.";
    TAG_NAME_EMPTY: Warning, "tags without a name",
        "A tag has no name, so nothing can be attached to it.", "Name the tag, or remove it.";
    DUPLICATE_TAG_NAME: Warning, "tags with the name of another tag",
        "Two tags have the same name. Engines attach models to the first one.", "Rename one of the tags.";
    TAG_NAME_CHANGES: Warning, "tags whose name differs from frame 0",
        "A tag has another name in this frame than in frame 0. Engines look tags up in each frame by name.",
        "Keep the tags in the same order in all frames.";
    TAG_NOT_FINITE: Error, "tags whose origin or axes are not finite",
        "A number of a tag is not a number (NaN) or infinite. A model attached to it disappears.",
        "Export the model again.";
    TAG_AXIS_NOT_UNIT: Info, "tags whose axes are not of length 1",
        "The axes of a tag are scaled. Engines normalize them when they attach a model, so the scale has no effect there.",
        "Nothing for Quake 3. Apply the scale of the tag in the modeling program to be safe elsewhere.";
    TAG_AXIS_LEFT_HANDED: Warning, "tags whose axes are left-handed",
        "The axes of a tag are mirrored. A model attached to it is mirrored too. Engines that cull back faces without a look at the axes show it inside out.",
        "Negate one axis of the tag.";
    SURFACE_FRAME_COUNT: Error, "surfaces with another number of frames than the model",
        "A surface has another number of frames than the model. Engines refuse the file or read past its end.",
        "Export the model again.";
    SURFACE_HEADER_UNSET: Warning, "surfaces whose identifier or number of frames is 0",
        "The header of a surface has 0 in place of its identifier or its number of frames. Engines of the Quake 3 family set the identifier themselves and use the frames of the model; other readers refuse the file.",
        "Convert the file to MD3 once, which writes both.";
    NO_SHADERS: Info, "surfaces without a shader",
        "A surface names no shader. Its material has the name of the surface, and the image of that name if there is one; otherwise engines draw it only with a skin.",
        "Name a shader, or provide a skin.";
    SHADER_NAME_EMPTY: Info, "shaders without a name",
        "A shader has no name, so its surface is drawn only with a skin.", "Name the shader, or provide a skin.";
    SHADER_REPEATED: Info, "surfaces that name one shader several times",
        "All shaders of a surface are the same one. Engines of the Quake 3 family choose among them by a number that a game can set, which makes no difference here.",
        "Name the shader once.";
    SHADER_PATH_BACKSLASH: Warning, "shader paths with backslashes",
        "A path has backslashes. Only some systems read them as folder separators.",
        "Write the path with slashes.";
    SHADER_PATH_SLASH: Hint, "shader paths with a leading slash",
        "A path begins with a slash. Engines skip it when they open an image, but find no shader of that name.",
        "Write the path without it.";
    SHADER_PATH_ABSOLUTE: Warning, "shader paths that are absolute",
        "A path begins at a drive. Engines look in the folder of the game.",
        "Write the path relative to the folder of the game.";
    SHADER_NO_EXTENSION: Hint, "shader names without an extension",
        "The name has no extension: it is the name of a shader script, or of an image of any type.",
        "Nothing.";
    TEXCOORD_OUTSIDE: Hint, "texture coordinates outside 0 to 1",
        "Texture coordinates outside 0 to 1 repeat the texture.",
        "Nothing, unless the texture is not meant to repeat.";
    BLOCK_ORDER: Hint, "surfaces whose tables are not in the documented order",
        "The tables of a surface are not in the order of the format's description. Readers follow the offsets.",
        "Nothing.";
    SKIN_LINE_END: Warning, "skins with lines that end with a CR alone",
        "Lines of a `.skin` file end with a carriage return (CR) alone. For engines of the Quake 3 family, a comment that begins with // ends at a line feed only, so that all lines after it are skipped.",
        "Write the file with LF or CRLF at the end of each line.";
    SKIN_LINE_ENDS_MIXED: Hint, "skins whose lines do not end in one way",
        "Some lines of a `.skin` file end with LF and others with CRLF, or the last line has no end. Engines read the file; a tool that adds a line joins it with the last one.",
        "Nothing, or write the file with one kind of line end.";
    SKIN_BYTE_ORDER_MARK: Warning, "skins that begin with a byte order mark",
        "Engines of the Quake 3 family have no byte order mark. Where the compiler has signed characters, they skip it as white space; elsewhere, as on ARM, it becomes a part of the first name, which then is the name of no surface.",
        "Save the file as UTF-8 without a byte order mark.";
    SKIN_PATH_MISSING: Warning, "lines of skins that name a surface and no path",
        "A line of a `.skin` file names a surface without a path. Engines of the Quake 3 family take the name on the next line as the path, and read the lines after it wrongly.",
        "Name an image or a shader, or remove the line.";

    FLAGS_LOST: Hint, "fields of flags that no conversion keeps",
        "Flags of a model or surface are not kept. Quake 3 ignores them; in DarkPlaces, a model with the flag 8 no longer turns around.",
        "Nothing for Quake 3. An MD3 that is converted to MD3 keeps them.";
    SHADER_LOST: Info, "shaders after the first of their surface",
        "A surface names several shaders, and only the first is kept. Engines use the first unless a skin says otherwise.",
        "Convert once for each shader, if they are variants.";
    TAG_NAME_LOST: Warning, "tags whose names in later frames no conversion keeps",
        "A tag has another name in a later frame than in frame 0. The tag keeps the name of frame 0 in all frames.",
        "Keep the tags in the same order in all frames.";
    FRAME_BOUNDS_LOST: Hint, "frames whose larger bounds no conversion keeps",
        "The box or the sphere of a frame reaches visibly beyond its vertices and the origin. Engines cull by them; the result has the bounds of the vertices.",
        "Enlarge the bounds in the engine, if the model moves outside of its vertices.";
}
