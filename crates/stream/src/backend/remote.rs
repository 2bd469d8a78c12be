//! Backends for URLs.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStoreScheme, RetryConfig};
use rustls::crypto::{CryptoProvider, ring};
use url::{Position, Url};

use meshlens_source::RangeCache;

use super::connection::Connector;
use super::{ObjectStoreBackend, ObjectStoreOptions};
use crate::FileName;

/// Options of the connection to a server.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The maximum number of concurrent requests, and the ranges that are joined.
    pub store: ObjectStoreOptions,
    /// The time limit of a request, from its beginning to the last byte of the response.
    pub timeout: Duration,
    /// The time limit for establishing a connection.
    pub connect_timeout: Duration,
    /// The maximum number of retries of a request after errors of the server (5xx), errors of the connection, and
    /// timeouts.
    pub retries: usize,
    /// The time after which a request is no longer retried.
    pub retry_timeout: Duration,
    /// Whether redirects to other hosts are followed. Redirects to the same host and port, and from `http` to `https`,
    /// are always followed. A server that may redirect to any host reaches servers that only this machine can reach.
    pub allows_redirects: bool,
    /// A cache on the disk for ranges of objects, as [`ObjectStoreBackend::with_cache`] describes; not for `file:///`.
    pub cache: Option<RangeCache>,
}

