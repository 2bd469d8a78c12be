//! The names of entries as text.

use std::borrow::Cow;

/// A name, decoded as UTF-8, or otherwise from code page 437.
pub(crate) fn decoded(name: &[u8]) -> Cow<'_, str> {
    let decode = |&byte: &u8| match byte {
        0..0x80 => char::from(byte),
        _ => CODE_PAGE_437[usize::from(byte - 0x80)],
    };
    str::from_utf8(name).map_or_else(|_| name.iter().map(decode).collect(), Cow::Borrowed)
}

/// The upper half of code page 437 (APPNOTE appendix D).
const CODE_PAGE_437: [char; 128] = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å', //
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ', //
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '⌐', '¬', '½', '¼', '¡', '«', '»', //
    '░', '▒', '▓', '│', '┤', '╡', '╢', '╖', '╕', '╣', '║', '╗', '╝', '╜', '╛', '┐', //
    '└', '┴', '┬', '├', '─', '┼', '╞', '╟', '╚', '╔', '╩', '╦', '╠', '═', '╬', '╧', //
    '╨', '╤', '╥', '╙', '╘', '╒', '╓', '╫', '╪', '┘', '┌', '█', '▄', '▌', '▐', '▀', //
    'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ', 'ε', '∩', //
    '≡', '±', '≥', '≤', '⌠', '⌡', '÷', '≈', '°', '∙', '·', '√', 'ⁿ', '²', '■', '\u{a0}',
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf_8_or_code_page_437() {
        assert_eq!(decoded("Ä.md3".as_bytes()), "Ä.md3");
        assert_eq!(decoded(b"\x8e\xff\xe1.md3"), "Ä\u{a0}ß.md3");
    }
}
