//! Textures whose pixels are many times larger than their files: they are charged to the budget of a command.

use std::fs;

use meshlens_testkit::real;

use super::{assert_code, folder, shell, stderr};

/// A TGA file of `side` by `side` gray pixels in runs of 128.
fn runs(side: u16) -> Vec<u8> {
    let mut file = vec![0; 18];
    (file[2], file[16]) = (11, 8);
    file[12..14].copy_from_slice(&side.to_le_bytes());
    file[14..16].copy_from_slice(&side.to_le_bytes());
    file.extend([0xff, 0x80].repeat(usize::from(side) * usize::from(side) / 128));
    file
}

#[test]
fn textures_are_charged_to_the_budget() {
    let (_keep, folder) = folder();
    let model = fs::read(real::workspace_root().join("corpus/md3/multi_surface.md3")).unwrap();
    fs::write(folder.join("x.md3"), model).unwrap();
    // 256 MiB of pixels, in a file of 1 MiB. The shader of a surface is `textures/ring.tga`.
    fs::write(folder.join("ring.tga"), runs(8192)).unwrap();
    let line = r#"ulimit -d 131072; "$meshlens" convert --max-memory 16M -o "$1/x.glb" "$1/x.md3""#;
    let refused = shell(line, &folder);
    assert_code(&refused, 1);
    let text = stderr(&refused);
    assert!(
        text.contains("8192 x 8192 pixels x 4 bytes need 268435456 bytes of memory; the limit is"),
        "{text}"
    );
    assert!(text.contains("--max-memory allows more"), "{text}");
    assert!(!folder.join("x.glb").exists());

    // 4 MiB of pixels: the texture fits a budget of 16 MiB.
    fs::write(folder.join("ring.tga"), runs(1024)).unwrap();
    let line = r#"ulimit -d 131072; "$meshlens" convert --max-memory 16M -o "$1/x.glb" "$1/x.md3""#;
    assert_code(&shell(line, &folder), 0);
    let line = r#"ulimit -d 131072; "$meshlens" thumb --size 64 --max-memory 4M -o "$1/x.png" "$1/x.md3""#;
    let refused = shell(line, &folder);
    assert_code(&refused, 1);
    assert!(stderr(&refused).contains("1024 x 1024 pixels"), "{}", stderr(&refused));
}
