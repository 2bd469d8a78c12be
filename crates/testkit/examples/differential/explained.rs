//! Why readers differ.

/// Which reader is right, and why; `None` for an outcome that nobody has looked at.
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
    ("we alone refuse: MAGIC (surface)", "We are: assimp does not look at the identifier of a surface"),
    (
        "we alone refuse: INDEX_OUT_OF_RANGE (triangle)",
        "We are: assimp replaces the number of a vertex that does not exist by 0",
    ),
    (
        "assimp alone refuses: Invalid md3 file: NUM_SURFACES is 0",
        "We are: a model may have tags without surfaces, such as the hand of a weapon",
    ),
    (
        "assimp alone refuses: UNREAL: Unexpected aniv file length",
        "We are: assimp expects four bytes for each vertex, and no padding. Deus Ex has eight, and other files are padded",
    ),
];
