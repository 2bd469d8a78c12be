//! The seeds of the target that opens models by name.

use std::collections::HashMap;

use super::images::images;
use crate::corpus;
use crate::files::Files;

/// Small trees of files: players, meshes of two files with their scripts, animations, archives, and names that refer to
/// paths outside the tree.
pub(super) fn trees() -> Vec<(String, Vec<u8>)> {
    let corpus: HashMap<String, Vec<u8>> = corpus::files().into_iter().collect();
    let file =
        |path: &str| corpus.get(path).cloned().unwrap_or_else(|| panic!("{path} is not in the corpus"));
    let player = ["lower.md3", "upper.md3", "head.md3", "animation.cfg"].into_iter().fold(
        Files::new().with("models/players/block/lower_default.skin", "block,../../../../etc/passwd\n"),
        |files, name| {
            files.with(&format!("models/players/Block/{name}"), file(&format!("md3/player/{name}")))
        },
    );
    let script = r"#exec MESH IMPORT MESH=ring ANIVFILE=MODELS\ring_a.3d DATAFILE=..\..\Models\ring_d.3d
        #exec TEXTURE IMPORT NAME=skin FILE=C:\skins\skin.pcx
        #exec MESHMAP SETTEXTURE MESHMAP=ring NUM=0 TEXTURE=skin";
    let mesh = Files::new()
        .with("Package/Models/ring_d.3d", file("unreal/Models/ring_d.3d"))
        .with("Package/Models/RING_A.3D", file("unreal/Models/ring_a.3d"))
        .with("Package/Classes/Ring.uc", script);
    let animated = Files::new()
        .with("data/meshes/arm.mesh", file("unigine/skinned_ms11.mesh"))
        .with("data/meshes/wave.anim", file("unigine/wave_an11.anim"))
        .with(
            "data/meshes/arm.mat",
            "<material name=\"arm\"><texture name=\"diffuse\">/etc/a.png</texture></material>",
        );
    let shaders = Files::new()
        .with("models/a.md3", file("md3/multi_surface.md3"))
        .with("models/A.md3", file("md3/static.md3"))
        .with("models/a_1.md3", file("md3/static_1.md3"))
        .with("scripts/a.shader", "textures/ring\n{ { map ../../x.tga alphaFunc GE128 } }");
    let hostile = Files::new()
        .with("../up.md3", file("md3/static.md3"))
        .with("/root.md3", file("md3/static.md3"))
        .with("a\\b.md3", file("md3/static.md3"))
        .with("models/./x.md3", file("md3/static.md3"))
        .with("pak.pk3", file("md3/models.pk3"));
    // An image of 8,192 by 8,192 pixels in a file that is far too short. The memory for all pixels must not be
    // allocated.
    let (_, huge) = images().into_iter().find(|(name, _)| name == "image.jpg").expect("a JPEG file");
    let frame = huge.windows(2).position(|mark| mark == [0xff, 0xc0]).expect("a frame header");
    let huge = [&huge[..frame + 5], &[0x20, 0, 0x20, 0], &huge[frame + 9..]].concat();
    let textures = Files::new()
        .with("models/a.md3", file("md3/multi_surface.md3"))
        .with("models/ring.jpg", huge)
        .with("models/box.png", images().swap_remove(0).1);
    // Files of another format, which an importer reads, beside a model of the same name.
    let mut imported = Files::new().with("models/0.md3", file("md3/static.md3"));
    for (number, (name, bytes)) in super::documents().into_iter().take(4).enumerate() {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        imported = imported.with(&format!("models/{}.{extension}", number / 2), bytes);
    }
    let trees = [
        ("imported", imported),
        ("textures", textures),
        ("player", player),
        ("mesh", mesh),
        ("animated", animated),
        ("shaders", shaders),
        ("hostile", hostile),
    ];
    trees.into_iter().map(|(name, files)| (name.into(), files.pack())).collect()
}
