//! Where the files of the world are read from.

use std::error::Error;
use std::sync::Arc;

use meshlens_assets::Assets;
use meshlens_source::Folder;
use meshlens_stream::backend::{AssetsBackend, Backend, Description, Read};
use meshlens_stream::{FileName, Known};

use crate::run::Mode;
use crate::world::World;

/// Opens models by name. Reads from the search path, or from a server on this machine that has the same files.
pub(crate) struct Source {
    names: AssetsBackend,
    server: Option<Arc<dyn Backend>>,
}

impl Source {
    /// `None` if the example is built without the feature that the source needs.
    pub(crate) fn new(world: &World, mode: Mode) -> Result<Option<Source>, Box<dyn Error>> {
        let mut assets = Assets::new();
        match mode {
            Mode::Whole | Mode::Files => assets.mount_folder(world.folder())?,
            Mode::Archive => assets.mount_archive(world.archive())?,
            Mode::Pack => assets.mount_archive(world.pack())?,
            // Without a name, files are named as on the server.
            Mode::Http | Mode::S3 => assets.mount("", Folder::open(world.folder())?),
        }
        let server = match mode.is_remote() {
            true => match server(world, mode)? {
                Some(server) => Some(server),
                None => return Ok(None),
            },
            false => None,
        };
        Ok(Some(Source { names: AssetsBackend::new(assets, 4)?, server }))
    }

    fn reads(&self) -> &dyn Backend {
        self.server.as_deref().unwrap_or(&self.names)
    }
}

impl Backend for Source {
    fn begin(&self, read: Read) {
        self.reads().begin(read);
    }

    fn max_reads(&self) -> usize {
        self.reads().max_reads()
    }

    fn describe(&self, file: &FileName) -> Description {
        self.reads().describe(file)
    }

    fn known(&self, files: &[FileName]) -> Option<Known> {
        self.reads().known(files)
    }
}

impl AsRef<AssetsBackend> for Source {
    fn as_ref(&self) -> &AssetsBackend {
        &self.names
    }
}

#[cfg(not(feature = "object-store"))]
fn server(_: &World, _: Mode) -> Result<Option<Arc<dyn Backend>>, Box<dyn Error>> {
    Ok(None)
}

/// A server whose answers come 20 ms late, and its client.
#[cfg(feature = "object-store")]
fn server(world: &World, mode: Mode) -> Result<Option<Arc<dyn Backend>>, Box<dyn Error>> {
    use meshlens_stream::backend::{ObjectStoreBackend, ObjectStoreOptions, RemoteOptions, open_url};
    use meshlens_testkit::server::{Asked, Reply, Server};
    use object_store::aws::AmazonS3Builder;

    let folder = world.folder().to_owned();
    let server = Server::new(move |asked: &Asked| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        // S3 names the bucket first.
        match std::fs::read(folder.join(asked.path.trim_start_matches("/world").trim_start_matches('/'))) {
            Ok(file) => Reply::sound(asked, &file)
                .with("ETag", "\"1\"")
                .with("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
            Err(_) => Reply::status("404 Not Found"),
        }
    });
    if mode == Mode::Http {
        let (client, _) = open_url(&format!("{}/x", server.url), &RemoteOptions::default())?;
        return Ok(Some(Arc::new(client)));
    }
    let bucket = AmazonS3Builder::new()
        .with_endpoint(&server.url)
        .with_allow_http(true)
        .with_bucket_name("world")
        .with_region("us-east-1")
        .with_access_key_id("any")
        .with_secret_access_key("any")
        .build()?;
    Ok(Some(Arc::new(ObjectStoreBackend::new(Arc::new(bucket), ObjectStoreOptions::default())?)))
}
