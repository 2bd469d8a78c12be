//! From names to models: opens every model and player in the archives of a game, and lists a large archive.
//!
//! `MESHLENS_OPENARENA` names the folder of OpenArena's archives (`baseoa`); without it, the corpus is opened. The page
//! cache is warm. The time includes mounting and listing; textures are found but not decoded. `-- --table` only prints
//! the table.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use meshlens_assets::{AssetPath, Assets, FindOptions, Rule};
use meshlens_benches::ratio::{Run, Table, in_turns, machine};
use meshlens_benches::{has, wants_tables, zip_archive};
use meshlens_source::{Archive, ArchiveLimits, FileArchive, Source};
use meshlens_testkit::real;
use rayon::prelude::*;

/// The number of entries of the large archive.
const ENTRIES: usize = 100_000;

/// The mounts of a game and the names of its models and players.
struct Game {
    name: &'static str,
    archives: Vec<PathBuf>,
    folder: Option<PathBuf>,
    names: Vec<String>,
    expected: Opened,
}

/// Counts of opened files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Opened {
    models: usize,
    players: usize,
    refused: usize,
    files: usize,
    textures: usize,
}

impl std::ops::Add for Opened {
    type Output = Opened;

    fn add(self, other: Opened) -> Opened {
        Opened {
            models: self.models + other.models,
            players: self.players + other.players,
            refused: self.refused + other.refused,
            files: self.files + other.files,
            textures: self.textures + other.textures,
        }
    }
}

impl Game {
    fn new() -> Game {
        let mut game = match std::env::var_os("MESHLENS_OPENARENA").map(PathBuf::from) {
            Some(folder) => Game {
                name: "OpenArena",
                archives: ["pak0.pk3", "pak2-players.pk3"].map(|name| folder.join(name)).into(),
                folder: None,
                names: Vec::new(),
                // The counts that the tests of `meshlens-assets` assert.
                expected: Opened { models: 210, players: 14, ..Opened::default() },
            },
            None => {
                let corpus = real::workspace_root().join("corpus");
                Game {
                    name: "corpus",
                    archives: vec![corpus.join("md3/models.pk3")],
                    folder: Some(corpus),
                    names: Vec::new(),
                    // The number of models is set below, from the result of `find_models`.
                    expected: Opened { players: 1, refused: 3, ..Opened::default() },
                }
            }
        };
        let assets = game.mount();
        let found = assets.find_models(&AssetPath::root(), &FindOptions::default());
        game.names = found.models.iter().map(|model| model.path().to_string()).collect();
        // A folder that contains the legs of a player is a player.
        let folders = game.names.iter().filter(|name| name.ends_with("/lower.md3"));
        let players: Vec<String> = folders.map(|name| name.trim_end_matches("/lower.md3").into()).collect();
        game.names.extend(players);
        if game.expected.models == 0 {
            game.expected.models = game.names.len() - game.expected.players - game.expected.refused;
        }
        let Opened { models, players, refused, .. } = game.expected;
        game.expected = game.open_all(false);
        let Opened { files, textures, .. } = game.expected;
        assert_eq!(game.expected, Opened { models, players, refused, files, textures });
        game
    }

    fn mount(&self) -> Assets {
        let mut assets = Assets::new();
        if let Some(folder) = &self.folder {
            assets.mount_folder(folder).expect("a folder");
        }
        for archive in &self.archives {
            assets.mount_archive(archive).expect("an archive");
        }
        assets
    }

    fn open_all(&self, all_cores: bool) -> Opened {
        let assets = self.mount();
        let open = |name: &String| match assets.open(name) {
            Ok(asset) => {
                let textures = asset
                    .lookups()
                    .iter()
                    .filter(|lookup| lookup.rule == Rule::Texture && lookup.found.is_some());
                Opened {
                    models: usize::from(asset.scene().nodes.len() == 1),
                    players: usize::from(asset.scene().nodes.len() == 3),
                    refused: 0,
                    files: asset.files().len(),
                    textures: textures.count(),
                }
            }
            Err(_) => Opened { refused: 1, ..Opened::default() },
        };
        if all_cores {
            self.names.par_iter().map(open).reduce(Opened::default, |a, b| a + b)
        } else {
            self.names.iter().map(open).fold(Opened::default(), |a, b| a + b)
        }
    }
}

