//! Records.

use meshlens_wire::*;

meshlens_wire::record! {
    #[derive(Debug, PartialEq)]
    struct Sample {
        magic: [u8; 4],
        count: u32,
        axes: [[f32; 2]; 2],
        last: i16,
    }
}

#[test]
fn a_record_reads_back() {
    let sample = Sample { magic: *b"SAMP", count: 7, axes: [[1.0, -2.0], [0.5, 0.0]], last: -2 };
    let mut bytes = Vec::new();
    sample.write(&mut bytes);
    assert_eq!((bytes.len(), Sample::SIZE), (26, 26));
    assert_eq!(bytes[4..12], [7, 0, 0, 0, 0, 0, 0x80, 0x3f]);
    assert_eq!(Sample::read(&bytes), sample);
    bytes.push(9);
    assert_eq!(Sample::read(&bytes), sample, "bytes after the record are left alone");
    assert_eq!(Sample::read(&bytes[..25]), Sample { last: 0, ..sample });
    assert_eq!(Sample::read(&[]).magic, [0; 4]);
}
