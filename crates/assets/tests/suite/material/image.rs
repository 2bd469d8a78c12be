//! Images: every format, with pixels that can be checked by hand, and PNG files read back.

use meshlens_assets::material::{Image, ImageError, ImageFormat, ImageLimits, TextureAlpha};

use super::tga;

pub(super) const RED: [u8; 4] = [255, 0, 0, 255];

pub(super) const GREEN: [u8; 4] = [0, 255, 0, 255];

const BLUE: [u8; 4] = [0, 0, 255, 255];

const WHITE: [u8; 4] = [255; 4];

fn decode_as(bytes: &[u8], extension: &str, alpha: TextureAlpha) -> Result<Image, ImageError> {
    Image::decode(bytes, extension, alpha, &ImageLimits::DEFAULT)
}

pub(super) fn decode(bytes: &[u8], extension: &str) -> Image {
    decode_as(bytes, extension, TextureAlpha::Stored).unwrap()
}

pub(super) fn error(bytes: &[u8], extension: &str) -> String {
    decode_as(bytes, extension, TextureAlpha::Stored).unwrap_err().to_string()
}

pub(super) fn image(width: u32, height: u32, pixels: &[[u8; 4]]) -> Image {
    Image::new(width, height, pixels.concat()).unwrap()
}

/// Red and green in the first row, blue and white in the second.
fn four() -> Image {
    image(2, 2, &[RED, GREEN, BLUE, WHITE])
}

const FOUR_BGR: [u8; 12] = [0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255];

#[test]
fn tga_of_every_depth_and_order() {
    assert_eq!(decode(&tga(2, 2, 24, &FOUR_BGR), "tga"), four());
    assert_eq!(decode(&tga(1, 1, 32, &[1, 2, 3, 4]), "tga").rgba, [3, 2, 1, 4]);
    // 5 bits for each color: the highest value is decoded to 255.
    assert_eq!(decode(&tga(1, 1, 16, &[0x00, 0x7c]), "tga").rgba, RED);
    // Rows from bottom to top, each from right to left: the last pixel is stored first.
    let mut turned = tga(2, 2, 24, &FOUR_BGR);
    turned[17] = 0x10;
    assert_eq!(decode(&turned, "tga"), image(2, 2, &[WHITE, BLUE, GREEN, RED]));
    turned[17] = 0;
    assert_eq!(decode(&turned, "tga"), image(2, 2, &[BLUE, WHITE, RED, GREEN]));
    // Gray pixels, after an identification field.
    let mut gray = tga(2, 1, 8, &[b'i', b'd', 7, 9]);
    (gray[0], gray[2]) = (2, 3);
    assert_eq!(decode(&gray, "tga").rgba, [7, 7, 7, 255, 9, 9, 9, 255]);
}

#[test]
fn tga_in_runs_and_with_a_palette() {
    // A run of 3 red pixels, and then a single green pixel.
    let mut runs = tga(2, 2, 24, &[0x82, 0, 0, 255, 0x00, 0, 255, 0]);
    runs[2] = 10;
    assert_eq!(decode(&runs, "tga"), image(2, 2, &[RED, RED, RED, GREEN]));
    // Colors 1 and 2 of 24 bits; the first color of the palette is not in the file.
    let mut palette = tga(3, 1, 8, &[0, 0, 255, 0, 255, 0, 2, 1, 9]);
    (palette[1], palette[2], palette[3], palette[5], palette[7]) = (1, 1, 1, 2, 24);
    assert_eq!(decode(&palette, "tga"), image(3, 1, &[GREEN, RED, [0, 0, 0, 255]]));
}

