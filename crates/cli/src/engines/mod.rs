//! Profiles of engines: what they read, refuse and ignore. Each is a file in `crates/cli/engines`, with the source of every
//! fact.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use meshlens::{Code, Document, Report, Severity};
use serde::Deserialize;

use crate::codes;

/// The names of the engines, and their files.
const FILES: [(&str, &str); 10] = [
    ("ioquake3", include_str!("../../engines/ioquake3.json")),
    ("openarena", include_str!("../../engines/openarena.json")),
    ("etlegacy", include_str!("../../engines/etlegacy.json")),
    ("darkplaces", include_str!("../../engines/darkplaces.json")),
    ("ironwail", include_str!("../../engines/ironwail.json")),
    ("vkquake", include_str!("../../engines/vkquake.json")),
    ("quakespasm", include_str!("../../engines/quakespasm.json")),
    ("uzdoom", include_str!("../../engines/uzdoom.json")),
    ("ut99", include_str!("../../engines/ut99.json")),
    ("unigine", include_str!("../../engines/unigine.json")),
];

/// A test parses every file.
static ENGINES: LazyLock<Vec<Engine>> =
    LazyLock::new(|| FILES.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect());

/// The names of the engines.
pub(crate) fn names() -> [&'static str; FILES.len()] {
    FILES.map(|(name, _)| name)
}

/// The engine with this name.
pub(crate) fn find(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name.eq_ignore_ascii_case(name))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Engine {
    pub(crate) name: String,
    /// The program and the version that the facts are about.
    version: String,
    /// The formats that it reads, by their names.
    formats: BTreeMap<String, Reads>,
}

