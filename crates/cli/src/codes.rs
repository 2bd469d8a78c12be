//! The codes of findings that the command itself reports.

meshlens::wire::codes! {
    UNREADABLE: Error, "files that cannot be read",
        "The bytes of the file cannot be read: the file does not exist, access is denied, or its archive is damaged.",
        "The message gives the reason.";
    ENGINE_REFUSES: Error, "content that the engine refuses",
        "The engine of the profile does not load the file: it prints a warning or ends, and the model is not drawn.",
        "Convert the file with --engine NAME, which splits surfaces and writes complete headers. What remains has to become smaller in the modeling program. `meshlens explain NAME` lists what the engine reads.";
    ENGINE_DIFFERS: Warning, "content that the engine ignores or draws differently",
        "The engine of the profile loads the file, but a part of it is ignored or drawn wrongly, as the message says.",
        "Convert the file with --engine NAME, which splits surfaces and shortens names. `meshlens explain NAME` lists what the engine reads.";
}
