//! Servers: their clients, and whether they respond.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use meshlens_census::Status;
use meshlens_stream::backend::{ObjectStoreBackend, RemoteOptions, Remotes};
use meshlens_stream::{Error, FileName};

use crate::fetch::{Fault, REFUSED};
use crate::stop::{Result, Stop};

/// The number of consecutive failures of a server after which it is not asked again.
const MOST_FAILURES: usize = 8;
/// The largest number of bytes of a URL. Clients of servers panic if a URL has 64 KiB, and every byte may become three.
const LONGEST_URL: usize = 8 << 10;
/// The entry of the file system among the servers.
const FILES: &str = "file:";
/// The status and the codes of S3 that are about the credentials instead of one object.
const CREDENTIALS: [&str; 6] = [
    "401 Unauthorized",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
    "AuthorizationHeaderMalformed",
];

/// The servers of URLs, each with one client.
pub(crate) struct Servers {
    remotes: Remotes,
    states: Mutex<HashMap<String, Arc<Server>>>,
}

/// The state of a server.
#[derive(Default)]
pub(crate) struct Server {
    has_answered: AtomicBool,
    failures: AtomicUsize,
    last_failure: Mutex<String>,
}

/// The client of a server, the name of an object, and the state of the server.
pub(crate) type Opened = (Arc<ObjectStoreBackend>, FileName, Arc<Server>);

/// The reason why an object could not be read.
pub(crate) enum Failure {
    /// It does not exist.
    NotFound,
    /// Access to it is denied, or it cannot be read.
    Refused(String),
}

impl Servers {
    /// Clients that retry after errors of the server (5xx), `429 Too Many Requests` and errors of the connection, with
    /// increasing delays, for up to three minutes.
    pub(crate) fn new() -> Servers {
        let retry_timeout = seconds("MESHLENS_CENSUS_RETRY_SECONDS").unwrap_or(Duration::from_secs(180));
        let options = RemoteOptions { retries: 20, retry_timeout, ..RemoteOptions::default() };
        Servers { remotes: Remotes::new(options), states: Mutex::default() }
    }

    /// The client of a URL.
    pub(crate) fn open(&self, url: &str) -> std::result::Result<Opened, String> {
        if url.len() > LONGEST_URL {
            return Err(format!("the URL has {} bytes, and at most {LONGEST_URL} are allowed", url.len()));
        }
        let (backend, name) = self.remotes.open(url).map_err(|error| error.to_string())?;
        let host = url.split('/').take(3).collect::<Vec<_>>().join("/").to_ascii_lowercase();
        Ok((backend, name, self.state(&host)))
    }

    /// The bucket of a URL, and the path of the folder.
    pub(crate) fn bucket(&self, url: &str) -> std::result::Result<(Arc<ObjectStoreBackend>, String), String> {
        let (backend, name) = self.remotes.open(url).map_err(|error| error.to_string())?;
        Ok((backend, name.to_string()))
    }

    fn state(&self, host: &str) -> Arc<Server> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.entry(host.to_owned()).or_default().clone()
    }

    /// Records that a file of the file system is read.
    pub(crate) fn read_file(&self) {
        self.state(FILES).succeed();
    }

    /// Fails if no server answers any more, because rows of nothing but this would be useless.
    pub(crate) fn check(&self) -> Result<()> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.values().find(|server| server.is_down() || server.is_silent()) {
            Some(down) if states.values().all(|server| server.is_down() || server.is_silent()) => {
                let last = down.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
                Err(Stop(format!(
                    "{last}; the server refuses or does not answer; the same command goes on when it does"
                )))
            }
            _ => Ok(()),
        }
    }
}

impl Server {
    /// Records that the server has answered.
    pub(crate) fn succeed(&self) {
        self.has_answered.store(true, Ordering::Relaxed);
        self.failures.store(0, Ordering::Relaxed);
    }

    /// Records the error of a request for an object.
    pub(crate) fn fail(&self, url: &str, error: &Error) -> Failure {
        if error.is_not_found() {
            self.succeed();
            return Failure::NotFound;
        }
        if let Error::TooLong { wanted, .. } = error {
            self.succeed();
            return Failure::Refused(format!("the server states {wanted} bytes, and sends more"));
        }
        let (text, is_denied) = match error {
            Error::Read { reason, kind, .. } => (reason.to_string(), *kind == ErrorKind::PermissionDenied),
            Error::Redirect { to, .. } => (format!("redirects to {to}, another host"), false),
            error => (error.to_string(), false),
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = format!("{url}: {text}");
        let is_wrong = CREDENTIALS.iter().any(|code| text.contains(code));
        if is_denied && !is_wrong && self.has_answered.load(Ordering::Relaxed) {
            // Access to some objects is denied.
            return Failure::Refused(text);
        }
        self.failures.fetch_add(if is_wrong { MOST_FAILURES } else { 1 }, Ordering::Relaxed);
        Failure::Refused(text)
    }

    /// Fails if the server is not asked any more.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        if !self.is_down() {
            return Ok(());
        }
        let last = self.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(format!("the server was not asked again after this failure: {last}"))
    }

    fn is_down(&self) -> bool {
        self.failures.load(Ordering::Relaxed) >= MOST_FAILURES
    }

    fn is_silent(&self) -> bool {
        self.failures.load(Ordering::Relaxed) > 0 && !self.has_answered.load(Ordering::Relaxed)
    }
}

/// Records the error of a request for an object, and returns the fault of its row.
pub(crate) fn failed(server: &Server, url: &str, error: &Error) -> Fault {
    match server.fail(url, error) {
        Failure::NotFound => (Status::Unread, "NOT_FOUND", "there is no such object".into()),
        Failure::Refused(text) => (Status::Unread, REFUSED, text),
    }
}

/// A number of seconds in an environment variable.
fn seconds(name: &str) -> Option<Duration> {
    Some(Duration::from_secs(std::env::var(name).ok()?.parse().ok()?))
}
