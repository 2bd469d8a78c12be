//! `meshlens census convert` and `thumb`: packed files that are made from models, and rows about them.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use meshlens::scene::Scene;
use meshlens_census::{Product, Row, Status, product_schema, schema, to_batch, to_product_batch};
use meshlens_gltf::Export;
use meshlens_source::AtomicFile;
use meshlens_thumb::picture;
use parquet::arrow::ArrowWriter;
use zip::ZipWriter;
use zip::write::{SimpleFileOptions, StreamWriter};

use crate::args::{Pack, Products};
use crate::part::{self, GROUP_ROWS};
use crate::stop::{Result, Stop};

/// The largest product. A column of contents has at most 2 GiB.
const LARGEST: usize = 1 << 30;

/// The kind of product that is made from models.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Make {
    Glb,
    Thumb { size: u32 },
}

/// The output that is written for a part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Output {
    Table,
    Products(Make, Pack),
}

impl Output {
    pub(crate) const fn make(self) -> Option<Make> {
        match self {
            Output::Table => None,
            Output::Products(make, _) => Some(make),
        }
    }

    /// The largest number of concurrent tasks. Products are in memory until the previous ones are written.
    pub(crate) const fn most_tasks(self) -> usize {
        match self {
            Output::Table => usize::MAX,
            Output::Products(..) => 32,
        }
    }
}

impl Make {
    pub(crate) fn of(arguments: &Products, is_thumb: bool) -> Make {
        if is_thumb { Make::Thumb { size: arguments.size } } else { Make::Glb }
    }

    const fn extension(self) -> &'static str {
        match self {
            Make::Glb => "glb",
            Make::Thumb { .. } => "png",
        }
    }

    /// Makes the product of a model, or the fault of its row.
    pub(crate) fn visit(self, row: &mut Row, scene: &Scene<'_>) {
        let made = match self {
            Make::Glb => glb(scene).map_err(|error| error.to_string()),
            Make::Thumb { size } => thumb(scene, size).map_err(|error| error.to_string()),
        };
        match made {
            Ok(product) if product.bytes.len() <= LARGEST => row.product = Some(product),
            Ok(_) => row.fail(Status::Incomplete, ("LIMIT", None), "the product has more than 1 GiB"),
            Err(error) => row.fail(Status::Incomplete, ("NOT_MADE", None), &error),
        }
    }
}

fn glb(scene: &Scene<'_>) -> std::result::Result<Product, meshlens_gltf::Error> {
    let export = Export::plan(scene, &meshlens_gltf::Options::default())?;
    let mut bytes = Vec::new();
    export.write_glb(&mut bytes)?;
    let losses = export.losses().groups().map(|group| (group.code.name, group.code.severity, group.count));
    Ok(Product { bytes, losses: losses.collect() })
}

fn thumb(scene: &Scene<'_>, size: u32) -> std::result::Result<Product, meshlens_thumb::Error> {
    let options = meshlens_thumb::Options { size, ..meshlens_thumb::Options::default() };
    let mut bytes = Vec::new();
    picture(scene, &options)?.write_png(&mut bytes)?;
    Ok(Product { bytes, losses: Vec::new() })
}

/// The destination of products.
enum Packer {
    /// Into the table.
    Table,
    Zip(Box<ZipWriter<StreamWriter<AtomicFile>>>),
    Tar(Box<tar::Builder<AtomicFile>>),
}

/// A part that is being written.
pub(crate) struct Sink {
    writer: ArrowWriter<AtomicFile>,
    output: Output,
    packer: Packer,
    /// The path of the pack.
    pack: PathBuf,
    /// The number of products.
    products: usize,
}

impl Sink {
    /// Starts the table of a part, and the pack beside it.
    pub(crate) fn create(path: &Path, output: Output) -> Result<Sink> {
        let schema = if matches!(output, Output::Table) { schema() } else { product_schema() };
        let writer = part::writer(AtomicFile::create(path, true)?, schema, GROUP_ROWS)?;
        let extension = if let Output::Products(_, pack) = output { pack.extension() } else { None };
        let pack = path.with_extension(extension.unwrap_or_default());
        let packer = match output {
            Output::Products(_, Pack::Zip) => {
                Packer::Zip(Box::new(ZipWriter::new_stream(AtomicFile::create(&pack, true)?)))
            }
            Output::Products(_, Pack::Tar) => {
                Packer::Tar(Box::new(tar::Builder::new(AtomicFile::create(&pack, true)?)))
            }
            Output::Table | Output::Products(_, Pack::Parquet) => Packer::Table,
        };
        Ok(Sink { writer, output, packer, pack, products: 0 })
    }

    /// Writes rows and their products.
    pub(crate) fn write(&mut self, rows: &[Row]) -> Result<()> {
        let batch = match self.output {
            Output::Table => to_batch(rows),
            Output::Products(make, pack) => self.pack(rows, make, pack)?,
        };
        let path = self.writer.inner().path().to_owned();
        self.writer.write(&batch).map_err(Stop::at(&path))
    }

    fn pack(&mut self, rows: &[Row], make: Make, pack: Pack) -> Result<RecordBatch> {
        let mut names = Vec::new();
        for row in rows {
            let Some(product) = &row.product else {
                names.push(None);
                continue;
            };
            let name = format!("{:06}-{}.{}", self.products, stem(row), make.extension());
            self.products += 1;
            match &mut self.packer {
                Packer::Table => {}
                Packer::Zip(zip) => {
                    let method = match make {
                        Make::Glb => zip::CompressionMethod::Deflated,
                        // PNG files are compressed already.
                        Make::Thumb { .. } => zip::CompressionMethod::Stored,
                    };
                    let options = SimpleFileOptions::default().compression_method(method);
                    zip.start_file(&*name, options).map_err(Stop::at(&self.pack))?;
                    zip.write_all(&product.bytes).map_err(Stop::at(&self.pack))?;
                }
                Packer::Tar(tar) => {
                    let mut header = tar::Header::new_gnu();
                    header.set_size(product.bytes.len() as u64);
                    header.set_mode(0o644);
                    tar.append_data(&mut header, &name, &*product.bytes).map_err(Stop::at(&self.pack))?;
                }
            }
            names.push(Some(name));
        }
        Ok(to_product_batch(rows, &names, pack == Pack::Parquet))
    }

    /// Moves the pack to its final path, and then the table, whose existence means that the part is complete.
    pub(crate) fn finish(self) -> Result<()> {
        let pack = match self.packer {
            Packer::Table => None,
            Packer::Zip(zip) => Some(zip.finish().map_err(Stop::at(&self.pack))?.into_inner()),
            Packer::Tar(tar) => Some(tar.into_inner().map_err(Stop::at(&self.pack))?),
        };
        if let Some(mut pack) = pack {
            pack.sync()?;
            pack.commit()?;
        }
        part::finish(self.writer)
    }
}

/// The name of a model, with only characters that every file system accepts.
fn stem(row: &Row) -> String {
    let name = row.entry.as_deref().unwrap_or(&row.uri).rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    stem.chars().take(60).map(plain).collect()
}