#[test]
fn truncated_and_invalid_tga_files_are_errors() {
    assert_eq!(
        error(&tga(2, 2, 24, &FOUR_BGR[..11]), "tga"),
        "tga: pixels of 12 bytes at 0x12 end past the file (0x1d)"
    );
    let mut runs = tga(255, 255, 24, &[0x82, 0, 0]);
    runs[2] = 10;
    assert_eq!(error(&runs, "tga"), "tga: runs of pixels of 2036 bytes at 0x12 end past the file (0x15)");
    assert_eq!(error(&tga(0, 1, 24, &[]), "tga"), "tga: width: expected at least 1, found 0 at 0x0");
    assert_eq!(error(b"not an image at all", "tga"), ImageError::Unknown.to_string());
    assert_eq!(error(b"", "png"), ImageError::Unknown.to_string());
}

/// A lossless WebP file of one pixel: the codes of all channels have one symbol and take no bits (WebP lossless: 5. Image data).
fn webp_of_one_pixel(argb: [u8; 4]) -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let mut push = |value: u32, count: u32| bits.extend((0..count).map(|bit| value >> bit & 1 == 1));
    // The signature, width - 1, height - 1, alpha, version 0, no transforms, no color cache, one group of
    // codes.
    push(0x2f, 8);
    push(0, 14);
    push(0, 14);
    push(1, 1);
    push(0, 3);
    push(0, 1);
    push(0, 1);
    push(0, 1);
    let [alpha, red, green, blue] = argb;
    for symbol in [green, red, blue, alpha, 0] {
        // A simple code of one symbol of 8 bits.
        push(1, 1);
        push(0, 1);
        push(1, 1);
        push(symbol.into(), 8);
    }
    let mut body: Vec<u8> = Vec::new();
    for byte in bits.chunks(8) {
        body.push(byte.iter().rev().fold(0, |value, bit| value << 1 | u8::from(*bit)));
    }
    let len = body.len() as u32;
    body.resize(body.len().next_multiple_of(2), 0);
    let mut file = b"RIFF".to_vec();
    file.extend((12 + body.len() as u32).to_le_bytes());
    file.extend(b"WEBPVP8L");
    file.extend(len.to_le_bytes());
    file.extend(body);
    file
}

#[test]
fn webp_is_decoded() {
    assert_eq!(decode(&webp_of_one_pixel([40, 1, 2, 3]), "webp").rgba, [1, 2, 3, 40]);
    assert!(error(&webp_of_one_pixel([40, 1, 2, 3])[..22], "webp").starts_with("webp: "));
    assert_eq!(
        error(b"\xabKTX 20\xbb\r\n\x1a\n", "ktx2"),
        "ktx2: this format of images is not supported at 0x0"
    );
}

