//! PNG files.

use meshlens_assets::material::ImageFormat;

use super::image::{GREEN, RED, decode, error, image};

#[test]
fn png_files_are_equal_after_writing_and_reading() {
    // Colors that rise and fall, so that each filter is the best one for some row.
    let value = |x: u32, y: u32| match y % 4 {
        0 => x * 7,
        1 => x * 7 + y,
        2 => (x * x * 31 + 5) % 251,
        _ => 77,
    };
    let pixel = |x, y| [value(x, y) as u8, value(x + 1, y) as u8, value(x, y + 1) as u8, (x * y) as u8];
    let pixels: Vec<[u8; 4]> = (0..23).flat_map(|y| (0..31).map(move |x| pixel(x, y))).collect();
    let mut image = image(31, 23, &pixels);
    let png = image.to_png();
    assert_eq!(ImageFormat::detect(&png, ""), Some(ImageFormat::Png));
    assert_eq!(png[25], 6, "colors with alpha");
    assert_eq!(decode(&png, "png"), image);
    image.make_opaque();
    let png = image.to_png();
    assert_eq!(png[25], 2, "colors without alpha");
    assert_eq!(decode(&png, "png"), image);
    // Checksums are not verified, and a file that ends early is an error.
    assert!(error(&png[..40], "png").starts_with("png: "));
}

#[test]
fn png_files_of_other_writers() {
    // Rows are stored without compression, each after its filter.
    let png = |depth: u8, kind: u8, between: &[(&[u8; 4], &[u8])], rows: &[u8]| {
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut chunk = |name: &[u8; 4], body: &[u8]| {
            file.extend((body.len() as u32).to_be_bytes());
            file.extend(name);
            file.extend(body);
            file.extend([0; 4]);
        };
        chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 1, depth, kind, 0, 0, 0]);
        between.iter().for_each(|(name, body)| chunk(name, body));
        let len = rows.len() as u8;
        let mut data = vec![0x78, 0x01, 1, len, 0, !len, 255];
        data.extend(rows);
        let sums =
            rows.iter().fold((1u32, 0u32), |(a, b), byte| (a + u32::from(*byte), a + b + u32::from(*byte)));
        data.extend((sums.1 << 16 | sums.0).to_be_bytes());
        // In two pieces.
        chunk(b"IDAT", &data[..3]);
        chunk(b"IDAT", &data[3..]);
        chunk(b"IEND", &[]);
        file
    };
    let of = |depth, kind, rows: &[u8]| decode(&png(depth, kind, &[], rows), "png").rgba;
    assert_eq!(of(8, 2, &[0, 255, 0, 0, 0, 255, 0]), [RED, GREEN].concat());
    // The second pixel is the stored number plus the first pixel. Filter 3 adds half of it if there is no row above.
    assert_eq!(of(8, 6, &[1, 1, 2, 3, 4, 1, 1, 1, 1]), [1, 2, 3, 4, 2, 3, 4, 5]);
    assert_eq!(of(8, 0, &[3, 10, 20]), [10, 10, 10, 255, 25, 25, 25, 255]);
    assert_eq!(of(8, 4, &[0, 9, 8, 7, 6]), [9, 9, 9, 8, 7, 7, 7, 6]);
    // With 16 bits, the high byte is used.
    assert_eq!(of(16, 0, &[0, 1, 99, 2, 99]), [1, 1, 1, 255, 2, 2, 2, 255]);
    // The highest bits come first. The greatest value is white.
    assert_eq!(of(4, 0, &[0, 0xf1]), [255, 255, 255, 255, 17, 17, 17, 255]);
    let colors: [(&[u8; 4], &[u8]); 2] = [(b"PLTE", &[255, 0, 0, 0, 255, 0]), (b"tRNS", &[255, 40])];
    let indexed = decode(&png(1, 3, &colors, &[0, 0x40]), "png");
    assert_eq!(indexed, image(2, 1, &[RED, [0, 255, 0, 40]]));
    let key: [(&[u8; 4], &[u8]); 1] = [(b"tRNS", &[0, 255, 0, 0, 0, 0])];
    assert_eq!(decode(&png(8, 2, &key, &[0, 255, 0, 0, 0, 255, 0]), "png").rgba[3..8], [0, 0, 255, 0, 255]);
    // A truncated row, an unknown filter, and colors of 4 bits.
    for broken in [png(8, 2, &[], &[0, 255]), png(8, 0, &[], &[5, 1, 1]), png(4, 2, &[], &[0])] {
        let text = error(&broken, "png");
        assert!(text.starts_with("png: "), "{text}");
    }
}

#[test]
fn interlaced_png_files_are_decoded() {
    // One pixel in the first pass and one in the sixth (PNG: 8.2). The other passes are empty.
    let mut data = vec![0x78, 0x01, 1, 8, 0, !8, 255];
    data.extend([0, 255, 0, 0, 0, 0, 255, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], body: &[u8]| {
        file.extend((body.len() as u32).to_be_bytes());
        file.extend(name);
        file.extend(body);
        file.extend([0; 4]);
    };
    chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 1, 8, 2, 0, 0, 1]);
    data.extend([0; 4]);
    chunk(b"IDAT", &data);
    chunk(b"IEND", &[]);
    assert_eq!(decode(&file, "png"), image(2, 1, &[RED, GREEN]));
}
