//! The arguments, as clap parses them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use meshlens_census::Columns;

/// Tables of many game models
#[derive(Debug, Parser)]
#[command(name = "meshlens-census", bin_name = "meshlens", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Census(Box<Census>),
    List(List),
}

/// Write a table of many models as Parquet files: formats, counts, bounds, hashes, clips and findings
///
/// The output folder gets one Parquet file for each part of the list of files, and _SUCCESS at the end. A file that is
/// not a model, or cannot be read, becomes a row with the reason. A run that was killed continues when the same command
/// runs again: incomplete parts never appear, and only missing parts are made.
///
/// Exit status: 0 if the table is complete, even if files could not be read; 1 if verify finds a difference; 2 if the
/// table cannot be made.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Census {
    #[command(subcommand)]
    pub(crate) check: Option<Check>,
    #[command(flatten)]
    pub(crate) source: Source,
    /// The columns to fill, separated by commas; the others are null
    ///
    /// "headers" stands for the columns that need no arrays. With only such columns, large objects are not read
    /// completely. "all" stands for all columns except details, arrays and seconds, the time of decoding.
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub(crate) columns: String,
}

/// The files, and the output.
#[derive(Args, Debug)]
pub(crate) struct Source {
    /// Files, folders, archives, or URLs: s3://, http://, https://, file://
    ///
    /// Folders, and URLs of S3 that end with /, are searched for files with the names of models and archives.
    #[arg(value_name = "PATH|URL", required_unless_present = "manifest", conflicts_with = "manifest")]
    pub(crate) inputs: Vec<String>,
    /// Read the list of files from a Parquet or CSV file with the columns uri, size and etag
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// The folder to write to
    #[arg(short, long = "output", value_name = "DIR", required = true)]
    pub(crate) output: Option<PathBuf>,
    /// Make every N-th part, starting with part I: the share of one of N machines
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    pub(crate) shard: Option<Shard>,
    /// The number of rows of the list in one part
    #[arg(long, value_name = "N", default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) part_rows: u32,
    #[command(flatten)]
    pub(crate) search: Search,
    /// The number of threads that decode; 0 for one thread per core
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) jobs: usize,
    /// The largest number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) requests: u16,
}

impl Census {
    /// The set of columns.
    pub(crate) fn columns(&self) -> crate::stop::Result<Columns> {
        self.columns.parse().map_err(|error: String| crate::stop::Stop(format!("--columns: {error}")))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Check {
    Verify(Verify),
    Convert(Box<Products>),
    Thumb(Box<Products>),
}

/// Make a file of each model, packed, with a row that has its losses or the reason for its absence
///
/// convert writes GLB files, and thumb writes pictures in PNG. The table has the columns of a census, and product,
/// product_size, losses and content. A run that was killed can be continued, like a census.
#[derive(Args, Debug)]
pub(crate) struct Products {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Where the files are put: into the column content, or into an archive beside each part
    #[arg(long, value_enum, default_value_t)]
    pub(crate) pack: Pack,
    /// The width and height of pictures
    #[arg(long, value_name = "PIXELS", default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub(crate) size: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pack {
    #[default]
    Parquet,
    Zip,
    Tar,
}

impl Pack {
    /// The extension of a pack beside the table.
    pub(crate) const fn extension(self) -> Option<&'static str> {
        match self {
            Pack::Parquet => None,
            Pack::Zip => Some("zip"),
            Pack::Tar => Some("tar"),
        }
    }
}

/// Compare a table with the list of files: no row lost, none twice
///
/// Files are compared by uri and etag, and the packs of products with the table. Exit status: 0 if the table is complete, 1 if not.
#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// The folder of the table
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// The list of files, for a table that was made by another program
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
}

/// Write the list of the files in a bucket or a folder, for census --manifest
///
/// Buckets are listed by many concurrent requests, one for each folder. The list has the columns uri, size and etag.
#[derive(Args, Debug)]
pub(crate) struct List {
    /// A URL such as s3://bucket/models/, or a folder
    #[arg(value_name = "URL|PATH", required = true)]
    pub(crate) inputs: Vec<String>,
    /// The Parquet file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) search: Search,
    /// The largest number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) requests: u16,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Search {
    /// List all files in folders, not only files with the names of models and archives
    #[arg(long)]
    pub(crate) all: bool,
}

/// One of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

impl Shard {
    fn parse(text: &str) -> Result<Shard, String> {
        let shard = text.split_once('/').and_then(|(index, count)| {
            Some(Shard { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        shard
            .filter(|shard| shard.index < shard.count)
            .ok_or_else(|| "write 0/4 for the first of four".into())
    }

    /// Whether this machine makes a part.
    pub(crate) const fn has(self, part: usize) -> bool {
        part % self.count == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;

        Arguments::command().debug_assert();
    }

    #[test]
    fn every_part_belongs_to_one_shard() {
        assert_eq!(Shard::parse("1/3"), Ok(Shard { index: 1, count: 3 }));
        for wrong in ["3/3", "1", "a/b", "0/0", "-1/2"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
        let shards = (0..3).map(|index| Shard { index, count: 3 });
        assert_eq!(shards.filter(|shard| shard.has(7)).collect::<Vec<_>>(), [Shard { index: 1, count: 3 }]);
    }
}
