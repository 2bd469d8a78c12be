//! Connections to servers that are not trusted: their answers are limited, and they cannot lead to other hosts.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderName, RANGE};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode};
use url::{Position, Url};

use super::settings::{Settings, failed};

/// The largest answer that is collected as a whole: a list of objects, or credentials.
const LARGEST_ANSWER: usize = 16 << 20;
/// The number of bytes that are kept of the text of an error.
const LARGEST_ERROR_TEXT: usize = 4 << 10;
/// The largest number of redirects of one request.
const MAX_REDIRECTS: usize = 10;
/// The longest host and path in an error.
const LONGEST_URL: usize = 200;
/// The number of bytes of an answer in an error.
const SHOWN: usize = 32;

/// A redirect to another host, which is not followed.
#[derive(Debug, thiserror::Error)]
#[error("redirects to {to}, another host")]
pub(super) struct OtherHost {
    /// The URL to which the server redirects, without a query.
    pub(super) to: String,
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("the server announces {found} bytes for the {wanted} bytes at {start:#x}")]
    Length { start: u64, wanted: u64, found: u64 },
    #[error("the server answers with bytes {start} to {last}")]
    Range { start: u64, last: u64 },
    #[error("the server answers with more than {LARGEST_ANSWER} bytes, which is the limit")]
    TooLong,
    #[error("no memory for the answer of the server")]
    NoMemory,
    #[error("the server answers with {0}, not with a list")]
    NoList(String),
    #[error("the server answers with a part of a list, without a token for the rest")]
    NoToken,
}

impl From<Refused> for HttpError {
    fn from(refused: Refused) -> Self {
        // Errors of this kind are not retried.
        HttpError::new(HttpErrorKind::Decode, refused)
    }
}

/// Makes clients whose answers are limited.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) allows_redirects: bool,
    pub(super) timeout: Duration,
    pub(super) connect_timeout: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // The crate does not provide its own client.
        let redirects = if self.allows_redirects { Policy::limited(MAX_REDIRECTS) } else { same_host() };
        let builder = Settings(options).builder(self.timeout, self.connect_timeout)?.redirect(redirects);
        Ok(HttpClient::new(Bounded(builder.build().map_err(failed)?)))
    }
}

/// Follows redirects to the same host and port, and from `http` to `https`.
fn same_host() -> Policy {
    Policy::custom(|attempt| {
        let Some(first) = attempt.previous().first() else { return attempt.follow() };
        if !is_same_host(first, attempt.url()) {
            let to = shown(attempt.url());
            return attempt.error(OtherHost { to });
        }
        if attempt.previous().len() > MAX_REDIRECTS {
            return attempt.error("too many redirects");
        }
        attempt.follow()
    })
}

fn is_same_host(from: &Url, to: &Url) -> bool {
    let is_upgrade = (from.scheme(), from.port(), to.scheme(), to.port()) == ("http", None, "https", None);
    let is_same_port = from.port_or_known_default() == to.port_or_known_default();
    from.host() == to.host() && (is_same_port || is_upgrade)
}

/// A URL for an error: without a password and without a query, which may be a signature.
fn shown(url: &Url) -> String {
    let (scheme, rest) = (url.scheme(), &url[Position::BeforeHost..Position::AfterPath]);
    // A URL is ASCII.
    let cut = rest.get(..LONGEST_URL).map(|start| format!("{start}..."));
    format!("{scheme}://{}", cut.as_deref().unwrap_or(rest))
}

/// A client whose answers are limited.
#[derive(Debug)]
struct Bounded(reqwest::Client);

impl HttpService for Bounded {
    // As `async_trait` declares it.
    fn call<'a, 'async_trait>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'async_trait>>
    where
        'a: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let has_range = request.headers().contains_key(RANGE);
            let is_list = request.uri().query().is_some_and(|query| query.contains("list-type="));
            // An object arrives in portions. Everything else is collected by the crate `object_store`, without a limit.
            let is_object = request.method() == Method::GET && !is_list;
            let response = HttpService::call(&self.0, request).await?;
            let status = response.status();
            let (mut parts, body) = response.into_parts();
            let body = if status.is_client_error() || status.is_server_error() {
                error_text(body).await
            } else if is_object {
                if has_range && status == StatusCode::PARTIAL_CONTENT {
                    check_length(&parts.headers)?;
                }
                return Ok(HttpResponse::from_parts(parts, body));
            } else {
                let all = collect(body).await?;
                if is_list {
                    check_list(&all)?;
                }
                all.into()
            };
            parts.headers.remove(CONTENT_LENGTH);
            Ok(HttpResponse::from_parts(parts, body))
        })
    }
}

