//! The keywords of shader scripts.

use meshlens::wire::Token;

use super::shader::{AlphaTest, Cull, StageImage};

/// The largest number of words of one kind that are kept for a shader or a stage.
const MAX_WORDS: usize = 16;

pub(super) fn keep(words: &mut Vec<String>, word: Token<'_>) {
    if words.len() < MAX_WORDS {
        words.push(word.to_text().to_ascii_lowercase());
    }
}

pub(super) fn cull(side: Token<'_>) -> Cull {
    if ["none", "disable", "twosided"].iter().any(|word| side.is(word)) {
        Cull::None
    } else if ["back", "backside", "backsided"].iter().any(|word| side.is(word)) {
        Cull::Front
    } else {
        Cull::Back
    }
}

pub(super) fn alpha_test(test: Token<'_>) -> Option<AlphaTest> {
    let all = [
        ("GT0", AlphaTest::Above0),
        ("LT128", AlphaTest::BelowHalf),
        ("GE128", AlphaTest::AtLeastHalf),
        ("GE192", AlphaTest::AtLeastThreeQuarters),
    ];
    all.into_iter().find(|(name, _)| test.is(name)).map(|(_, found)| found)
}

pub(super) fn image(path: Token<'_>) -> StageImage {
    if path.is("$lightmap") || path.is("*lightmap") {
        StageImage::Lightmap
    } else if path.is("$whiteimage") || path.is("*white") || path.is("$white") {
        StageImage::White
    } else if path.text.raw().is_empty() {
        StageImage::Missing
    } else {
        StageImage::File(path.to_text())
    }
}
