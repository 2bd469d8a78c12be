//! The codes of findings about materials and textures.

meshlens::wire::codes! {
    TEXTURE_NOT_FOUND: Info, "textures that are not found",
        "A material names a texture, but no mount has an image with that name in a supported format.",
        "Mount the archive or the folder that contains it.";
    TEXTURE_NAME_REFUSED: Warning, "texture names that lead out of the mounts",
        "A material names a texture by an absolute path, a path with a drive, or a path with `..` that leads out of the mounts. Only the last parts of the path were looked up.",
        "Nothing, if it was found. Otherwise put the image into the folder of the model.";
    SHADER_SCRIPT_FAULTY: Info, "faults in shader scripts",
        "A shader script has missing braces or missing words. The rest of the script was used.",
        "Correct the script, if a material looks wrong.";
    SHADER_SCRIPT_UNREADABLE: Warning, "shader scripts that cannot be read",
        "A shader script cannot be read, or exceeds a limit. Its shaders are unknown.", "The message gives the reason.";
    SHADER_STAGE_LOST: Info, "stages of shaders",
        "A shader draws a surface in several passes. A material has one texture, from the first pass that shows an image in the texture coordinates of the surface.",
        "Combine the passes in the engine, if they matter.";
    SHADER_DEFORM_LOST: Info, "deformations by shaders",
        "A shader moves the vertices of a surface (`deformVertexes`), which a material cannot do.",
        "Move the vertices in the engine, if it matters.";
    SHADER_TEXCOORD_LOST: Info, "changes of texture coordinates by shaders",
        "A shader moves the texture of a surface (`tcMod`), or generates its texture coordinates (`tcGen`). The stored texture coordinates of the surface are used; for an environment map, pictures use the normals as the camera sees them.",
        "Move the texture in the engine, if it matters.";
    SHADER_ANIMATION_LOST: Info, "animated images and colors of shaders",
        "A shader changes its image or its color over time (`animMap`, `videoMap`, `rgbGen wave`, `alphaGen wave`). The first image and the unchanged color are used.",
        "Animate the material in the engine, if it matters.";
    SHADER_BLEND_APPROXIMATED: Info, "blend modes that are approximated",
        "A shader adds or multiplies colors. Alpha blending, with an alpha that is computed from the colors, looks nearly the same.",
        "Use additive or multiplied blending in the engine, if it matters.";
    SHADER_ALPHA_TEST_LOST: Warning, "alpha tests that have no counterpart",
        "A shader draws only pixels whose alpha is below one half. Materials can only draw pixels above a value, so the test is left out.",
        "Invert the alpha of the texture.";
    SHADER_CULL_LOST: Info, "surfaces that show only their back faces",
        "A shader draws only back faces. A material draws front faces or both, so both are drawn.",
        "Reverse the winding of the triangles, if it matters.";
    SHADER_EFFECT_LOST: Info, "effects of skies, fogs and portals",
        "A shader describes a sky, a fog or a portal of a world. A material cannot represent it.", "Nothing.";
    SHADER_IMAGE_GUESSED: Info, "shaders without an image",
        "No stage of a shader has an image. The image with the name of the shader is used, or the one that editors show.",
        "Nothing.";
    MATERIAL_FILE_FAULTY: Warning, "material files that cannot be read",
        "A material file (UNIGINE `.mat`, `.xml`, `.node`) cannot be read, or is not XML.", "The message gives the reason.";
    TEXTURE_FORMAT_UNKNOWN: Info, "textures in formats that are not read",
        "A material names a texture in a format that only the engine reads, such as UNIGINE's `.texture`, and no other image has that name.",
        "Put an image with the same name in the same folder, in a supported format.";
}
