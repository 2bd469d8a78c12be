//! The codes of what the command itself finds.

meshlens::wire::codes! {
    UNREADABLE: Error, "files that cannot be read",
        "The bytes of the file cannot be had: it is not there, access to it is refused, or the archive around it is damaged.",
        "The message says why.";
}
