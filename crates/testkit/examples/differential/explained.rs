//! Explanations of differences between readers.

/// Which reader is right, and why; `None` for an outcome that has not been examined.
pub(crate) fn why(outcome: &str) -> Option<&'static str> {
    let (_, why) = WHY.iter().find(|(start, _)| outcome.starts_with(start))?;
    Some(why)
}

/// The beginnings of outcomes, and their explanations.
const WHY: &[(&str, &str)] = &[
    ("both read the same", "both"),
    ("both refuse", "both"),
    (
        "both read, with other triangles: vertex numbers",
        "We are: assimp compares the number of a vertex with the number of triangles instead of vertices, and replaces it by 0. With \
         this replacement, the values are the same",
    ),
    (
        "both read, with other meshes: empty surfaces",
        "We are: assimp shortens its list of meshes by one for each empty surface, but fills it from the end, so that it loses others",
    ),
    (
        "we alone refuse, for what assimp does not read: INDEX_OUT_OF_RANGE (triangle)",
        "We are: assimp replaces the number of a vertex that does not exist by 0. With this replacement, both read the same",
    ),
    (
        "we alone refuse, for what assimp does not read: INDEX_OUT_OF_RANGE (surface)",
        "We are: assimp leaves out a surface without vertices, whatever its triangles are. Without them, both read the same",
    ),
    (
        "we alone refuse, for what assimp does not read",
        "We are: assimp reads the first frame, and neither other frames, tags and shaders nor the version and identifiers. With valid \
         ones, both read the same",
    ),
    (
        "we alone refuse: MAGIC (surface)",
        "We are: assimp does not look at the identifier of a surface, and takes the data that a wrong end leads to for one",
    ),
    (
        "we alone refuse: INDEX_OUT_OF_RANGE (triangle)",
        "We are: the number of a vertex is not below the number of vertices, but below that of triangles: assimp reads what lies in \
         memory after its vertices",
    ),
    (
        "we alone refuse: OUT_OF_BOUNDS ()",
        "We are: frames after the first are not in the file, and the number of a vertex is as in the line above",
    ),
    (
        "assimp crashes with signal 11 on what we refuse",
        "We are: assimp does not check where a surface ends, and adds offsets and sizes without looking for an overflow",
    ),
    (
        "assimp alone refuses: Invalid md3 file: NUM_SURFACES is 0",
        "We are: a model may have tags without surfaces, such as the hand of a weapon",
    ),
    (
        "assimp alone refuses: MD3: File contains no valid mesh",
        "We are: a surface may be empty. assimp leaves empty surfaces out, and refuses a file that has no others",
    ),
    (
        "assimp alone refuses: UNREAL: Unexpected aniv file length",
        "We are: assimp expects four bytes for each vertex, and no padding. Deus Ex has eight, and other files are padded",
    ),
];
