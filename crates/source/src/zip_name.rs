//! The names of entries as text.

/// Appends a name, decoded as UTF-8, or otherwise from code page 437.
pub(crate) fn push_name(name: &[u8], names: &mut String) {
    match str::from_utf8(name) {
        Ok(name) => names.push_str(name),
        Err(_) => names.extend(name.iter().map(|&byte| match byte {
            0..0x80 => char::from(byte),
            _ => CODE_PAGE_437[usize::from(byte - 0x80)],
        })),
    }
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
        let name = |bytes: &[u8]| {
            let mut names = String::new();
            push_name(bytes, &mut names);
            names
        };
        assert_eq!(name("Ä.md3".as_bytes()), "Ä.md3");
        assert_eq!(name(b"\x8e\xff\xe1.md3"), "Ä\u{a0}ß.md3");
    }
}
