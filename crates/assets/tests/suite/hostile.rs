//! Hostile names, links, folders and archives: nothing outside the mounts is read.

use std::fs;
use std::io::{Cursor, Write};

use meshlens::Report;
use meshlens::wire::Budget;
use meshlens_assets::{
    AssetPath, Assets, Bytes, Entry, Error, FilePart, FileSystem, FindOptions, OpenOptions, Refusal,
};
use meshlens_testkit::files::Files;

use crate::corpus;

/// Names that lead out of a folder on any operating system.
const LEADING_OUT: [&str; 8] = [
    "../secret.md3",
    r"..\..\secret.md3",
    "/etc/passwd",
    r"\\server\secret.md3",
    r"C:\secret.md3",
    "c:secret.md3",
    "models/../../secret.md3",
    "a\0b.md3",
];

#[test]
fn every_function_refuses_names_outside_the_mounts() {
    let assets = Files::new().with("models/a.md3", corpus("md3/static.md3")).mounted();
    let folder = AssetPath::new("models").unwrap();
    for name in LEADING_OUT {
        assert!(matches!(assets.open(name), Err(Error::Refused(_))), "{name:?}");
        assert!(
            matches!(assets.open_bytes(name, corpus("md3/static.md3")), Err(Error::Refused(_))),
            "{name:?}"
        );
        let named = assets.read_named(&AssetPath::root(), name);
        assert!(matches!(named, Err(Error::Refused(_))), "{name:?}");
        assert!(folder.join(&format!("../{name}")).is_err() || !name.starts_with('c'), "{name:?}");
    }
    let refused = AssetPath::new("x/../../y").unwrap_err();
    assert_eq!(refused.to_string(), "\"x/../../y\": refused: `..` leads out of the mounts");
    assert_eq!(refused.reason, Refusal::Parent);
}

/// Every folder has two folders and a model.
struct Endless {
    name_len: usize,
}

impl FileSystem for Endless {
    fn read(&self, _: &AssetPath, _: u64) -> std::io::Result<Bytes> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn read_range(&self, _: &AssetPath, _: std::ops::Range<u64>) -> std::io::Result<FilePart> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn list(&self, _: &AssetPath) -> std::io::Result<Vec<Entry>> {
        let folder = |name: &str| Entry::folder(name.repeat(self.name_len));
        Ok(vec![folder("a"), folder("b"), Entry::file("x.md3")])
    }
}

