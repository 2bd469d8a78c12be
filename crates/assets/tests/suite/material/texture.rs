//! Textures as glTF image files: which are kept, which are converted, and how much memory they use.

use meshlens::wire::Budget;
use meshlens_assets::material::{Image, ImageLimits, TextureAlpha, TextureFile};
use meshlens_assets::{Assets, Error};

use super::image::gray_jpeg;
use super::{Memory, md3, tga};

fn assets(name: &'static str, image: &[u8]) -> Assets {
    Memory::new([("models/x/x.md3", &*md3(&["models/x/skin"])), (name, image)]).mounted()
}

/// The texture of the only material of a model, whose file is `image`.
fn texture(name: &'static str, image: &[u8]) -> TextureFile {
    let asset = assets(name, image).open("models/x/x.md3").unwrap();
    let material = &asset.model().materials[0];
    asset.assets().texture_file(material, &ImageLimits::DEFAULT).unwrap().unwrap()
}

fn four() -> Image {
    let pixels = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [9, 9, 9, 255]];
    Image::new(2, 2, pixels.concat()).unwrap()
}

fn pixels(file: &TextureFile) -> Image {
    Image::decode(&file.bytes, file.extension(), TextureAlpha::Stored, &ImageLimits::DEFAULT).unwrap()
}

/// A PNG file with a chunk after its header.
fn with_chunk(png: &[u8], name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = [name, body].concat();
    chunk.extend(crc32fast::hash(&chunk).to_be_bytes());
    [&png[..33], &(body.len() as u32).to_be_bytes(), &chunk, &png[33..]].concat()
}

#[test]
fn chunks_about_colors_are_left_out() {
    let png = four().to_png();
    let kept = texture("models/x/skin.png", &png);
    assert_eq!((kept.is_unchanged, &kept.bytes[..]), (true, &png[..]));
    let gamma = |value: u32| with_chunk(&png, b"gAMA", &value.to_be_bytes());
    // sRGB gamma, linear gamma, square pixels, and an sRGB chunk.
    let square = with_chunk(&png, b"pHYs", &[0, 0, 0, 100, 0, 0, 0, 100, 1]);
    let marked = with_chunk(&gamma(1), b"sRGB", &[0]);
    for usual in [gamma(45_455), gamma(100_000), square, marked] {
        let kept = texture("models/x/skin.png", &usual);
        assert_eq!((kept.is_unchanged, &kept.bytes[..]), (true, &usual[..]));
    }
    let profile = with_chunk(&png, b"iCCP", b"a profile\0\0not zlib");
    let wide = with_chunk(&png, b"pHYs", &[0, 0, 0, 100, 0, 0, 0, 50, 1]);
    for unusual in [profile, gamma(22_000), wide, with_chunk(&png, b"cHRM", &[1; 32])] {
        let made = texture("models/x/skin.png", &unusual);
        assert_eq!((made.is_unchanged, made.is_damaged, &made.bytes[..]), (false, false, &png[..]));
    }
}

#[test]
fn damaged_images_are_converted_to_png() {
    let jpeg = gray_jpeg();
    assert!(texture("models/x/skin.jpg", &jpeg).is_unchanged);
    // The end marker is missing.
    let cut = texture("models/x/skin.jpg", &jpeg[..jpeg.len() - 2]);
    assert_eq!((cut.mime_type, cut.is_unchanged, cut.is_damaged), ("image/png", false, true));
    assert_eq!(pixels(&cut).rgba, [160, 160, 160, 255].repeat(64));
    // A reserved mark.
    let marked = texture("models/x/skin.jpg", &[&jpeg[..2], b"\xff\x7f\0\x02", &jpeg[2..]].concat());
    assert_eq!((marked.mime_type, marked.is_unchanged, marked.is_damaged), ("image/png", false, true));
    // A table of codes that is not there: nothing can be read.
    let mut codes = jpeg.clone();
    codes[jpeg.windows(2).position(|mark| mark == [0xff, 0xda]).unwrap() + 6] = 0x11;
    let asset = assets("models/x/skin.jpg", &codes).open("models/x/x.md3").unwrap();
    let read = asset.assets().texture_file(&asset.model().materials[0], &ImageLimits::DEFAULT);
    assert!(matches!(read, Err(Error::Image { .. })), "{read:?}");
    // A wrong checksum of the header.
    let mut png = four().to_png();
    png[32] ^= 1;
    let wrong = texture("models/x/skin.png", &png);
    assert_eq!((wrong.mime_type, wrong.is_unchanged, wrong.is_damaged), ("image/png", false, true));
    assert_eq!(pixels(&wrong), four());
}

