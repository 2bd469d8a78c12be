//! A web server for tests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// A web server in this process, which runs until the process ends.
pub(crate) struct Server {
    pub(crate) address: String,
    shared: Arc<Shared>,
}

struct Shared {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The number of requests, and the number of bytes of objects that were sent.
    requests: AtomicUsize,
    sent: AtomicUsize,
    /// The number of zeros after each object.
    zeros: AtomicUsize,
    /// The number of next requests that are answered with this status.
    refused: Mutex<(usize, &'static str)>,
    /// The object to which access is denied.
    denied: Mutex<String>,
    /// Requests with this number or a larger one are not answered.
    last: AtomicUsize,
    reached: Mutex<Sender<()>>,
}

impl Server {
    /// A server of these objects, by their paths.
    pub(crate) fn start(objects: impl IntoIterator<Item = (String, Vec<u8>)>) -> (Server, Receiver<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = channel();
        let shared = Arc::new(Shared {
            objects: Mutex::new(objects.into_iter().collect()),
            requests: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
            zeros: AtomicUsize::new(0),
            refused: Mutex::new((0, "")),
            denied: Mutex::default(),
            last: AtomicUsize::new(usize::MAX),
            reached: Mutex::new(sender),
        });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, shared) = (stream.unwrap(), serving.clone());
                std::thread::spawn(move || drop(shared.serve(&stream)));
            }
        });
        (Server { address, shared }, receiver)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    /// Answers the next requests with a status, such as `503 Slow Down`.
    pub(crate) fn refuse(&self, requests: usize, status: &'static str) {
        *self.shared.refused.lock().unwrap() = (requests, status);
    }

    /// Denies access to an object, whether it exists or not.
    pub(crate) fn deny(&self, path: &str) {
        *self.shared.denied.lock().unwrap() = path.into();
    }

    /// Sends zeros after each object that is requested as a whole.
    pub(crate) fn enlarge(&self, zeros: usize) {
        self.shared.zeros.store(zeros, Ordering::SeqCst);
    }

    /// Answers this many further requests, and then none. The receiver is notified.
    pub(crate) fn answer_only(&self, requests: usize) {
        let now = self.shared.requests.load(Ordering::SeqCst);
        self.shared.last.store(now.saturating_add(requests), Ordering::SeqCst);
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// The number of bytes of objects that were sent since the last call.
    pub(crate) fn take_sent(&self) -> usize {
        self.shared.sent.swap(0, Ordering::SeqCst)
    }
}

impl Shared {
    /// Answers the requests of a connection.
    fn serve(&self, stream: &TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream);
        loop {
            let (mut path, mut range) = (String::new(), None);
            loop {
                let mut line = String::new();
                if lines.by_ref().take(1 << 16).read_line(&mut line)? == 0 {
                    return Ok(());
                }
                let line = line.trim_end();
                if line.is_empty() {
                    break;
                }
                if let Some(rest) = line.strip_prefix("GET /") {
                    path = rest.split(' ').next().unwrap_or_default().into();
                }
                if let Some(rest) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
                    range = rest
                        .split_once('-')
                        .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
                }
            }
            let number = self.requests.fetch_add(1, Ordering::SeqCst);
            if number >= self.last.load(Ordering::SeqCst) {
                let _ = self.reached.lock().unwrap().send(());
                // The connection stays open until the client closes it.
                lines.read_line(&mut String::new())?;
                return Ok(());
            }
            self.answer(stream, &path, range)?;
        }
    }

    fn answer(
        &self,
        mut stream: &TcpStream,
        path: &str,
        range: Option<(usize, usize)>,
    ) -> std::io::Result<()> {
        let refused = {
            let mut refused = self.refused.lock().unwrap();
            refused.0 = refused.0.saturating_sub(1);
            (refused.0 > 0 || !refused.1.is_empty()).then(|| {
                let status = refused.1;
                if refused.0 == 0 {
                    refused.1 = "";
                }
                status
            })
        };
        let denied = (*self.denied.lock().unwrap() == path).then_some("403 Forbidden");
        if let Some(status) = refused.or(denied) {
            return write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        }
        let object = self.objects.lock().unwrap().get(path).cloned();
        let Some(object) = object else {
            return write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        };
        let etag = blake3::hash(&object).to_string();
        let all = object.len();
        let (status, part, place) = match range {
            Some((from, to)) => {
                let end = (to + 1).min(all);
                let place = format!("Content-Range: bytes {from}-{}/{all}\r\n", end - 1);
                ("206 Partial Content", &object[from..end], place)
            }
            None => ("200 OK", &object[..], String::new()),
        };
        self.sent.fetch_add(part.len(), Ordering::SeqCst);
        let zeros = if range.is_none() { self.zeros.load(Ordering::SeqCst) } else { 0 };
        let len = part.len() + zeros;
        write!(stream, "HTTP/1.1 {status}\r\n{place}ETag: \"{etag}\"\r\nContent-Length: {len}\r\n\r\n")?;
        stream.write_all(part)?;
        std::io::copy(&mut std::io::repeat(0).take(zeros as u64), &mut stream).map(drop)
    }
}