/// How an engine reads a format.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Reads {
    /// Whether the models of its games have this format.
    native: bool,
    limits: BTreeMap<Quantity, Limit>,
    /// The codes of the findings with which a file is refused, and the sources.
    refuses: BTreeMap<String, String>,
    ignores: Vec<Ignored>,
    images: Option<Names>,
    skins: Option<Names>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Quantity {
    Vertices,
    Triangles,
    Surfaces,
    Frames,
    Textures,
    NameBytes,
    VertexBytes,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Vertices => "vertices",
            Quantity::Triangles => "triangles",
            Quantity::Surfaces => "surfaces",
            Quantity::Frames => "frames",
            Quantity::Textures => "textures",
            Quantity::NameBytes => "bytes in a name",
            Quantity::VertexBytes => "bytes in a vertex",
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    most: usize,
    /// What the engine does with more; it refuses the file if this is absent.
    then: Option<String>,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ignored {
    what: String,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    names: String,
    source: String,
}

/// The finding of the validator about the same limit, which speaks about engines in general.
const fn general(code: &str) -> Option<Quantity> {
    Some(match code.as_bytes() {
        b"LIMIT_VERTICES" | b"ENGINE_LIMIT_VERTICES" => Quantity::Vertices,
        b"LIMIT_TRIANGLES" | b"ENGINE_LIMIT_TRIANGLES" => Quantity::Triangles,
        b"LIMIT_SURFACES" => Quantity::Surfaces,
        b"LIMIT_FRAMES" => Quantity::Frames,
        b"NAME_UNTERMINATED" => Quantity::NameBytes,
        _ => return None,
    })
}

impl Engine {
    /// Replaces the findings about the limits of tools and of engines in general by those about this engine. `report` has the findings of
    /// the validator.
    pub(crate) fn validate(&self, document: &Document<'_>, report: &mut Report) {
        let Engine { name, .. } = self;
        let is_general =
            |code: &Code| code.name.starts_with("LIMIT_") || code.name.starts_with("ENGINE_LIMIT_");
        report.retain(|code| !is_general(code));
        let Some(reads) = self.formats.get(document.format().name()) else {
            return self.check(document, report);
        };
        let refused: Vec<_> = report
            .groups()
            .filter(|group| reads.refuses.contains_key(group.code.name))
            .map(|group| (group.code, group.count, group.first.clone()))
            .collect();
        for (Code { name: code, plural, .. }, count, first) in refused {
            let (offset, pointer) =
                first.map_or((0, String::new()), |first| (first.offset.unwrap_or(0), first.pointer));
            let message = format_args!("{name} refuses {plural} [{code}]");
            report.add_several(&codes::ENGINE_REFUSES, count, offset, format_args!("{pointer}"), message);
        }
        self.check(document, report);
    }

    /// Adds the findings about the format and the limits. O(headers).
    fn check(&self, document: &Document<'_>, report: &mut Report) {
        let (Engine { name, .. }, format) = (self, document.format().name());
        let Some(reads) = self.formats.get(format) else {
            let message = format_args!("{name} does not read the format {format}");
            return report.lose(&codes::ENGINE_REFUSES, 1, format_args!(""), message);
        };
        measure(document, |quantity, found, offset, pointer| {
            let Some(Limit { most, then, .. }) =
                reads.limits.get(&quantity).filter(|limit| found > limit.most)
            else {
                return;
            };
            match then {
                None => {
                    let message = format_args!("{found} {quantity}; {name} refuses more than {most}");
                    report.add(&codes::ENGINE_REFUSES, offset, pointer, message);
                }
                Some(then) => {
                    let message = format_args!("{found} {quantity}; with more than {most}, {name} {then}");
                    report.add(&codes::ENGINE_DIFFERS, offset, pointer, message);
                }
            }
        });
    }

    /// The largest numbers of vertices and triangles of a surface in this format; `None` without limits.
    pub(crate) fn surface_limits(&self, format: &str) -> Option<(usize, usize)> {
        let limits = &self.formats.get(format)?.limits;
        let most = |quantity| limits.get(&quantity).map(|limit| limit.most);
        let (vertices, triangles) = (most(Quantity::Vertices), most(Quantity::Triangles));
        (vertices.is_some() || triangles.is_some())
            .then(|| (vertices.unwrap_or(usize::MAX), triangles.unwrap_or(usize::MAX)))
    }

    /// Whether it reads Unreal meshes only with vertices of 4 bytes.
    pub(crate) fn packs_vertices(&self) -> bool {
        self.formats.get("unreal").is_some_and(|reads| reads.limits.contains_key(&Quantity::VertexBytes))
    }
}

/// The engines whose games have models of the format of `document` and that refuse it: their names, the reason of the first
/// one, and whether they are all. `None` if no engine refuses it. O(headers).
pub(crate) fn refusing(document: &Document<'_>) -> Option<(String, String, bool)> {
    let format = document.format().name();
    let is_native = |engine: &&Engine| engine.formats.get(format).is_some_and(|reads| reads.native);
    let reason = |engine: &Engine| {
        let mut report = Report::with_capacity(1);
        engine.check(document, &mut report);
        let error = report.findings().find(|finding| finding.severity == Severity::Error)?;
        Some((engine.name.clone(), format!("{} ({})", error.message, error.pointer)))
    };
    let refusing: Vec<_> = ENGINES.iter().filter(is_native).filter_map(reason).collect();
    let (_, first) = refusing.first()?;
    let names: Vec<&str> = refusing.iter().map(|(name, _)| name.as_str()).collect();
    Some((names.join(", "), first.clone(), names.len() == ENGINES.iter().filter(is_native).count()))
}

/// Calls `each` with every number that engines limit, its offset and its place.
fn measure(document: &Document<'_>, mut each: impl FnMut(Quantity, usize, u64, fmt::Arguments<'_>)) {
    match document {
        Document::Md3(md3) => {
            each(Quantity::Frames, md3.frame_count(), md3.offset() + 76, format_args!("/frames"));
            each(Quantity::Surfaces, md3.surface_count(), md3.offset() + 84, format_args!("/surfaces"));
            for surface in md3.surfaces() {
                let (index, offset) = (surface.index(), surface.offset());
                let pointer = format_args!("/surfaces/{index}/vertices");
                each(Quantity::Vertices, surface.vertex_count(), offset + 80, pointer);
                let pointer = format_args!("/surfaces/{index}/triangles");
                each(Quantity::Triangles, surface.triangle_count(), offset + 84, pointer);
                let bytes = surface.name().as_bytes().len();
                each(Quantity::NameBytes, bytes, offset + 4, format_args!("/surfaces/{index}/name"));
                for (number, shader) in surface.shaders().enumerate() {
                    let pointer = format_args!("/surfaces/{index}/shaders/{number}");
                    each(Quantity::NameBytes, shader.name.as_bytes().len(), shader.offset, pointer);
                }
            }
        }
        Document::Unreal(unreal) => {
            each(Quantity::Vertices, unreal.vertex_count(), 2, format_args!("/vertices"));
            let bytes = unreal.vertex_encoding().size() as usize;
            each(Quantity::VertexBytes, bytes, 2, format_args!("/vertices"));
            let textures = unreal.geometry().textures();
            let count = textures.iter().max().map_or(0, |most| usize::from(most) + 1);
            each(Quantity::Textures, count, 0, format_args!("/triangles"));
        }
        Document::UnigineMesh(mesh) => {
            each(Quantity::Surfaces, mesh.surface_count(), 0, format_args!("/surfaces"))
        }
        _ => {}
    }
}

