//! Opens a Quake 3 player by name from a search path of folders and archives, and lists what belongs to it.
//!
//! ```sh
//! cargo run -p meshlens-assets --example player -- corpus/md3 player red
//! ```

use std::error::Error;
use std::path::Path;

use meshlens::scene::{Attachment, Socket};
use meshlens_assets::{Assets, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| "corpus/md3".into());
    let name = arguments.next().unwrap_or_else(|| "player".into());
    let skin = arguments.next().unwrap_or_else(|| "red".into());

    // Later mounts come first, as patches of a game do.
    let mut assets = Assets::new();
    assets.mount_folder(&root)?;
    for entry in std::fs::read_dir(&root)? {
        let path = entry?.path();
        if path.extension() == Some("pk3".as_ref()) {
            assets.mount_archive(&path)?;
        }
    }

    let player = assets.open_with(&name, &OpenOptions { skin: Some(skin), ..OpenOptions::default() })?;
    let nodes = &player.scene().nodes;
    for node in nodes {
        println!("{}: {} clips, {} tags", node.name, node.model.clips.len(), node.model.tags.len());
        if let Some(Attachment { node: parent, socket: Socket::Tag(tag) }) = node.attachment {
            let parent = &nodes[parent];
            println!("  attached to {} of {}", parent.model.tags[tag].name, parent.name);
        }
        for material in &node.model.materials {
            println!("  material {}", material.name);
        }
    }
    // Every search for a companion file, whether it was found or not.
    for lookup in player.lookups() {
        let result = if lookup.found.is_some() { "found" } else { "not found" };
        println!("{} ({}): {result}", lookup.path, lookup.rule);
    }
    println!("{} files below {}", player.files().len(), Path::new(&root).display());
    Ok(())
}