impl Default for RemoteOptions {
    /// 30 seconds for a request and 5 for a connection; 4 retries in the first minute; no redirects to other hosts; no cache.
    fn default() -> Self {
        RemoteOptions {
            store: ObjectStoreOptions::default(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            retries: 4,
            retry_timeout: Duration::from_secs(60),
            allows_redirects: false,
            cache: None,
        }
    }
}

/// The error for a URL that cannot be opened. No request was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The text is not a URL.
    #[error("{url}: {error}")]
    Syntax {
        /// The text.
        url: String,
        /// The reason.
        error: url::ParseError,
    },
    /// The scheme is not `http`, `https`, `s3` or `file`, or it has a query.
    #[error("{url}: {reason}")]
    Unsupported {
        /// The URL.
        url: String,
        /// The reason.
        reason: &'static str,
    },
    /// Settings are missing or invalid.
    #[error(transparent)]
    Settings(#[from] object_store::Error),
    /// The system cannot start a thread.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

/// Returns a backend for the object at a URL, and the name of the object in it. URLs are `http://`, `https://`,
/// `s3://bucket/key` and `file:///`; `s3://bucket/` is a bucket, with an empty name. The backend also contains the other objects of the same server or bucket. No
/// request is sent.
///
/// For S3, keys, region and endpoint are taken from the environment, as by
/// `object_store::aws::AmazonS3Builder::from_env`: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`,
/// `AWS_ENDPOINT`, `AWS_ALLOW_HTTP`, `AWS_SKIP_SIGNATURE`. So are the settings of the client, such as `AWS_TIMEOUT`,
/// `AWS_PROXY_URL` and `AWS_POOL_IDLE_TIMEOUT`, which override [`RemoteOptions`].
///
/// Servers are not trusted: an answer ends at the first byte that was not requested, and [`RemoteOptions`] decide about
/// redirects to other hosts.
///
/// TLS connections use the default `rustls::crypto::CryptoProvider` of the process. If none is installed, the first call
/// for a server installs `ring`. A program that installs another provider must do so before that call.
///
/// # Errors
///
/// [`RemoteError`].
pub fn open_url(url: &str, options: &RemoteOptions) -> Result<(ObjectStoreBackend, FileName), RemoteError> {
    let (parsed, scheme, name) = parse(url)?;
    Ok((backend(url, &parsed, scheme, options)?, name))
}

/// The servers and buckets of URLs. Each has one backend and therefore one client, which reuses its connections.
/// [`ObjectStoreOptions::max_reads`] applies to all of its URLs together.
pub struct Remotes {
    options: RemoteOptions,
    backends: Mutex<HashMap<Box<str>, Arc<ObjectStoreBackend>>>,
}

impl Remotes {
    /// Makes an empty set of servers.
    pub fn new(options: RemoteOptions) -> Self {
        Remotes { options, backends: Mutex::default() }
    }

    /// Like [`open_url`], but returns the backend of an earlier URL of the same server or bucket.
    ///
    /// # Errors
    ///
    /// Same as [`open_url`].
    pub fn open(&self, url: &str) -> Result<(Arc<ObjectStoreBackend>, FileName), RemoteError> {
        let (parsed, scheme, name) = parse(url)?;
        let server = &parsed[..Position::BeforePath];
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = backends.get(server) {
            return Ok((known.clone(), name));
        }
        let opened = Arc::new(backend(url, &parsed, scheme, &self.options)?);
        backends.insert(server.into(), opened.clone());
        Ok((opened, name))
    }
}

debug_fields!(self, Remotes { options: self.options });

/// The URL, its scheme, and the name of its object.
fn parse(url: &str) -> Result<(Url, ObjectStoreScheme, FileName), RemoteError> {
    let unsupported = |reason| RemoteError::Unsupported { url: url.into(), reason };
    let parsed = Url::parse(url).map_err(|error| RemoteError::Syntax { url: url.into(), error })?;
    if parsed.query().is_some() {
        return Err(unsupported("URLs with a query, such as signed ones, are not supported"));
    }
    let (scheme, path) =
        ObjectStoreScheme::parse(&parsed).map_err(|error| RemoteError::Settings(error.into()))?;
    // A bucket can be listed.
    let is_bucket = matches!(scheme, ObjectStoreScheme::AmazonS3) && url.ends_with('/');
    if path.as_ref().is_empty() && !is_bucket {
        return Err(unsupported("names no object"));
    }
    let name = path.as_ref().into();
    Ok((parsed, scheme, name))
}

fn backend(
    url: &str,
    parsed: &Url,
    scheme: ObjectStoreScheme,
    options: &RemoteOptions,
) -> Result<ObjectStoreBackend, RemoteError> {
    let unsupported = |reason| RemoteError::Unsupported { url: url.into(), reason };
    let retry = RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: options.retries,
        retry_timeout: options.retry_timeout,
    };
    let connector = Connector {
        allows_redirects: options.allows_redirects,
        timeout: options.timeout,
        connect_timeout: options.connect_timeout,
    };
    let cached = |backend: ObjectStoreBackend, endpoint: &str| match &options.cache {
        Some(cache) => {
            // Without a user and a password.
            let server = &parsed[Position::BeforeHost..Position::BeforePath];
            backend.with_cache(cache.clone(), &format!("{endpoint}{}://{server}", parsed.scheme()))
        }
        None => backend,
    };
    Ok(match scheme {
        ObjectStoreScheme::Local => ObjectStoreBackend::new(Arc::new(LocalFileSystem::new()), options.store)?,
        ObjectStoreScheme::Http => {
            ensure_crypto_provider();
            let client = ClientOptions::new().with_allow_http(parsed.scheme() == "http");
            let server = &parsed[..Position::BeforePath];
            let builder = HttpBuilder::new().with_url(server).with_client_options(client);
            let store = builder.with_retry(retry).with_http_connector(connector).build()?;
            cached(ObjectStoreBackend::new(Arc::new(store), options.store)?.without_lists(), "")
        }
        ObjectStoreScheme::AmazonS3 => {
            ensure_crypto_provider();
            let builder = AmazonS3Builder::from_env().with_url(url).with_retry(retry);
            let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint).unwrap_or_default();
            let allow = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
            let allows = builder.get_config_value(&allow).unwrap_or_default().to_ascii_lowercase();
            if endpoint.starts_with("http://") && !["1", "true", "on", "yes", "y"].contains(&&*allows) {
                return Err(unsupported(
                    "the endpoint is an http URL; the setting AWS_ALLOW_HTTP=true permits connections without encryption",
                ));
            }
            let store = Arc::new(builder.with_http_connector(connector).build()?);
            let backend = ObjectStoreBackend::new(store.clone(), options.store)?.with_pages(store);
            let endpoint = if endpoint.is_empty() { endpoint } else { format!("{endpoint} ") };
            cached(backend, &endpoint)
        }
        _ => return Err(unsupported("only http, https, s3 and file URLs are supported")),
    })
}

/// `reqwest` panics if the process has no default provider, even for connections without TLS.
fn ensure_crypto_provider() {
    if CryptoProvider::get_default().is_none() {
        // An error means that another thread has installed a provider in the meantime.
        let _ = ring::default_provider().install_default();
    }
}
