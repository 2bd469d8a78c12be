//! A small HTTP server whose answers the test determines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// A request for a file, and its number.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) number: usize,
    pub(crate) path: String,
    pub(crate) range: Option<Range<u64>>,
    pub(crate) if_match: Option<String>,
}

/// The answer of the server.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// The length that the header states.
    stated_len: usize,
    /// Whether the server answers at all.
    is_given: bool,
}

impl Reply {
    pub(crate) fn status(status: &'static str) -> Reply {
        let body = b"as the test wants it".to_vec();
        Reply { status, headers: Vec::new(), stated_len: body.len(), body, is_given: true }
    }

    /// The answer with a whole file.
    pub(crate) fn whole(file: &[u8]) -> Reply {
        Reply { body: file.to_vec(), stated_len: file.len(), ..Reply::status("200 OK") }
    }

    /// The answer of a correct server.
    pub(crate) fn sound(asked: &Asked, file: &[u8]) -> Reply {
        let Some(range) = asked.range.clone() else { return Reply::whole(file) };
        let end = range.end.min(file.len() as u64);
        if range.start >= end {
            return Reply::status("416 Range Not Satisfiable");
        }
        let content_range = format!("bytes {}-{}/{}", range.start, end - 1, file.len());
        let whole = Reply::whole(&file[range.start as usize..end as usize]);
        Reply { status: "206 Partial Content", ..whole }.with("Content-Range", content_range)
    }

    /// Adds a header, or replaces the header with this name.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Closes the connection after this many bytes of the body.
    pub(crate) fn cut(mut self, len: usize) -> Reply {
        self.body.truncate(len);
        self
    }

    /// Shortens the body to this many bytes, which the header states.
    pub(crate) fn shorter(mut self, len: usize) -> Reply {
        self.body.truncate(len);
        self.stated_len = self.body.len();
        self
    }

    /// No answer: the client waits until it closes the connection.
    pub(crate) fn never() -> Reply {
        Reply { is_given: false, ..Reply::status("200 OK") }
    }
}

/// The server. Its thread ends with the process.
pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// A server on a free port of the loopback interface.
    pub(crate) fn new(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (asked.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (log.clone(), answer.clone());
                // The client may close its end at any time.
                std::thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Server { url, asked }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Asked>>,
    answer: &dyn Fn(&Asked) -> Reply,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or(Ok(String::new()))?;
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut asked = Asked { number: 0, path, range: None, if_match: None };
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "range" => {
                let (start, last) = value.trim_start_matches("bytes=").split_once('-').unwrap();
                asked.range = Some(start.parse().unwrap()..last.parse::<u64>().unwrap() + 1);
            }
            "if-match" => asked.if_match = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut log = log.lock().unwrap();
    asked.number = log.len();
    log.push(asked.clone());
    drop(log);
    let reply = answer(&asked);
    if !reply.is_given {
        return stream.read_exact(&mut [0]);
    }
    write!(stream, "HTTP/1.1 {}\r\nContent-Length: {}\r\n", reply.status, reply.stated_len)?;
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "Connection: close\r\n\r\n")?;
    stream.write_all(&reply.body)
}
