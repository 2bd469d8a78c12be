//! Textures that are stored as compressed blocks are returned unchanged.

use meshlens_assets::material::{BlockFormat, ImageLimits, Material};

use super::Memory;

/// A DDS file with a code or a DXGI format, and the bytes 0, 1, 2 and so on as blocks.
fn dds(code: [u8; 4], dxgi: Option<u8>, [width, height, levels]: [u8; 3], bytes: u8) -> Vec<u8> {
    let mut file = vec![0; 128];
    file[..4].copy_from_slice(b"DDS ");
    (file[12], file[16], file[28], file[80]) = (height, width, levels, 4);
    file[84..88].copy_from_slice(&code);
    file.extend(dxgi.into_iter().flat_map(|format| [format].into_iter().chain([0; 19])));
    file.extend(0..bytes);
    file
}

/// A format, and the bytes of each level.
type Levels = (BlockFormat, Vec<Vec<u8>>);

fn levels(file: Vec<u8>) -> Result<Option<Levels>, String> {
    let assets = Memory::default().with("skin.dds", file).mounted();
    let material = Material { texture: Some("skin.dds".into()), ..Material::new("skin") };
    let found = assets.texture_blocks(&material, &ImageLimits::DEFAULT);
    let found = found.map_err(|error| error.to_string())?;
    Ok(found.map(|found| (found.format, found.levels.iter().map(|level| level.to_vec()).collect())))
}

#[test]
fn each_level_is_given_unchanged() {
    // 8 by 4 pixels are two blocks of 8 bytes; 4 by 2, 2 by 1 and 1 by 1 pixels are one each.
    let whole = levels(dds(*b"DXT1", None, [8, 4, 4], 40)).unwrap().unwrap();
    let expected = [0..16, 16..24, 24..32, 32..40].map(|range| range.collect::<Vec<u8>>());
    assert_eq!(whole, (BlockFormat::Bc1RgbaUnorm, expected.to_vec()));
    // A header with more levels than the size allows, and a file with fewer levels than its header.
    assert_eq!(levels(dds(*b"DXT1", None, [8, 4, 255], 40)).unwrap().unwrap().1.len(), 4);
    assert_eq!(levels(dds(*b"DXT1", None, [8, 4, 4], 31)).unwrap().unwrap().1.len(), 2);
    // A header without a number of levels means one level.
    assert_eq!(
        levels(dds(*b"DXT5", None, [4, 4, 0], 40)).unwrap().unwrap().1,
        [(0..16).collect::<Vec<u8>>()]
    );
}

#[test]
fn formats_that_cannot_be_decoded_are_returned() {
    let format =
        |dxgi| levels(dds(*b"DX10", Some(dxgi), [4, 4, 1], 16)).map(|found| found.map(|(format, _)| format));
    assert_eq!(format(95), Ok(Some(BlockFormat::Bc6hRgbUfloat)));
    assert_eq!(format(99), Ok(Some(BlockFormat::Bc7RgbaUnorm)));
    // DXGI format 28 stores pixels, not blocks.
    assert_eq!(format(28), Ok(None));
    let error = format(2).unwrap_err();
    assert!(error.ends_with("dds: this DXGI format is not supported at 0x80"), "{error}");
    let error = levels(dds(*b"DXT1", None, [4, 4, 1], 7)).unwrap_err();
    assert!(error.ends_with("dds: blocks of pixels of 8 bytes at 0x80 end past the file (0x87)"), "{error}");
}
