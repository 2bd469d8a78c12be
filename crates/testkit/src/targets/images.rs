//! The seeds of the target that reads images.

use meshlens_assets::material::Image;

/// A small image in each readable format. The corpus has none, because models contain only the names of images.
pub(super) fn images() -> Vec<(String, Vec<u8>)> {
    let pixels = [[255, 0, 0, 255], [0, 255, 0, 128], [0, 0, 255, 0], [9, 99, 199, 255]];
    let image = Image::new(2, 2, pixels.concat()).expect("four pixels");
    let mut tga = vec![0; 18];
    (tga[2], tga[12], tga[14], tga[16], tga[17]) = (2, 2, 2, 32, 0x28);
    let mut runs = tga.clone();
    runs[2] = 10;
    tga.extend(pixels.concat());
    runs.extend([0x82, 1, 2, 3, 4, 0, 5, 6, 7, 8]);
    let mut pcx = vec![0; 128];
    (pcx[0], pcx[1], pcx[2], pcx[3]) = (10, 5, 1, 8);
    (pcx[8], pcx[10], pcx[65], pcx[66]) = (1, 1, 1, 2);
    pcx.extend([0xc2, 1, 0, 2, 12]);
    pcx.extend([7; 768]);
    let mut bmp =
        b"BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x08\0\x01\0\0\0".to_vec();
    bmp.extend([0; 12]);
    bmp.extend([2, 0, 0, 0, 0, 0, 0, 0]);
    bmp.extend([0, 0, 255, 0, 0, 255, 0, 0, 2, 1, 0, 0, 0, 3, 0, 1, 0, 0, 0, 1]);
    let mut dds = vec![0; 128];
    dds[..4].copy_from_slice(b"DDS ");
    (dds[4], dds[12], dds[16], dds[76], dds[80]) = (124, 2, 2, 32, 4);
    dds[84..88].copy_from_slice(b"DXT5");
    dds.extend([255, 0, 1, 2, 3, 4, 5, 6, 0x00, 0xf8, 0x1f, 0x00, 1, 2, 3, 4]);
    // 8 by 8 pixels of the same gray: a quantization table of ones, a code of one bit in each Huffman table, and one
    // coefficient.
    let mut jpeg = b"\xff\xd8\xff\xdb\0\x43\0".to_vec();
    jpeg.extend([8; 64]);
    jpeg.extend(b"\xff\xc0\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0");
    for (table, symbol) in [(0, 6), (0x10, 0)] {
        jpeg.extend(b"\xff\xc4\0\x14");
        jpeg.extend([table, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, symbol]);
    }
    jpeg.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0\x40\xff\xd9");
    // A lossless image of one pixel, whose codes have one symbol each.
    let webp =
        b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10(E=\xaaP\x94\x02\x00\x00".to_vec();
    let files = [
        ("webp", webp),
        ("png", image.to_png()),
        ("jpg", jpeg),
        ("tga", tga),
        ("runs.tga", runs),
        ("pcx", pcx),
        ("bmp", bmp),
        ("dds", dds),
    ];
    files.into_iter().map(|(name, bytes)| (format!("image.{name}"), bytes)).collect()
}
