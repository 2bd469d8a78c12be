//! The codes of findings about names and files.

meshlens::wire::codes! {
    NAME_REFUSED: Warning, "names in files that lead out of the mounts",
        "A file names another one by an absolute path, with a drive, or by `..` past the root of the mounts. It was not looked for.",
        "Correct the name, or mount the folder that it is relative to.";
    NAME_AMBIGUOUS: Warning, "names that differ in the case of letters alone",
        "Several files have the name that was looked for but for the case of letters. The first of them was taken.",
        "Rename or remove all but one of them.";
    COMPANION_UNREADABLE: Warning, "files of models that cannot be read",
        "A file that belongs to a model is there and cannot be read. The model was opened without it.",
        "The message says why. Correct the file, or its permissions.";
    FOLDER_UNREADABLE: Warning, "folders that cannot be listed",
        "A folder of a mount cannot be listed, so that files in it are not found.",
        "The message says why. Correct the permissions of the folder.";
    MOUNT_UNREADABLE: Warning, "archives of a game that cannot be opened",
        "An archive beside the one that was named cannot be opened. Files in it are not found.",
        "The message says why. Copy the archive again, or remove it.";
}
