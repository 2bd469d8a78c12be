//! Backends for URLs.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig,
};
use url::{Position, Url};

use super::{ObjectStoreBackend, ObjectStoreOptions};
use crate::FileName;

/// How a server is talked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteOptions {
    /// The most requests at one time, and which ranges are joined.
    pub store: ObjectStoreOptions,
    /// The longest that a request may take, from its beginning to the last byte of the answer.
    pub timeout: Duration,
    /// The longest that a connection may take.
    pub connect_timeout: Duration,
    /// The most times that a request is made again: after errors of the server (5xx), of the connection, and timeouts.
    pub retries: usize,
    /// After so much time, a request is not made again.
    pub retry_timeout: Duration,
}

impl Default for RemoteOptions {
    /// 30 seconds for a request and 5 for a connection; 4 retries in the first minute.
    fn default() -> Self {
        RemoteOptions {
            store: ObjectStoreOptions::default(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            retries: 4,
            retry_timeout: Duration::from_secs(60),
        }
    }
}

/// Why a URL cannot be opened. Nothing was asked of a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// It is no URL.
    #[error("{url}: {error}")]
    Syntax {
        /// The text.
        url: String,
        /// What is wrong.
        error: url::ParseError,
    },
    /// Its scheme is not `http`, `https`, `s3` or `file`, or it has a query.
    #[error("{url}: {reason}")]
    Unsupported {
        /// The URL.
        url: String,
        /// What there is instead.
        reason: &'static str,
    },
    /// Settings that are missing or wrong.
    #[error(transparent)]
    Settings(#[from] object_store::Error),
    /// The system has no thread left.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

/// A backend for the object that a URL names, and the object's name in it: `http://`, `https://`, `s3://bucket/key` and
/// `file:///`. Other objects of the same server or bucket are in the backend too. Asks nothing of a server.
///
/// S3 takes keys, region and endpoint from the environment, as `object_store::aws::AmazonS3Builder::from_env` does:
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ALLOW_HTTP`, `AWS_SKIP_SIGNATURE`.
///
/// # Errors
///
/// [`RemoteError`].
pub fn open_url(url: &str, options: &RemoteOptions) -> Result<(ObjectStoreBackend, FileName), RemoteError> {
    let unsupported = |reason| RemoteError::Unsupported { url: url.into(), reason };
    let parsed = Url::parse(url).map_err(|error| RemoteError::Syntax { url: url.into(), error })?;
    if parsed.query().is_some() {
        return Err(unsupported("URLs with a query, such as signed ones, are not supported"));
    }
    let (scheme, path) =
        ObjectStoreScheme::parse(&parsed).map_err(|error| RemoteError::Settings(error.into()))?;
    if path.as_ref().is_empty() {
        return Err(unsupported("names no object"));
    }
    let retry = RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: options.retries,
        retry_timeout: options.retry_timeout,
    };
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::Local => Arc::new(LocalFileSystem::new()),
        ObjectStoreScheme::Http => {
            let client = ClientOptions::new()
                .with_timeout(options.timeout)
                .with_connect_timeout(options.connect_timeout)
                .with_allow_http(parsed.scheme() == "http");
            let server = &parsed[..Position::BeforePath];
            let builder = HttpBuilder::new().with_url(server).with_client_options(client);
            Arc::new(builder.with_retry(retry).build()?)
        }
        ObjectStoreScheme::AmazonS3 => {
            let key = AmazonS3ConfigKey::Client;
            let seconds = |time: Duration| format!("{}ms", time.as_millis());
            let builder = AmazonS3Builder::from_env()
                .with_url(url)
                .with_config(key(ClientConfigKey::Timeout), seconds(options.timeout))
                .with_config(key(ClientConfigKey::ConnectTimeout), seconds(options.connect_timeout));
            Arc::new(builder.with_retry(retry).build()?)
        }
        _ => return Err(unsupported("only http, https, s3 and file URLs are supported")),
    };
    Ok((ObjectStoreBackend::new(store, options.store)?, path.as_ref().into()))
}