#[test]
fn bitmaps_of_every_depth() {
    let bmp = |bits: u16, compression: u32, height: i32, between: &[u8], pixels: &[u8]| {
        let mut file = b"BM".to_vec();
        file.extend([0; 8]);
        file.extend((54 + between.len() as u32).to_le_bytes());
        file.extend(40u32.to_le_bytes());
        file.extend(2i32.to_le_bytes());
        file.extend(height.to_le_bytes());
        file.extend(1u16.to_le_bytes());
        file.extend(bits.to_le_bytes());
        file.extend(compression.to_le_bytes());
        file.extend([0; 12]);
        file.extend((between.len() as u32 / 4).to_le_bytes());
        file.extend([0; 4]);
        file.extend(between);
        file.extend(pixels);
        file
    };
    // The bottom row comes first. Each row is padded to whole words.
    let rows = [255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0];
    assert_eq!(decode(&bmp(24, 0, 2, &[], &rows), "bmp"), four());
    // A negative height: the top row comes first.
    assert_eq!(decode(&bmp(24, 0, -2, &[], &rows), "bmp"), image(2, 2, &[BLUE, WHITE, RED, GREEN]));
    // With 32 bits and no masks, the last byte is unused.
    assert_eq!(
        decode(&bmp(32, 0, -1, &[], &[0, 0, 255, 0, 0, 255, 0, 9]), "bmp"),
        image(2, 1, &[RED, GREEN])
    );
    // Masks of 5, 6 and 5 bits.
    let masks = [0x00, 0xf8, 0, 0, 0xe0, 0x07, 0, 0, 0x1f, 0, 0, 0];
    let pixels = [0x00, 0xf8, 0xe0, 0x07];
    assert_eq!(decode(&bmp(16, 3, -1, &masks, &pixels), "bmp"), image(2, 1, &[RED, GREEN]));

    let colors = [0, 0, 255, 0, 0, 255, 0, 0];
    let of_palette = image(2, 1, &[GREEN, RED]);
    assert_eq!(decode(&bmp(8, 0, -1, &colors, &[1, 0, 0, 0]), "bmp"), of_palette);
    assert_eq!(decode(&bmp(4, 0, -1, &colors, &[0x10, 0, 0, 0]), "bmp"), of_palette);
    assert_eq!(decode(&bmp(1, 0, -1, &colors, &[0x80, 0, 0, 0]), "bmp"), of_palette);
    // The first color is transparent.
    let masked = decode_as(&bmp(8, 0, -1, &colors, &[1, 0, 0, 0]), "bmp", TextureAlpha::FirstColor).unwrap();
    assert_eq!(masked, image(2, 1, &[GREEN, [255, 0, 0, 0]]));
    // A run, the end of the line, a list, the end.
    let runs = [2, 1, 0, 0, 1, 0, 1, 1, 0, 1];
    assert_eq!(decode(&bmp(8, 1, 2, &colors, &runs), "bmp"), image(2, 2, &[RED, GREEN, GREEN, GREEN]));
    let runs = [2, 0x10, 0, 0, 0, 3, 0x01, 0, 0, 1];
    assert_eq!(decode(&bmp(4, 2, 2, &colors, &runs), "bmp").rgba[..8], [RED, GREEN].concat());
    // A list and an offset that are cut off by the end of the file.
    let cut = error(&bmp(8, 1, 2, &colors, &[0, 4, 1]), "bmp");
    assert_eq!(cut, "bmp: pixels of a run of 4 bytes at 0x40 end past the file (0x41)");
    let cut = error(&bmp(8, 1, 2, &colors, &[0, 2, 1]), "bmp");
    assert_eq!(cut, "bmp: offset of a run of 2 bytes at 0x40 end past the file (0x41)");
    assert_eq!(
        error(&bmp(5, 0, 1, &[], &[]), "bmp"),
        "bmp: bits of a pixel: expected 1, 2, 4, 8, 16, 24 or 32, found 5 at 0x1c"
    );
    assert_eq!(error(&bmp(24, 4, 1, &[], &[]), "bmp"), "bmp: this compression is not supported at 0x1e");
}

#[test]
fn pcx_of_256_colors_and_of_24_bits() {
    let header = |planes: u8| {
        let mut file = vec![0; 128];
        (file[0], file[1], file[2], file[3]) = (10, 5, 1, 8);
        (file[8], file[10], file[65], file[66]) = (1, 1, planes, 2);
        file
    };
    // A run of two pixels, then two single pixels. The palette is at the end.
    let mut indexed = header(1);
    indexed.extend([0xc2, 1, 0, 2, 12]);
    let mut palette = [0; 768];
    palette[..9].copy_from_slice(&[255, 0, 0, 0, 255, 0, 0, 0, 255]);
    indexed.extend(palette);
    assert_eq!(decode(&indexed, "pcx"), image(2, 2, &[GREEN, GREEN, RED, BLUE]));
    let masked = decode_as(&indexed, "pcx", TextureAlpha::FirstColor).unwrap();
    assert_eq!(masked, image(2, 2, &[GREEN, GREEN, [255, 0, 0, 0], BLUE]));
    // Each row stores all its red values, then green, then blue. Bytes above 0xbf start runs of one byte.
    let mut rgb = header(3);
    rgb.extend([0xc1, 255, 0, 0, 0xc1, 255, 0, 0]);
    rgb.extend([0, 0xc1, 255, 0, 0xc1, 255, 0xc2, 255]);
    assert_eq!(decode(&rgb, "pcx"), four());
    assert!(error(&rgb[..140], "pcx").starts_with("pcx: "));
}

