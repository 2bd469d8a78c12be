//! The codes of findings about names and files.

meshlens::wire::codes! {
    NAME_REFUSED: Warning, "names in files that lead out of the mounts",
        "A file refers to another file by an absolute path, a path with a drive, or a path with `..` that leads out of the mounts. Only the last parts of the path were looked up.",
        "Correct the name, or mount the folder that it is relative to.";
    NAME_AMBIGUOUS: Warning, "names that differ only in case",
        "Several files differ from the requested name only in case. The first of them was used.",
        "Rename or remove all but one of them.";
    COMPANION_UNREADABLE: Warning, "files of models that cannot be read",
        "A file that belongs to a model exists but cannot be read. The model was opened without it.",
        "The message gives the reason. Correct the file or its permissions.";
    SKIN_CHOSEN: Info, "players without a default skin",
        "A player has several skins, and none of them is called `default`. The first one was used.",
        "Name a skin.";
    SKINS_NOT_WORN: Info, "models whose textures are missing beside their skins",
        "Textures of a model were not found, and skins beside it name others. Only players wear a skin without a request.",
        "Name one of the skins.";
    COMPANION_OUTDATED: Warning, "files that belong to a model before it was edited",
        "A skin or a level of detail that traveled with a model is written unchanged, but the model has other surfaces or vertices now.",
        "Edit the skin. Make the level of detail again, or remove its file.";
    COMPANION_LOST: Info, "files of other formats that are not written",
        "Files that traveled with a model, such as skins, belong to a format that is not the target.",
        "Nothing, or convert to their format as well.";
    FOLDER_UNREADABLE: Warning, "folders that cannot be listed",
        "A folder of a mount cannot be listed, so files in it are not found.",
        "The message gives the reason. Correct the permissions of the folder.";
    MOUNT_UNREADABLE: Warning, "archives of a game that cannot be opened",
        "An archive in the folder of the game cannot be opened. Files in it are not found.",
        "The message gives the reason. Copy the archive again, or remove it.";
}
