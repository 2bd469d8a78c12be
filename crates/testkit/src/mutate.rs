//! Damage: a file at every prefix, and with every byte changed.

/// Calls `check` on every proper prefix of `bytes`, each in a buffer of its exact size.
pub fn prefixes(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    for len in 0..bytes.len() {
        let prefix: Box<[u8]> = bytes[..len].into();
        check(&prefix);
    }
}

/// Calls `check` on `bytes` with each byte in turn one more, one less, 0 and 0xFF.
pub fn bytes(bytes: &[u8], mut check: impl FnMut(&[u8])) {
    let mut damaged = bytes.to_vec();
    for index in 0..bytes.len() {
        let sane = bytes[index];
        for value in [sane.wrapping_add(1), sane.wrapping_sub(1), 0, 0xff] {
            if value != sane {
                damaged[index] = value;
                check(&damaged);
            }
        }
        damaged[index] = sane;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_prefix_and_every_byte_once() {
        let mut seen = Vec::new();
        super::prefixes(&[7, 0], |bytes| seen.push(bytes.to_vec()));
        assert_eq!(seen, [vec![], vec![7]]);
        seen.clear();
        super::bytes(&[7, 0], |bytes| seen.push(bytes.to_vec()));
        assert_eq!(
            seen,
            [[8, 0], [6, 0], [0, 0], [0xff, 0], [7, 1], [7, 0xff], [7, 0xff]].map(|bytes| bytes.to_vec())
        );
    }
}
