//! `meshlens plan`: the parts of models, with their byte ranges and sizes.

use std::io::{self, Write};

use meshlens::Parts;
use meshlens::part::{Part, PartInfo};
use meshlens::wire::{ErrorKind, Piece, PieceList, Pieces};
use meshlens_assets::LoadedFiles;
use serde::Serialize;

use crate::args::{Plan, ReportFormat};
use crate::failure::Failure;
use crate::inputs::{self, Items, Stdin, Takes};
use crate::item::Item;
use crate::json;
use crate::remote::{self, NoHeaders, Remotes};
use crate::status::Status;
use crate::table::{self, Column};
use crate::terminal::{self, Output, escape, terminal_width, told};
use crate::{batch, errors};

/// The width of lines if the output is not a terminal.
const WIDTH: usize = 80;

pub(crate) fn run(arguments: &Plan, out: &mut Output) -> io::Result<Status> {
    let Some(assets) = told(inputs::assets(&arguments.root, None)) else { return Ok(Status::Failed) };
    let Some(remotes) = told(Remotes::new(&arguments.servers)) else { return Ok(Status::Failed) };
    let stdin = Stdin::default();
    let paths = Box::new(arguments.paths.iter().cloned().map(Ok));
    let mut items = Items::new(&assets, paths, Takes::GameFormats, &stdin).with_remotes(&remotes);
    let (mut status, mut count) = (Status::Fine, 0);
    for item in items.by_ref() {
        count += 1;
        let planned =
            terminal::catch(|| if item.is_remote { plan_url(&remotes, &item) } else { plan(&item) });
        let panicked = |what: String| Err(Failure::system(format!("{}: {what}", item.uri)));
        match planned.unwrap_or_else(panicked) {
            Ok(located) => located.print(arguments, out)?,
            Err(failure) => status = status.max(failure.tell()),
        }
    }
    Ok(status.max(batch::none_found(count, items.status())))
}

/// The parts of a model whose files are read.
fn plan(item: &Item) -> Result<Located, Failure> {
    if item.is_half() {
        return Err(Failure::system(format!("{}: {}", item.uri, item.missing_half())));
    }
    let files = item.located.load(None).map_err(|error| Failure::system(errors::asset(&error)))?;
    if let Some(format) = item.skipped(&files) {
        return Err(Failure::skipped(&item.uri, format));
    }
    Located::of(&item.uri, &files).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::Encrypted { .. } => "encrypted files are read whole".into(),
            _ => errors::model(&item.uri, &files, &error),
        };
        Failure::input(format_args!("{}: {reason}", item.uri))
    })
}

/// The parts of a model at a URL, whose headers are read.
fn plan_url(remotes: &Remotes, item: &Item) -> Result<Located, Failure> {
    match remotes.headers(item) {
        Ok(Ok(headers)) => Ok(Located::of_url(&item.uri, &headers)),
        Ok(Err(format)) => Err(Failure::skipped(&item.uri, format)),
        Err(NoHeaders(failure, _)) => {
            let message = format!("{}: {}", item.uri, failure.message);
            Err(Failure { message, ..failure })
        }
    }
}

/// A model with known parts.
#[derive(Serialize)]
struct Located {
    uri: String,
    format: &'static str,
    version: String,
    files: Vec<File>,
    meshes: usize,
    levels_of_detail: usize,
    /// Set only for a URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_read: Option<u64>,
    parts: Vec<Listed>,
}

#[derive(Serialize)]
struct File {
    name: String,
    bytes: u64,
}

/// A part, or several frames of a mesh.
#[derive(Serialize)]
struct Listed {
    part: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<u32>,
    ranges: Vec<Range>,
    stored_bytes: u64,
    decoded_bytes: u64,
    needs: Vec<&'static str>,
}

#[derive(Clone, Copy, Serialize)]
struct Range {
    file: usize,
    start: u64,
    end: u64,
}

impl Located {
    /// The parts of files that are in memory.
    fn of(uri: &str, files: &LoadedFiles) -> meshlens::Result<Self> {
        let whole: Vec<Vec<Piece<'_>>> = files
            .bytes()
            .iter()
            .map(|bytes| if bytes.is_empty() { Vec::new() } else { vec![Piece { offset: 0, bytes }] })
            .collect();
        let lists: Vec<PieceList<'_>> = whole
            .iter()
            .zip(files.bytes())
            .filter_map(|(pieces, bytes)| PieceList::new(pieces, bytes.len() as u64))
            .collect();
        let pieces: Vec<&dyn Pieces> = lists.iter().map(|list| list as &dyn Pieces).collect();
        let parts = Parts::locate_pieces(&pieces)?;
        let version = parts.bind_pieces(&pieces)?.version();
        let found = files.files();
        let names = found.files().into_iter().map(ToString::to_string);
        let files = names.zip(files.bytes()).map(|(name, bytes)| File { name, bytes: bytes.len() as u64 });
        Ok(Self::new(uri, &parts, version, files.collect(), None))
    }