/// An archive of many empty entries, in memory and in a file.
struct Large {
    bytes: Vec<u8>,
    path: PathBuf,
    last: String,
    _folder: tempfile::TempDir,
}

impl Large {
    fn new() -> Large {
        let name = |number: usize| format!("models/mapobjects/{:03}/part_{number:06}.md3", number % 1000);
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let bytes = zip_archive::empty_entries((0..ENTRIES).map(name));
        let path = folder.path().join("large.pk3");
        std::fs::write(&path, &bytes).expect("room for a file");
        Large { bytes, path, last: name(ENTRIES - 1), _folder: folder }
    }

    fn list_memory(&self) {
        let archive = Archive::parse(&self.bytes[..], "large.pk3", ArchiveLimits::default());
        self.check(&archive.expect("an archive"));
    }

    fn list_file(&self) {
        let archive = FileArchive::open_file(&self.path, ArchiveLimits::default());
        self.check(&archive.expect("an archive"));
    }

    fn check<B: meshlens_source::ReadAt>(&self, archive: &Archive<B>) {
        assert_eq!(archive.entries().count(), ENTRIES);
        let last = archive.find(&self.last).expect("the last entry");
        assert_eq!(last.number(), ENTRIES - 1);
    }

    fn find_mounted(&self) {
        let mut assets = Assets::new();
        assets.mount_archive(&self.path).expect("an archive");
        let path = AssetPath::new(&self.last.to_ascii_uppercase()).expect("a path");
        let found = assets.find(&path).expect("one file").expect("the last entry");
        assert_eq!(found.path().as_str(), self.last);
    }

    /// The memory that an open archive uses for each entry, in bytes.
    fn bytes_per_entry(&self) -> f64 {
        let source = Source::from_vec(self.bytes.clone());
        let mut archive = None;
        let used = allocation_counter::measure(|| archive = Some(Archive::open(source).expect("an archive")));
        black_box(archive);
        used.bytes_current as f64 / ENTRIES as f64
    }
}

type Named<'a> = (String, Box<dyn FnMut() + 'a>);

fn rows<'a>(game: &'a Game, large: &'a Large) -> Vec<Named<'a>> {
    let count = game.expected.models + game.expected.players;
    let open = |cores: &str, all| -> Named<'a> {
        let name = format!("{}: open {count} models and players by name, {cores}", game.name);
        (name, Box::new(move || assert_eq!(game.open_all(all), game.expected)))
    };
    vec![
        open("one core", false),
        open("all cores", true),
        ("list 100,000 entries in memory".into(), Box::new(|| large.list_memory())),
        ("list 100,000 entries of a file".into(), Box::new(|| large.list_file())),
        ("mount 100,000 entries and find one by name".into(), Box::new(|| large.find_mounted())),
    ]
}

fn print_table(game: &Game, large: &Large) {
    println!("{}\n{}: {:?}\n", machine(), game.name, game.expected);
    let mut rows = rows(game, large);
    let mut runs: Vec<Run<'_>> = rows.iter_mut().map(|(_, run)| -> Run<'_> { Box::new(run) }).collect();
    let found = in_turns(1, Duration::ZERO, 11, &mut runs);
    drop(runs);
    let mut table = Table::new(&["from names to models", "ms"]);
    for ((name, _), rate) in rows.iter().zip(&found.rates) {
        table.row(vec![name.clone(), format!("{:.1}", 1e3 / rate)]);
    }
    table.print();
    println!(
        "{:.0} bytes of memory for each of 100,000 entries, including its name\n",
        large.bytes_per_entry()
    );
}

fn main() {
    let (game, large) = (Game::new(), Large::new());
    assert!(large.bytes_per_entry() < 110.0, "{} bytes an entry", large.bytes_per_entry());
    if has("--table") {
        return print_table(&game, &large);
    }
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(500));
    let mut criterion = criterion.measurement_time(Duration::from_secs(2)).configure_from_args();
    let mut group = criterion.benchmark_group("assets");
    group.sample_size(10).throughput(Throughput::Elements(1));
    for (name, mut run) in rows(&game, &large) {
        group.bench_function(name, |b| b.iter(&mut run));
    }
    group.finish();
    criterion.final_summary();
    if wants_tables() {
        print_table(&game, &large);
    }
}
