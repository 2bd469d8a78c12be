//! A small HTTP server on the loopback interface, whose answers the test determines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// A request for a file, and its number.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The number of earlier requests.
    pub number: usize,
    /// The path, and a query after a `?`.
    pub path: String,
    /// The header `Range`.
    pub range: Option<Range<u64>>,
    /// The header `If-Match`.
    pub if_match: Option<String>,
    /// The header `If-None-Match`.
    pub if_none_match: Option<String>,
}

impl Asked {
    /// The value of a parameter of the query, with `%2F` decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = self.path.split_once('?')?.1.split('&');
        let value = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        Some(value.replace("%2F", "/"))
    }
}

/// The answer of the server.
#[derive(Clone, Debug)]
pub struct Reply {
    status: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// The length that the header states.
    stated_len: Option<usize>,
    /// Whether the server answers at all.
    is_given: bool,
    /// The number of bytes that are sent at a time.
    portion: usize,
}

impl Reply {
    /// An answer with a status, such as `404 Not Found`.
    pub fn status(status: &'static str) -> Reply {
        let body = b"as the test wants it".to_vec();
        let stated_len = Some(body.len());
        Reply { status, headers: Vec::new(), stated_len, body, is_given: true, portion: usize::MAX }
    }

    /// The answer with a whole file.
    pub fn whole(file: &[u8]) -> Reply {
        Reply { body: file.to_vec(), stated_len: Some(file.len()), ..Reply::status("200 OK") }
    }

    /// The answer of a correct server.
    pub fn sound(asked: &Asked, file: &[u8]) -> Reply {
        let Some(range) = asked.range.clone() else { return Reply::whole(file) };
        let end = range.end.min(file.len() as u64);
        if range.start >= end {
            return Reply::status("416 Range Not Satisfiable");
        }
        let content_range = format!("bytes {}-{}/{}", range.start, end - 1, file.len());
        let whole = Reply::whole(&file[range.start as usize..end as usize]);
        Reply { status: "206 Partial Content", ..whole }.with("Content-Range", content_range)
    }

    /// The answer of a correct server about a file with an entity tag.
    pub fn tagged(asked: &Asked, file: &[u8], tag: &str) -> Reply {
        let is = |known: &Option<String>| known.as_deref() == Some(tag);
        if is(&asked.if_none_match) {
            return Reply::status("304 Not Modified").shorter(0);
        }
        if asked.if_match.is_some() && !is(&asked.if_match) {
            return Reply::status("412 Precondition Failed");
        }
        Reply::sound(asked, file).with("ETag", tag)
    }

    /// Adds a header, or replaces the header with this name.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    /// Closes the connection after this many bytes of the body.
    pub fn cut(mut self, len: usize) -> Reply {
        self.body.truncate(len);
        self
    }

    /// Shortens the body to this many bytes, which the header states.
    pub fn shorter(mut self, len: usize) -> Reply {
        self.body.truncate(len);
        self.stated_len = Some(self.body.len());
        self
    }

    /// States another length than the body has; `None` states none.
    pub fn stating(mut self, len: Option<usize>) -> Reply {
        self.stated_len = len;
        self
    }

    /// Adds bytes after the body, without a change of the stated length.
    pub fn and(mut self, more: &[u8]) -> Reply {
        self.body.extend_from_slice(more);
        self
    }

    /// Sends this many bytes of the body at a time.
    pub fn in_portions_of(mut self, portion: usize) -> Reply {
        self.portion = portion.max(1);
        self
    }

    /// No answer: the client waits until it closes the connection.
    pub fn never() -> Reply {
        Reply { is_given: false, ..Reply::status("200 OK") }
    }
}

/// The server. Its thread ends with the process.
pub struct Server {
    /// The URL, without a `/` at its end.
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// A server on a free port of the loopback interface.
    pub fn new(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
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
    pub fn asked(&self) -> Vec<Asked> {
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
    let mut asked = Asked { number: 0, path, range: None, if_match: None, if_none_match: None };
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "range" => {
                let (start, last) = value.trim_start_matches("bytes=").split_once('-').unwrap();
                asked.range = Some(start.parse().unwrap()..last.parse::<u64>().unwrap() + 1);
            }
            "if-match" => asked.if_match = Some(value.to_owned()),
            "if-none-match" => asked.if_none_match = Some(value.to_owned()),
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
    write!(stream, "HTTP/1.1 {}\r\n", reply.status)?;
    if let Some(len) = reply.stated_len {
        write!(stream, "Content-Length: {len}\r\n")?;
    }
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "Connection: close\r\n\r\n")?;
    stream.set_nodelay(true)?;
    reply.body.chunks(reply.portion).try_for_each(|portion| stream.write_all(portion))
}