#[test]
fn folders_without_end_have_a_depth_limit() {
    for (name_len, depth) in [(1, 1024), (200, 21)] {
        let mut assets = Assets::new();
        assets.mount("endless", Endless { name_len });
        let found = assets.find_models(&AssetPath::root(), &FindOptions::default());
        assert!(found.models.len() <= depth && found.models.len() > depth / 2, "{}", found.models.len());
        let [error @ Error::TooDeep { .. }] = found.faults.as_slice() else { panic!("{:?}", found.faults) };
        let text = "endless: more than 1024 folders inside one another, or a path of more than 4096 bytes";
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_list_of_models_is_charged_to_the_budget() {
    let names: Vec<String> = (0..10_000).map(|number| format!("models/{number}.md3")).collect();
    let files = names.iter().fold(Files::new(), |files, name| files.with(name, ""));
    let mut assets = files.mounted();
    assets.set_budget(Budget::new(1 << 20));
    let found = assets.find_models(&AssetPath::root(), &FindOptions::default());
    assert!(found.models.len() < 10_000, "{} models", found.models.len());
    let [Error::Memory { file, .. }] = found.faults.as_slice() else { panic!("{:?}", found.faults) };
    assert!(file.starts_with("models/"), "the search says where it stopped: {file}");
}

/// A file system that contains one pair. It refuses to list folders, except the root if `has_root` is set.
struct Denied {
    has_root: bool,
}

impl FileSystem for Denied {
    fn read(&self, path: &AssetPath, _: u64) -> std::io::Result<Bytes> {
        Ok(corpus(&path.as_str().replace("m/", "unreal/Models/")).into())
    }

    fn read_range(&self, path: &AssetPath, range: std::ops::Range<u64>) -> std::io::Result<FilePart> {
        Ok(FilePart::of(&self.read(path, u64::MAX)?, range))
    }

    fn list(&self, folder: &AssetPath) -> std::io::Result<Vec<Entry>> {
        let is_listed = folder.is_root() && self.has_root;
        if is_listed {
            Ok(vec![Entry::folder("m")])
        } else {
            Err(std::io::ErrorKind::PermissionDenied.into())
        }
    }

    fn knows(&self, path: &AssetPath) -> bool {
        path.as_str() == "m/ring_d.3d" || path.as_str() == "m/ring_a.3d"
    }
}

#[test]
fn a_known_file_is_opened_and_any_other_name_has_the_error_of_its_folder() {
    for (has_root, folder) in [(true, "denied/m"), (false, "denied")] {
        let mut assets = Assets::new();
        assets.mount("denied", Denied { has_root });
        let ring = assets.open("m/ring_d.3d").unwrap();
        assert!(ring.findings().findings().any(|finding| finding.code == "FOLDER_UNREADABLE"));
        let error = assets.locate("m/other.md3").unwrap_err().to_string();
        assert_eq!(error, format!("{folder}: cannot list: permission denied"));
        let found = assets.find_models(&AssetPath::new("m").unwrap(), &FindOptions::default());
        let faults: Vec<String> = found.faults.iter().map(ToString::to_string).collect();
        assert_eq!((found.models.len(), faults), (0, vec![error]));
    }
}

/// The file system panics if a file is read that it did not list.
#[test]
fn names_in_scripts_skins_and_models_cannot_leave_the_mounts() {
    let script = r"#exec MESH IMPORT MESH=Gun ANIVFILE=..\..\etc\passwd DATAFILE=C:\secret_d.3d
        #exec MESH IMPORT MESH=Ring ANIVFILE=Models\ring_a.3d DATAFILE=Models\ring_d.3d
        #exec TEXTURE IMPORT NAME=Skin FILE=..\..\..\secret.pcx
        #exec MESHMAP SETTEXTURE MESHMAP=Ring NUM=0 TEXTURE=Skin";
    let files = Files::new()
        .with("Models/ring_d.3d", corpus("unreal/Models/ring_d.3d"))
        .with("Models/ring_a.3d", corpus("unreal/Models/ring_a.3d"))
        .with("Classes/Gun.uc", script)
        .with("players/x/lower.md3", corpus("md3/player/lower.md3"))
        .with("players/x/upper.md3", corpus("md3/player/upper.md3"))
        .with("players/x/lower_default.skin", "legs,../../../../etc/secret.tga\nbody,/etc/secret.png");
    let assets = files.mounted();

    let gun = assets.open("Classes/Gun.uc!Gun").unwrap_err();
    // Paths of the machine on which the script was written: their last parts are looked up.
    assert_eq!(
        gun.to_string(),
        "Classes/Gun.uc: the files of mesh Gun do not exist; looked for secret_d.3d, Classes/secret_d.3d, \
         Classes/passwd; \
         \"C:\\\\secret_d.3d\": refused: name with a drive, \
         \"..\\\\..\\\\etc\\\\passwd\": refused: `..` leads out of the mounts"
    );
    let ring = assets.open("Classes/Gun.uc!Ring").unwrap();
    let codes: Vec<&str> = ring.findings().findings().map(|finding| finding.code).collect();
    assert!(codes.contains(&"TEXTURE_NAME_REFUSED"), "{codes:?}");
    assets.open("players/x").unwrap();
    for read in files.take_read() {
        assert!(files.names().any(|name| name == read), "{read}");
    }
}

/// A path of the machine on which a script was written is refused and reported. Its last parts are looked up.
#[test]
fn a_path_of_another_machine_is_reported_and_looked_up_in_the_folder_of_the_script() {
    let script = r"#exec MESH IMPORT MESH=Gun ANIVFILE=D:\UT\Guns\ring_a.3d DATAFILE=C:\ring_d.3d";
    let files = Files::new()
        .with("Classes/Gun.uc", script)
        .with("Classes/ring_d.3d", corpus("unreal/Models/ring_d.3d"))
        .with("Classes/ring_a.3d", corpus("unreal/Models/ring_a.3d"));
    let expected = [
        r#"Classes/Gun.uc: "C:\\ring_d.3d": refused: name with a drive"#,
        r#"Classes/Gun.uc: "D:\\UT\\Guns\\ring_a.3d": refused: name with a drive"#,
    ];
    for name in ["Classes/Gun.uc", "Classes/ring_d.3d", "Classes/ring_a.3d"] {
        let assets = files.mounted();
        let located = assets.locate(name).unwrap();
        let loaded = located.load(None).unwrap();
        let mut validated = Report::default();
        loaded.validate(&loaded.document().unwrap(), &mut validated);
        let asset = located.open(&OpenOptions::default()).unwrap();
        assert_eq!(asset.files().len(), 3, "{name}");
        for report in [&validated, asset.findings()] {
            let refused = report.findings().filter(|finding| finding.code == "NAME_REFUSED");
            let messages: Vec<&str> = refused.map(|finding| finding.message.as_str()).collect();
            assert_eq!(messages, expected, "{name}");
        }
    }
    // Only one half exists: the error lists the paths that were looked up and the paths that were refused.
    let half = Files::new()
        .with("Classes/Gun.uc", script)
        .with("Classes/ring_d.3d", corpus("unreal/Models/ring_d.3d"));
    assert_eq!(
        half.mounted().open("Classes/Gun.uc").unwrap_err().to_string(),
        "Classes/ring_d.3d: the other file of this mesh was not found; looked for UT/Guns/ring_a.3d, \
         Classes/UT/Guns/ring_a.3d, Guns/ring_a.3d, Classes/Guns/ring_a.3d, ring_a.3d, Classes/ring_a.3d; \
         \"C:\\\\ring_d.3d\": refused: name with a drive, \
         \"D:\\\\UT\\\\Guns\\\\ring_a.3d\": refused: name with a drive"
    );
}

fn archive(names: &[&str]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&corpus("md3/static.md3")).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn entries_whose_names_lead_out_are_faults_and_the_rest_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}deep.md3", "a/".repeat(2500));
    let names = [
        "../up.md3",
        "/root.md3",
        r"c:\drive.md3",
        "a/../../b.md3",
        &long,
        "./odd//name.md3",
        "good.md3",
        "GOOD.md3",
    ];
    fs::write(folder.path().join("pak.pk3"), archive(&names)).unwrap();
    let given = Assets::new().user_path(folder.path().join("pak.pk3")).unwrap();
    let found = given.models(&FindOptions::default());
    let paths: Vec<&str> = found.models.iter().map(|model| model.path().as_str()).collect();
    assert_eq!(paths, ["GOOD.md3", "good.md3", "odd/name.md3"]);
    let faults: Vec<String> = found.faults.iter().map(|fault| fault.to_string()).collect();
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults[0].ends_with("pak.pk3!../up.md3: refused: name with a `..` component"), "{}", faults[0]);
    for model in found.models {
        model.open(&OpenOptions::default()).unwrap();
    }
}

