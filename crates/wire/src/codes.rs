//! The codes of parse errors, and of findings that more than one format has.

crate::codes! {
    OUT_OF_BOUNDS: Error, "tables that end after the file",
        "A table or record would end after the last byte of the file.",
        "The file is incomplete, or a count in it is wrong. Get the file again, or export it again.";
    OUT_OF_CHUNK: Error, "tables that end after their chunk",
        "A table or record would end after the last byte of its chunk.",
        "A count or a size in the file is wrong. Export the file again.";
    INCOMPLETE: Error, "parts that need more bytes",
        "Only a part of the file was given, and the requested bytes are outside it.",
        "Give more bytes of the file.";
    MAGIC: Error, "files without the identifier of their format",
        "The bytes that identify the format were not found.",
        "The file is of another format, compressed, or damaged. Check what it is.";
    GIT_LFS_POINTER: Error, "Git LFS pointers in place of files",
        "Git LFS left a pointer where the file should be: the repository was checked out without its large files.",
        "Run git lfs pull in the repository.";
    VERSION: Error, "unknown versions",
        "The file has a version of the format that is not known.",
        "Export the file in one of the versions in the message.";
    VALUE: Error, "numbers that the format does not allow",
        "A field holds a number that the format does not allow.",
        "The file is damaged, or its writer is wrong. Export it again.";
    INDEX_OUT_OF_RANGE: Error, "triangles or indices that are out of range",
        "An index is not less than the number of elements. Engines crash, refuse the file, or show wrong triangles.",
        "Export the model again. Counting starts at 0, so the last valid index is the count minus 1.";
    LENGTH: Error, "lists of the wrong length",
        "A list or buffer does not have the number of elements that it must have.",
        "Give the number of elements in the message. In a file, the count is wrong: export it again.";
    MISSING: Error, "missing parts",
        "The caller requested a part that the model does not have.",
        "Check what the model has first.";
    MISMATCH: Error, "numbers that do not fit each other",
        "Two numbers that depend on each other do not fit.",
        "The files may not belong together, or one of them is damaged.";
    NOT_FINITE: Error, "numbers that are not finite",
        "A number on which the structure depends is not a number (NaN) or infinite.",
        "Export the model again.";
    UNTERMINATED: Error, "strings without a NUL",
        "A string has no NUL before the end of the file.",
        "The file is incomplete or damaged.";
    LIMIT: Error, "limits that are exceeded",
        "The file needs more than the reader allows. Limits protect against files made to exhaust memory or time.",
        "If you trust the file, read it with higher limits.";
    SYNTAX: Error, "texts that do not follow their grammar",
        "A text file does not follow its grammar at the given place.",
        "Correct the text at that place.";
    UNSUPPORTED: Error, "features that are not supported",
        "The file uses something that the format has and this reader does not support.",
        "Export the model without it.";
    ENCRYPTED: Error, "encrypted files",
        "The content is encrypted.",
        "Give the password.";
    PASSWORD_WRONG: Error, "wrong passwords",
        "The content decrypted with the password cannot be read.",
        "Check the password. If it is right, the file is damaged.";
    PASSWORD_TOO_LONG: Error, "passwords that are too long",
        "The password is longer than the key of the encryption.",
        "Check the password: no file can have been encrypted with it.";
    ENCRYPTION_UNKNOWN: Error, "unknown encryptions",
        "The encryption of the file is not documented.",
        "Get the file without encryption.";

    NO_FRAMES: Error, "models without frames",
        "There are no frames, so there is nothing to show.",
        "Export the model with at least one frame.";
    NO_SURFACES: Info, "models without surfaces",
        "The model has no geometry. Files with only tags or bones are correct without it.",
        "Nothing, unless the model should be visible.";
    SURFACE_EMPTY: Info, "surfaces without vertices and triangles",
        "The surface has neither vertices nor triangles.",
        "Remove the surface.";
    DUPLICATE_SURFACE_NAME: Info, "surfaces with the same name as another",
        "Two surfaces have the same name. A skin or a script that looks up the name finds only one of them.",
        "Rename one of the surfaces.";
    NAME_TRAILING_BYTES: Hint, "names with bytes after their NUL",
        "There are bytes after the end of the name, usually from the memory of the program that wrote the file.",
        "Nothing: readers ignore them.";
    POSITION_NOT_FINITE: Error, "positions that are not finite numbers",
        "A position is not a number (NaN) or infinite. The triangles that use it cannot be drawn.",
        "Repair the vertex in the model and export it again.";
    TEXCOORD_NOT_FINITE: Error, "texture coordinates that are not finite numbers",
        "A texture coordinate is not a number (NaN) or infinite.",
        "Unwrap the faces around it again and export the model again.";
    TRIANGLE_DEGENERATE: Hint, "triangles without area",
        "Two corners of a triangle are the same vertex, so the triangle is not visible.",
        "Remove the triangle. It takes a little time to draw and does no harm.";
    VERTEX_UNUSED: Hint, "vertices that belong to no triangle",
        "No triangle uses a vertex. It takes memory, and is moved in every frame, but is never seen. Only shaders that draw every four vertices as a sprite count it.",
        "Nothing, or remove loose vertices before the export. `meshlens fix` keeps those of sprites (`deformVertexes autosprite`) where it finds the shader: in the scripts of the game, or beside the MD3.";
    TRAILING_BYTES: Info, "files with bytes after their end",
        "There are bytes after the last part of the file.",
        "Nothing: readers ignore them.";
    LIMIT_VERTICES: Warning, "surfaces or models with more vertices than the tools of the format accept",
        "There are more vertices than the tools of the format accept, and most of its engines.",
        "Split the surface, or simplify the model.";
}