#[test]
fn cmyk_images_become_png() {
    // The gray image, with four components instead of one.
    let gray = gray_jpeg();
    let frame = gray.windows(2).position(|mark| mark == [0xff, 0xc0]).unwrap();
    let scan = gray.windows(2).position(|mark| mark == [0xff, 0xda]).unwrap();
    let tables = &gray[frame + 13..scan];
    let mut inks = gray[..frame].to_vec();
    inks.extend(b"\xff\xc0\0\x14\x08\0\x08\0\x08\x04\x01\x11\0\x02\x11\0\x03\x11\0\x04\x11\0");
    inks.extend(tables);
    inks.extend(b"\xff\xda\0\x0e\x04\x01\0\x02\0\x03\0\x04\0\0\x3f\0\x40\x40\x40\x40\xff\xd9");
    let made = texture("models/x/skin.jpg", &inks);
    assert_eq!((made.mime_type, made.is_damaged), ("image/png", false));
}

#[test]
fn textures_are_charged_until_dropped() {
    // 16 by 16 pixels of 4 bytes.
    let image = tga(16, 16, 32, &[255; 1024]);
    let asset = |limit: usize| {
        let mut assets = assets("models/x/skin.tga", &image);
        let budget = Budget::new(limit);
        assets.set_budget(budget.clone());
        (assets.open("models/x/x.md3").unwrap(), budget)
    };
    let (opened, budget) = asset(1 << 20);
    let (model, material) = (budget.reserved(), &opened.model().materials[0]);
    let pixels = opened.assets().texture_image(material, &ImageLimits::DEFAULT).unwrap().unwrap();
    assert_eq!(budget.reserved(), model + 1024);
    drop(pixels);
    let file = opened.assets().texture_file(material, &ImageLimits::DEFAULT).unwrap().unwrap();
    assert!(budget.reserved() >= model + file.bytes.len());
    drop(file);
    assert_eq!(budget.reserved(), model);

    // The budget holds the file, but not the file and its pixels at the same time.
    let (opened, budget) = asset(model + image.len() + 1023);
    let material = &opened.model().materials[0];
    let refused = opened.assets().texture_file(material, &ImageLimits::DEFAULT).unwrap_err();
    assert!(matches!(&refused, Error::Memory { over, .. } if over.bytes == 1024), "{refused}");
    assert_eq!(budget.reserved(), model);
}

#[test]
fn a_height_map_becomes_a_normal_map() {
    use meshlens::u3d::{Version, write};

    let mut model = write::Model::new(Version::V2_0_0);
    let mut mesh = write::Mesh::new("triangle");
    mesh.set_vertices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0.0, 0.0, -1.0]; 3], model.version)
        .unwrap();
    mesh.set_triangles(&[[0, 1, 2]], &[0]).unwrap();
    model.meshes.push(mesh);
    let mut stone = write::Material::new("stone");
    let height =
        write::Texture { is_normal_map: true, height_scalar: 0.0, ..write::Texture::new("*bumps.dib") };
    stone.textures[1] = Some(height);
    model.materials.push(stone);
    // A gray pixmap that has the name of a bitmap.
    let files = [("x.u3d", model.write().unwrap()), ("gfx/bumps.ppm", b"P2 2 1 255 0 255".to_vec())];
    let asset = Memory::new(files).mounted().open("x.u3d").unwrap();
    let material = &asset.model().materials[0];
    assert_eq!(material.texture, None);
    let map = material.height_map.as_ref().unwrap();
    assert_eq!(map.texture, "gfx/bumps.ppm");
    let file = asset.assets().texture_file(&map.material(), &ImageLimits::DEFAULT).unwrap().unwrap();
    assert_eq!((file.mime_type, pixels(&file).rgba), ("image/png", [128, 128, 255, 255].repeat(2)));
}