#[test]
fn nested_archives_have_a_depth_limit() {
    let mut bytes = archive(&["x.md3"]);
    for _ in 0..6 {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("a.pk3", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
        bytes = zip.finish().unwrap().into_inner();
    }
    let assets = Files::new().with("a.pk3", bytes).mounted();
    let nested = |depth: usize| format!("{}x.md3", "a.pk3!".repeat(depth));
    assert!(matches!(assets.open(&nested(5)), Err(Error::NotFound { .. })), "there is another archive");
    assert!(matches!(assets.open(&nested(7)), Err(Error::NotFound { .. })), "too deep to be looked for");
    let shallow = Files::new().with("a.pk3", archive(&["x.md3"])).mounted();
    assert_eq!(shallow.open("a.pk3!X.md3").unwrap().files()[0].name, "a.pk3!x.md3");
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// A mount, and a folder next to it with the same files that is not part of the mount.
    fn folders() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
        let keep = tempfile::tempdir().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| keep.path().join(name));
        for folder in [&inside, &outside] {
            fs::create_dir_all(folder.join("models")).unwrap();
            fs::write(folder.join("models/a.md3"), corpus("md3/static.md3")).unwrap();
        }
        (keep, inside, outside)
    }

    fn mounted(folder: &Path) -> Assets {
        let mut assets = Assets::new();
        assets.mount_folder(folder).unwrap();
        assets
    }

    #[test]
    fn links_out_of_a_folder_are_refused_and_other_links_are_followed() {
        let (_keep, inside, outside) = folders();
        symlink("models/a.md3", inside.join("relative.md3")).unwrap();
        symlink(inside.join("models/a.md3"), inside.join("absolute.md3")).unwrap();
        symlink("models", inside.join("folder")).unwrap();
        symlink("../outside/models/a.md3", inside.join("out.md3")).unwrap();
        symlink(outside.join("models/a.md3"), inside.join("far.md3")).unwrap();
        symlink("../outside/models", inside.join("away")).unwrap();
        symlink("/proc/self/root", inside.join("root")).unwrap();
        symlink("..", inside.join("models/up")).unwrap();
        let assets = mounted(&inside);
        for name in ["relative.md3", "absolute.md3", "folder/a.md3"] {
            assert_eq!(assets.open(name).unwrap().model().name, "models/static.md3", "{name}");
        }
        for name in ["out.md3", "far.md3"] {
            let error = assets.open(name).unwrap_err();
            let text = format!("{}/{name}: leads out of its folder", inside.display());
            assert_eq!(error.to_string(), text);
        }
        for name in ["away/a.md3", "root/etc/passwd", "models/up/models/a.md3"] {
            assert!(assets.open(name).unwrap_err().is_not_found(), "{name}");
        }
        let found =
            assets.find_models(&AssetPath::root(), &FindOptions { content: true, ..FindOptions::default() });
        let paths: Vec<&str> = found.models.iter().map(|model| model.path().as_str()).collect();
        assert_eq!(
            paths,
            ["absolute.md3", "far.md3", "folder/a.md3", "models/a.md3", "out.md3", "relative.md3"]
        );
        let faults: Vec<String> = found.faults.iter().map(|fault| fault.to_string()).collect();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(faults.iter().any(|fault| fault.ends_with("models/up: a link to a folder that contains it")));
    }

    #[test]
    fn files_whose_names_are_no_paths_are_reported() {
        let (_keep, inside, _) = folders();
        fs::create_dir(inside.join("d:")).unwrap();
        for name in [r"models\a.md3", "c:a.md3", "d:/a.md3"] {
            fs::write(inside.join(name), corpus("md3/static.md3")).unwrap();
        }
        let found = mounted(&inside).find_models(&AssetPath::root(), &FindOptions::default());
        assert!(found.models.iter().all(|model| model.path().as_str() == "models/a.md3"));
        let faults: Vec<String> = found.faults.iter().map(|fault| fault.to_string()).collect();
        let refused = |name: &str, reason: &str| {
            format!("{:?}: refused: {reason}", format!("{}/{name}", inside.display()))
        };
        let separator = refused(r"models\a.md3", "name with a path separator");
        let drive = "name with a drive";
        assert_eq!(faults, [refused("c:a.md3", drive), refused("d:", drive), separator]);
    }

    #[test]
    fn a_texture_that_links_outside_its_folder_is_not_read() {
        let (_keep, inside, outside) = folders();
        fs::write(outside.join("secret.png"), b"\x89PNG secret").unwrap();
        fs::write(inside.join("models/m.md3"), corpus("md3/multi_surface.md3")).unwrap();
        symlink(outside.join("secret.png"), inside.join("models/box.png")).unwrap();
        let asset = mounted(&inside).open("models/m.md3").unwrap();
        for material in &asset.model().materials {
            let file =
                asset.assets().texture_file(material, &meshlens_assets::material::ImageLimits::DEFAULT);
            assert!(!matches!(file, Ok(Some(_))), "{material:?}");
        }
    }

    #[test]
    fn only_regular_files_are_opened_and_opening_never_blocks() {
        let (_keep, inside, _) = folders();
        assert!(Command::new("mkfifo").arg(inside.join("pipe.md3")).status().unwrap().success());
        drop(std::os::unix::net::UnixListener::bind(inside.join("socket.md3")).unwrap());
        fs::create_dir(inside.join("folder.md3")).unwrap();
        let assets = mounted(&inside);
        for (name, what) in [("pipe.md3", "a pipe"), ("socket.md3", "a socket")] {
            let error = assets.open(name).unwrap_err();
            assert!(
                error.to_string().ends_with(&format!("{name}: is {what}, not a regular file")),
                "{error}"
            );
        }
        assert!(assets.open("folder.md3").unwrap_err().is_not_found());
    }

    #[test]
    fn a_link_given_by_the_user_is_followed() {
        let (_keep, inside, outside) = folders();
        symlink(outside.join("models/a.md3"), inside.join("link.md3")).unwrap();
        let asset = Assets::new().open_path(inside.join("link.md3")).unwrap();
        assert_eq!(asset.files()[0].name, inside.join("link.md3").display().to_string());
    }

    #[test]
    fn another_folder_in_the_place_of_a_mount_is_an_error() {
        let (_keep, inside, outside) = folders();
        let assets = mounted(&inside);
        fs::remove_dir_all(&inside).unwrap();
        fs::rename(&outside, &inside).unwrap();
        let error = assets.find(&AssetPath::new("models/a.md3").unwrap()).unwrap();
        assert!(error.is_none(), "nothing is listed");
        let faults = assets.find_models(&AssetPath::root(), &FindOptions::default()).faults;
        assert!(faults[0].to_string().ends_with("inside: changed while it was being read"), "{}", faults[0]);
    }
}
