//! The codes of findings that the command itself reports.

meshlens::wire::codes! {
    UNREADABLE: Error, "files that cannot be read",
        "The bytes of the file cannot be read: the file does not exist, access is denied, or its archive is damaged.",
        "The message gives the reason.";
}