    fn of_url(uri: &str, headers: &remote::Headers) -> Self {
        let plan = headers.model.plan();
        let files = headers.names.iter().zip(plan.file_lens());
        let files = files.map(|(name, bytes)| File { name: name.clone(), bytes: *bytes }).collect();
        Self::new(uri, plan.located(), plan.version(), files, Some(headers.bytes_read))
    }

    fn new(uri: &str, parts: &Parts, version: String, files: Vec<File>, bytes_read: Option<u64>) -> Self {
        Located {
            uri: uri.into(),
            format: parts.format().name(),
            version,
            files,
            meshes: parts.mesh_count(),
            levels_of_detail: parts.lod_count(),
            bytes_read,
            parts: parts.parts().filter_map(|part| parts.part(part)).map(|part| Listed::new(&part)).collect(),
        }
    }

    fn print(&self, arguments: &Plan, out: &mut Output) -> io::Result<()> {
        if arguments.format == ReportFormat::Json {
            json::write(out, self)?;
            return writeln!(out);
        }
        let bytes: u64 = self.files.iter().map(|file| file.bytes).sum();
        let meshes = if self.meshes == 1 { "mesh" } else { "meshes" };
        let mut title = format!("{} {}, {bytes} bytes, {} {meshes}", self.format, self.version, self.meshes);
        if self.levels_of_detail > 1 {
            title += &format!(", {} levels of detail", self.levels_of_detail);
        }
        if let Some(read) = self.bytes_read {
            title += &format!(", {read} bytes read");
        }
        writeln!(out, "{}", self.uri)?;
        writeln!(out, "{title}")?;
        if self.files.len() > 1 {
            for (number, file) in self.files.iter().enumerate() {
                writeln!(out, "file {number}: {}, {} bytes", file.name, file.bytes)?;
            }
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut parts = self.parts.iter().peekable();
        while let Some(first) = parts.next() {
            let mut last = first;
            while !arguments.all
                && let Some(next) = parts.next_if(|next| first.is_like(next))
            {
                last = next;
            }
            rows.push(Listed::row(first, last).into());
        }
        for line in table::lines(&COLUMNS, &rows, Some(terminal_width().unwrap_or(WIDTH))) {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }
}

const COLUMNS: [Column; 5] = [
    Column { name: "part", is_number: false, rank: None },
    Column { name: "range", is_number: false, rank: None },
    Column { name: "stored", is_number: true, rank: None },
    Column { name: "decoded", is_number: true, rank: Some(2) },
    Column { name: "needs", is_number: false, rank: Some(1) },
];

impl Listed {
    fn new(info: &PartInfo) -> Self {
        let part = info.part();
        let (frame, clip) = match part {
            Part::Frame { frame, .. } => (Some(frame), None),
            Part::Clip { clip } => (None, Some(clip)),
            _ => (None, None),
        };
        let ranges = info.ranges().iter();
        let ranges = ranges.map(|range| Range { file: range.file, start: range.start, end: range.end });
        Listed {
            part: part.kind(),
            mesh: part.mesh(),
            frame,
            clip,
            ranges: ranges.collect(),
            stored_bytes: info.stored_size(),
            decoded_bytes: info.decoded_size(),
            needs: info.needs().iter().map(|part| part.kind()).collect(),
        }
    }

    /// Whether both are frames of the same mesh with the same size.
    fn is_like(&self, other: &Listed) -> bool {
        let what = |listed: &Listed| (listed.part, listed.mesh, listed.stored_bytes, listed.decoded_bytes);
        self.frame.is_some() && what(self) == what(other)
    }

    /// The cells of a part, or of frames from `self` to `last`.
    fn row(&self, last: &Listed) -> [String; 5] {
        let of_mesh = self.mesh.map(|mesh| format!(" of mesh {mesh}")).unwrap_or_default();
        let (name, count) = match (self.frame, last.frame, self.clip) {
            (Some(first), Some(last), _) if first < last => {
                (format!("frames {first} to {last}{of_mesh}"), u64::from(last - first) + 1)
            }
            (Some(frame), ..) => (format!("frame {frame}{of_mesh}"), 1),
            (_, _, Some(clip)) => (format!("clip {clip}"), 1),
            _ => (format!("{}{of_mesh}", self.part), 1),
        };
        let start = self.ranges.first();
        // A part in two files is shown with its ranges in the first one.
        let end = start.and_then(|start| last.ranges.iter().rfind(|range| range.file == start.file));
        let range = match (start, end) {
            (Some(start), Some(end)) => {
                let file = if start.file > 0 { format!("{}:", start.file) } else { String::new() };
                let more = if self.ranges.len() > 1 { "*" } else { "" };
                format!("{file}{:#x}..{:#x}{more}", start.start, end.end)
            }
            _ => String::new(),
        };
        let size = |bytes: u64| if count > 1 { format!("{count} x {bytes}") } else { bytes.to_string() };
        [name, range, size(self.stored_bytes), size(self.decoded_bytes), escape(&self.needs.join(", "))]
    }
}
