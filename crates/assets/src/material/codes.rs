//! The codes of what is found out about materials and textures.

meshlens::wire::codes! {
    TEXTURE_NOT_FOUND: Info, "textures that are not found",
        "A material names a texture, and no mount has an image of that name in any of the formats that are looked for.",
        "Mount the archive or the folder that has it.";
    TEXTURE_NAME_REFUSED: Warning, "texture names that lead out of the mounts",
        "A material names a texture by an absolute path, a drive, or a path with more `..` than it has folders. It was looked for by the last parts of its path alone.",
        "Nothing, if it was found. Otherwise put the image beside the model.";
    SHADER_SCRIPT_FAULTY: Info, "faults in shader scripts",
        "A shader script has missing braces or missing words. What could be read was used.",
        "Correct the script, if a material looks wrong.";
    SHADER_SCRIPT_UNREADABLE: Warning, "shader scripts that cannot be read",
        "A shader script cannot be read, or is past a limit. Its shaders are not known.", "The message says why.";
    SHADER_STAGE_LOST: Info, "stages of shaders",
        "A shader draws a surface in several passes. A material has one texture: that of the first pass that shows an image in the texture coordinates of the surface.",
        "Combine the passes in the engine, if they matter.";
    SHADER_DEFORM_LOST: Info, "deformations by shaders",
        "A shader moves the vertices of a surface (`deformVertexes`), and a material does not.",
        "Move the vertices in the engine, if it matters.";
    SHADER_TEXCOORD_LOST: Info, "changes of texture coordinates by shaders",
        "A shader moves the texture of a surface (`tcMod`), or makes its texture coordinates (`tcGen environment`). The surface's own texture coordinates are used.",
        "Move the texture in the engine, if it matters.";
    SHADER_ANIMATION_LOST: Info, "animated images and colours of shaders",
        "A shader changes its image or its colour over time (`animMap`, `videoMap`, `rgbGen wave`, `alphaGen wave`). The first image, and the colour as it is, are used.",
        "Animate the material in the engine, if it matters.";
    SHADER_BLEND_APPROXIMATED: Info, "ways of blending that are approximated",
        "A shader adds or multiplies colours. Alpha blending, with an alpha that is computed from the colours, looks nearly the same.",
        "Choose additive or multiplied blending in the engine, if it matters.";
    SHADER_ALPHA_TEST_LOST: Warning, "alpha tests that have no counterpart",
        "A shader draws the pixels whose alpha is below one half. Materials draw those above a value, so that the test was left out.",
        "Invert the alpha of the texture.";
    SHADER_CULL_LOST: Info, "surfaces whose back faces alone are drawn",
        "A shader draws back faces alone. A material draws front faces or both, so that both are drawn.",
        "Turn the triangles over, if it matters.";
    SHADER_EFFECT_LOST: Info, "effects of skies, fogs and portals",
        "A shader is for a sky, a fog or a portal of a world, which no material is.", "Nothing.";
    SHADER_IMAGE_GUESSED: Info, "shaders without an image",
        "No stage of a shader shows an image. The image that has the shader's name, or the one that editors show, is used.",
        "Nothing.";
    MATERIAL_FILE_FAULTY: Warning, "material files that cannot be read",
        "A material file (UNIGINE `.mat`, `.xml`, `.node`) cannot be read, or is not XML.", "The message says why.";
    TEXTURE_FORMAT_UNKNOWN: Info, "textures in formats that are not read",
        "A material names a texture whose file is in a format of the engine alone, such as UNIGINE's `.texture`, and there is no other image of that name.",
        "Put an image of the same name beside it, in one of the formats that are read.";
}