#[test]
fn dds_in_blocks_and_as_pixels() {
    let dds = |code: &[u8; 4], flags: u32, bits: u32, masks: [u32; 4], body: &[u8]| {
        let mut file = vec![0; 128];
        file[..4].copy_from_slice(b"DDS ");
        (file[4], file[12], file[16], file[76]) = (124, 2, 2, 32);
        file[80..84].copy_from_slice(&flags.to_le_bytes());
        file[84..88].copy_from_slice(code);
        file[88..92].copy_from_slice(&bits.to_le_bytes());
        for (slot, mask) in file[92..108].chunks_exact_mut(4).zip(masks) {
            slot.copy_from_slice(&mask.to_le_bytes());
        }
        file.extend(body);
        file
    };
    // The colors red (0xf800) and blue (0x001f); two bits for each pixel: red, blue in the first row, and
    // blue, red in the second.
    let block = [0x00, 0xf8, 0x1f, 0x00, 0b0100, 0b0001, 0, 0];
    assert_eq!(decode(&dds(b"DXT1", 4, 0, [0; 4], &block), "dds"), image(2, 2, &[RED, BLUE, BLUE, RED]));
    // 4 bits of alpha for each pixel before the colors.
    let alpha = [[0xf0, 0, 0x80, 0, 0, 0, 0, 0], block].concat();
    let [r, b] = [[255, 0, 0], [0, 0, 255]];
    let pixels =
        [[r[0], r[1], r[2], 0], [b[0], b[1], b[2], 255], [b[0], b[1], b[2], 0], [r[0], r[1], r[2], 136]];
    assert_eq!(decode(&dds(b"DXT3", 4, 0, [0; 4], &alpha), "dds"), image(2, 2, &pixels));
    // Alpha 255 everywhere: every pixel has the first end point of the range.
    let alpha = [[255, 0, 0, 0, 0, 0, 0, 0], block].concat();
    assert_eq!(decode(&dds(b"DXT5", 4, 0, [0; 4], &alpha), "dds"), image(2, 2, &[RED, BLUE, BLUE, RED]));
    let masks = [0x00ff_0000, 0xff00, 0xff, 0];
    assert_eq!(decode(&dds(&[0; 4], 0x40, 24, masks, &FOUR_BGR), "dds"), four());
    assert_eq!(
        error(&dds(b"XXXX", 4, 0, [0; 4], &[]), "dds"),
        "dds: this format of pixels is not supported at 0x54"
    );
    assert_eq!(
        error(&dds(b"DXT1", 4, 0, [0; 4], &block[..7]), "dds"),
        "dds: blocks of pixels of 8 bytes at 0x80 end past the file (0x87)"
    );
}

/// A JPEG file of 8 by 8 pixels, all of them 160: the only coefficient is 32, times 8 in its table, divided by 8, plus 128.
pub(super) fn gray_jpeg() -> Vec<u8> {
    let mut file = b"\xff\xd8\xff\xdb\0\x43\0".to_vec();
    file.extend([8; 64]);
    file.extend(b"\xff\xc0\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0");
    // Each table has a single code of one bit: the first coefficient has six bits, and all others are 0.
    for (table, symbol) in [(0, 6), (0x10, 0)] {
        file.extend(b"\xff\xc4\0\x14");
        file.extend([table, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, symbol]);
    }
    file.extend(b"\xff\xda\0\x08\x01\x01\0\0\x3f\0");
    // The code 0, the bits 100000 (32), and the code 0.
    file.extend(b"\x40\xff\xd9");
    file
}

#[test]
fn jpeg_pixels_are_decoded_for_their_brightness() {
    let jpeg = gray_jpeg();
    assert_eq!(decode(&jpeg, "jpg"), image(8, 8, &[[160, 160, 160, 255]; 64]));
    let added = decode_as(&jpeg, "jpg", TextureAlpha::Add).unwrap();
    assert_eq!(added, image(8, 8, &[[255, 255, 255, 160]; 64]));
    assert!(error(&jpeg[..80], "jpg").starts_with("jpeg: "));
}