/// What engines do with files that have a finding of this code, as one line; `None` if no profile has a word about it.
pub(crate) fn about(code: &str) -> Option<String> {
    let mut known: Vec<(String, Vec<&str>)> = Vec::new();
    for engine in &*ENGINES {
        for reads in engine.formats.values() {
            let limit = general(code).and_then(|quantity| reads.limits.get_key_value(&quantity));
            let limit = limit.map(|(quantity, Limit { most, then, .. })| {
                format!("at most {most} {quantity}, or it {}", then.as_deref().unwrap_or(REFUSES))
            });
            let refused = reads.refuses.contains_key(code).then(|| REFUSES.to_owned());
            for what in limit.into_iter().chain(refused) {
                match known.iter_mut().find(|(known, _)| *known == what) {
                    Some((_, names)) => names.push(&engine.name),
                    None => known.push((what, vec![&engine.name])),
                }
            }
        }
    }
    let texts: Vec<String> =
        known.iter().map(|(what, names)| format!("{}: {what}", names.join(", "))).collect();
    (!texts.is_empty()).then(|| format!("{}.", texts.join("; ")))
}

/// The option that does what the remedy of this code says.
pub(crate) const fn option(code: &str) -> Option<&'static str> {
    match general(code) {
        Some(Quantity::Vertices | Quantity::Triangles) => {
            Some("`meshlens convert --engine NAME` splits the surfaces of an MD3.")
        }
        Some(Quantity::NameBytes) => Some("`meshlens convert` does it."),
        _ => None,
    }
}

/// What an engine does with more than it reads, unless its profile says otherwise.
const REFUSES: &str = "refuses the file";

/// The facts of a profile, one a line.
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (engine): {}", self.name, self.version)?;
        if self.formats.is_empty() {
            writeln!(f, "\nreads none of the formats")?;
        }
        for (format, reads) in &self.formats {
            writeln!(f, "\nreads {format}{}:", if reads.native { ", the format of its games" } else { "" })?;
            for (quantity, Limit { most, then, source }) in &reads.limits {
                let then = then.as_deref().unwrap_or(REFUSES);
                writeln!(f, "- at most {most} {quantity}; with more, it {then} ({source})")?;
            }
            for (code, source) in &reads.refuses {
                writeln!(f, "- refuses a file with {code} ({source})")?;
            }
            for Ignored { what, source } in &reads.ignores {
                writeln!(f, "- ignores {what} ({source})")?;
            }
            for (what, names) in [("images", &reads.images), ("skins", &reads.skins)] {
                if let Some(Names { names, source }) = names {
                    writeln!(f, "- {what}: {names} ({source})")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