/// Checks that the length of the body equals the length of its range before any of it arrives.
fn check_length(headers: &HeaderMap) -> Result<(), Refused> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    // The crate `object_store` reports invalid ranges.
    let range = text(CONTENT_RANGE)
        .and_then(|range| range.strip_prefix("bytes ")?.split_once('/')?.0.split_once('-'));
    let Some((Ok(start), Ok(last))) = range.map(|(start, last)| (start.parse(), last.parse::<u64>())) else {
        return Ok(());
    };
    let wanted = last.checked_sub(start).and_then(|len| len.checked_add(1));
    let (Some(wanted), Some(_)) = (wanted, last.checked_add(1)) else {
        return Err(Refused::Range { start, last });
    };
    match text(CONTENT_LENGTH).map(str::parse) {
        Some(Ok(found)) if found != wanted => Err(Refused::Length { start, wanted, found }),
        _ => Ok(()),
    }
}

/// Checks that the body is a page of a list, which the crate `object_store` takes every document for, and that it says how
/// the list continues.
fn check_list(body: &[u8]) -> Result<(), Refused> {
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let declared = text.strip_prefix(b"<?xml").and_then(|rest| rest.splitn(2, |byte| *byte == b'>').nth(1));
    let text = declared.unwrap_or(text).trim_ascii_start();
    let rest = text.strip_prefix(b"<ListBucketResult").unwrap_or_default();
    if !rest.first().is_some_and(|byte| b"> \t\r\n/".contains(byte)) {
        let start = text.get(..text.len().min(SHOWN)).unwrap_or_default();
        let start = if text.is_empty() { "nothing".into() } else { format!("\"{}\"", start.escape_ascii()) };
        return Err(Refused::NoList(start));
    }
    let has = |part: &[u8]| rest.windows(part.len()).any(|bytes| bytes == part);
    if has(b"<IsTruncated>true<") && !has(b"<NextContinuationToken") { Err(Refused::NoToken) } else { Ok(()) }
}

/// Collects a body, up to the limit.
async fn collect(body: HttpResponseBody) -> Result<Vec<u8>, HttpError> {
    let mut stream = body.bytes_stream();
    let mut all = Vec::new();
    while let Some(bytes) = stream.next().await {
        let bytes = bytes?;
        if all.len() + bytes.len() > LARGEST_ANSWER {
            return Err(Refused::TooLong.into());
        }
        all.try_reserve(bytes.len()).map_err(|_| Refused::NoMemory)?;
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

/// The start of the text of an error. The rest is not read.
async fn error_text(body: HttpResponseBody) -> HttpResponseBody {
    let mut stream = body.bytes_stream();
    let mut start = Vec::new();
    while start.len() < LARGEST_ERROR_TEXT
        && let Some(Ok(bytes)) = stream.next().await
    {
        let room = LARGEST_ERROR_TEXT - start.len();
        start.extend_from_slice(bytes.get(..room).unwrap_or(&bytes));
    }
    String::from_utf8_lossy(&start).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_hosts_and_ports() {
        let is_same = |from: &str, to: &str| is_same_host(&from.parse().unwrap(), &to.parse().unwrap());
        assert!(is_same("http://a.example/x", "http://a.example/y"));
        assert!(is_same("http://a.example/x", "http://A.EXAMPLE:80/x"));
        assert!(is_same("http://a.example/x", "https://a.example/x"));
        assert!(!is_same("http://a.example/x", "http://b.example/x"));
        assert!(!is_same("http://a.example/x", "http://a.example:81/x"));
        assert!(!is_same("http://a.example:81/x", "https://a.example/x"));
        assert!(!is_same("https://a.example/x", "http://a.example/x"));
    }

    #[test]
    fn urls_in_errors_hide_secrets() {
        let url = "https://user:password@b.example:8443/path?signature=1#part".parse().unwrap();
        assert_eq!(shown(&url), "https://b.example:8443/path");
        let long = format!("http://b.example/{}", "x".repeat(1000)).parse().unwrap();
        assert_eq!(shown(&long).len(), "http://".len() + LONGEST_URL + "...".len());
    }

    #[test]
    fn body_lengths_must_equal_their_ranges() {
        let check = |range: &str, len: &str| {
            let range = (CONTENT_RANGE, range.parse().unwrap());
            check_length(&[range, (CONTENT_LENGTH, len.parse().unwrap())].into_iter().collect())
                .map_err(|error| error.to_string())
        };
        assert_eq!(check("bytes 10-19/100", "10"), Ok(()));
        let text = "the server announces 50000000000 bytes for the 10 bytes at 0xa";
        assert_eq!(check("bytes 10-19/100", "50000000000"), Err(text.into()));
        let text = "the server announces 9 bytes for the 10 bytes at 0xa";
        assert_eq!(check("bytes 10-19/100", "9"), Err(text.into()));
        for last in ["9", "18446744073709551615"] {
            let text = format!("the server answers with bytes 10 to {last}");
            assert_eq!(check(&format!("bytes 10-{last}/100"), "10"), Err(text));
        }
    }
}