#[test]
fn sizes_are_checked_before_memory_is_allocated() {
    let limits = ImageLimits { side: 100, pixels: 50 };
    let error = |width, height| {
        let file = tga(width, height, 24, &[]);
        Image::decode(&file, "tga", TextureAlpha::Stored, &limits).unwrap_err().to_string()
    };
    assert_eq!(error(101, 1), "tga: width: the limit is 100, found 101 at 0x0");
    assert_eq!(error(1, 101), "tga: height: the limit is 100, found 101 at 0x0");
    assert_eq!(error(10, 6), "tga: pixels: the limit is 50, found 60 at 0x0");
}

#[test]
fn the_first_bytes_determine_the_format() {
    let png = four().to_png();
    assert_eq!(decode(&png, "tga"), four());
    assert_eq!(ImageFormat::detect(b"\xff\xd8\xff\xe0", "tga"), Some(ImageFormat::Jpeg));
    // A TGA file whose identification has 10 bytes begins like a PCX file.
    let mut file = tga(1, 1, 24, &[0; 13]);
    (file[0], file[1], file[3]) = (10, 1, 1);
    assert_eq!(ImageFormat::detect(&file, "pcx"), Some(ImageFormat::Tga));
}

#[test]
fn damaged_images_are_errors_or_images() {
    let mut runs = tga(4, 4, 32, &[0x83, 1, 2, 3, 4, 0x8b, 1, 2, 3, 4]);
    runs[2] = 10;
    let files =
        [("png", four().to_png()), ("tga", tga(2, 2, 24, &FOUR_BGR)), ("tga", runs), ("jpg", gray_jpeg())];
    for (extension, file) in files {
        for len in 0..file.len() {
            let _ = decode_as(&file[..len], extension, TextureAlpha::Stored);
        }
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, file[at].wrapping_add(1)] {
                let mut damaged = file.clone();
                damaged[at] = value;
                if let Ok(image) = decode_as(&damaged, extension, TextureAlpha::FirstColor) {
                    assert_eq!(image.rgba.len() as u64, u64::from(image.width) * u64::from(image.height) * 4);
                }
            }
        }
    }
}

#[test]
fn portable_pixmaps_in_text_and_bytes() {
    let text = b"P3 # text\n2 2\n1\n1 0 0  0 1 0\n0 0 1  1 1 1\n";
    assert_eq!(decode(text, "ppm"), four());
    let bytes = [&b"P6\n2 2 255\n"[..], &RED[..3], &GREEN[..3], &BLUE[..3], &WHITE[..3]].concat();
    assert_eq!(decode(&bytes, "ppm"), four());
    // Gray values of 16 bits, the high byte first, up to 1000.
    assert_eq!(decode(b"P5 2 1 1000\n\x01\xf4\x03\xe8", "").rgba, [128, 128, 128, 255, 255, 255, 255, 255]);
    assert_eq!(
        error(&bytes[..bytes.len() - 1], "ppm"),
        "ppm: pixels of 12 bytes at 0xb end past the file (0x16)"
    );
    assert_eq!(
        error(b"P3 2 2 1 1 0 x 1 1 1 1 1 1 1 1 1 1", "ppm"),
        "ppm: pixel: expected a number, found 120 at 0xd"
    );
    assert!(error(b"P6 99999 1 255\n", "ppm").contains("width"));
}

#[test]
fn a_pointer_of_git_lfs_is_named() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    for extension in ["tga", "png", ""] {
        let error =
            Image::decode(pointer, extension, TextureAlpha::Stored, &ImageLimits::DEFAULT).unwrap_err();
        assert!(error.to_string().contains("this is a Git LFS pointer"), "{error}");
    }
}
