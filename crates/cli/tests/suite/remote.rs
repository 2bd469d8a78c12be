//! Models at URLs: on a web server, and on a server with the S3 protocol.

use meshlens_testkit::server::{Reply, Server};
use meshlens_testkit::{doors, hostile, real};
use serde_json::Value;

use crate::shared::{meshlens, stderr, stdout, utf8};

/// The response of S3 to a list request: the files and folders in a folder of the corpus.
fn listed(query: &str) -> String {
    let value = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    assert_eq!((value("list-type"), value("delimiter")), (Some("2"), Some("%2F")), "{query}");
    let prefix = value("prefix").unwrap_or_default().replace("%2F", "/");
    let mut entries = String::new();
    let folders = [real::workspace_root().join("corpus").join(&prefix), doors::folder().join(&prefix)];
    for entry in folders.iter().flat_map(std::fs::read_dir).flatten() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            entries += &format!("<CommonPrefixes><Prefix>{prefix}{name}/</Prefix></CommonPrefixes>");
        } else {
            let time = "2026-11-24T00:00:00.000Z";
            entries += &format!(
                "<Contents><Key>{prefix}{name}</Key><LastModified>{time}</LastModified><Size>1</Size></Contents>"
            );
        }
    }
    let body = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>");
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// Runs the command with `server` as the S3 endpoint.
fn with_bucket(server: &str, arguments: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.current_dir(real::workspace_root()).args(arguments).env("AWS_ENDPOINT", server);
    for (name, value) in [("ALLOW_HTTP", "true"), ("SKIP_SIGNATURE", "true"), ("REGION", "us-east-1")] {
        command.env(format!("AWS_{name}"), value);
    }
    command.output().unwrap()
}

/// A web server that serves ranges of the corpus: its address, and the number of bytes that it has sent.
fn server() -> (String, std::sync::Arc<std::sync::atomic::AtomicU64>) {
    use std::io::{BufRead, BufReader, Write};
    use std::sync::atomic::Ordering;

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sent = std::sync::Arc::<std::sync::atomic::AtomicU64>::default();
    let counter = sent.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let lines: Vec<String> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let path = lines[0].split(' ').nth(1).unwrap().trim_start_matches('/');
            if let Some((_, query)) = path.split_once('?') {
                let _ = stream.write_all(listed(query).as_bytes());
                continue;
            }
            let path = path.trim_start_matches("bucket/");
            let Ok(file) = std::fs::read(doors::path(path)) else {
                let _ = stream
                    .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                continue;
            };
            let range = lines
                .iter()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
            let (start, last) = range.as_deref().and_then(|range| range.split_once('-')).expect("a range");
            let (start, end) = (start.parse().unwrap(), (last.parse::<usize>().unwrap() + 1).min(file.len()));
            let body = &file[start..end];
            counter.fetch_add(body.len() as u64, Ordering::Relaxed);
            let head = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {start}-{}/{}\r\n\
                 ETag: \"1\"\r\nConnection: close\r\n\r\n",
                body.len(),
                end - 1,
                file.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    (url, sent)
}

#[test]
fn urls_are_inspected_and_planned_from_their_headers() {
    use std::sync::atomic::Ordering;

    let (url, sent) = server();
    for name in ["md3/animated.md3", "unigine/skinned_ms11.mesh", "u3d/v2_newer.u3d"] {
        let row = |path: &str| -> Value {
            let output = meshlens(&["inspect", "--format", "json", path]);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            document["files"][0].clone()
        };
        let (remote, local) = (row(&format!("{url}/{name}")), row(&format!("corpus/{name}")));
        for member in ["format", "version", "frames", "surfaces", "vertices", "triangles", "tags", "bytes"] {
            assert_eq!(remote[member], local[member], "{member} of {name}");
        }
        assert_eq!((&remote["errors"], &remote["error"]), (&Value::Null, &Value::Null));
        let before = sent.load(Ordering::Relaxed);
        let plan = |path: &str| -> Value {
            let output = meshlens(&["plan", "--format", "json", path]);
            serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
        };
        let (remote, local) = (plan(&format!("{url}/{name}")), plan(&format!("corpus/{name}")));
        assert_eq!(remote["parts"], local["parts"]);
        let sent = sent.load(Ordering::Relaxed) - before;
        assert_eq!(remote["bytes_read"], sent);
        assert!(sent <= local["files"][0]["bytes"].as_u64().unwrap());
    }
    let output = meshlens(&["inspect", &format!("{url}/no.md3"), "corpus/md3/static.md3"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), format!("meshlens: {url}/no.md3: not found\n"));
    assert!(stdout(&output).contains("static.md3"), "the rest goes on");
}

#[test]
fn every_model_at_a_url_is_what_other_interfaces_say() {
    let (url, _) = server();
    for answer in doors::answers() {
        // Scripts and folders name files that have to be found.
        if answer.name.contains(".uc") || !answer.name.contains('.') {
            let check = crate::doors::check;
            check(&answer, &format!("s3://bucket/{}", answer.name), &|arguments| {
                with_bucket(&url, arguments)
            });
        } else {
            crate::doors::check(&answer, &format!("{url}/{}", answer.name), &|arguments| meshlens(arguments));
        }
    }
}

#[test]
fn redirects_to_other_hosts_need_an_option() {
    use std::io::{BufRead, BufReader, Write};

    let (files, sent) = server();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a.md3", listener.local_addr().unwrap());
    let target = format!("{files}/md3/static.md3");
    let location = target.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let head = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n");
            let _ = write!(stream, "{head}Connection: close\r\n\r\n");
        }
    });
    for verb in ["inspect", "plan"] {
        let output = meshlens(&[verb, &url]);
        assert_eq!(output.status.code(), Some(2));
        let text = format!("{url}: redirects to {target}, another host; --allow-redirects permits it\n");
        assert_eq!(stderr(&output), format!("meshlens: {text}"));
        assert_eq!(sent.load(std::sync::atomic::Ordering::Relaxed), 0);
    }
    let output = meshlens(&["validate", &url]);
    let text =
        format!("{url}: cannot read: redirects to {target}, another host; --allow-redirects permits it\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), &*format!("meshlens: {text}")));
    let output = meshlens(&["inspect", "--allow-redirects", &url]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

/// The server does not answer a request before both have arrived.
#[test]
fn urls_are_read_at_the_same_time() {
    use std::io::{BufRead, BufReader, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let streams: Vec<_> = listener.incoming().flatten().take(2).collect();
        for mut stream in streams {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let _ = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).unwrap();
        }
    });
    let output = meshlens(&["inspect", &format!("{url}/a.md3"), &format!("{url}/b.md3")]);
    server.join().unwrap();
    // Messages are in the order of the URLs.
    let told = format!("meshlens: {url}/a.md3: not found\nmeshlens: {url}/b.md3: not found\n");
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), &*told));
}

#[test]
fn an_endpoint_without_encryption_names_its_setting() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_meshlens"));
    command.args(["inspect", "s3://bucket/x.md3"]);
    let output =
        command.env("AWS_ENDPOINT", "http://127.0.0.1:9").env_remove("AWS_ALLOW_HTTP").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("; the setting AWS_ALLOW_HTTP=true permits"), "{}", stderr(&output));
}

#[test]
fn findings_pictures_and_conversions_equal_those_of_the_file() {
    let (url, _) = server();
    let folder = tempfile::tempdir().unwrap();
    // The textures of the model are in its folder, which a web server cannot list.
    for name in ["md3/animated.md3", "u3d/v2_newer.u3d", "unreal/Models/wide_d.3d"] {
        let (remote, local) = (format!("{url}/{name}"), format!("corpus/{name}"));
        let findings = |path: &str| {
            let output = meshlens(&["validate", "--all", path]);
            (output.status.code(), stdout(&output).replace(path, ""), stderr(&output).replace(path, ""))
        };
        assert_eq!(findings(&remote), findings(&local));
        let made = |path: &str, verb: &str, rest: &[&str]| {
            let to =
                folder.path().join(format!("{verb}.out.{}", if verb == "thumb" { "png" } else { "glb" }));
            let output = meshlens(&[&[verb, path, "-o", utf8(&to), "--force"], rest].concat());
            assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
            std::fs::read(to).unwrap()
        };
        let rest = ["--textures", "none"];
        assert!(made(&remote, "convert", &rest) == made(&local, "convert", &rest), "{name}");
        assert!(made(&remote, "thumb", &["--size", "64"]).starts_with(b"\x89PNG"), "{name}");
    }
    for verb in ["validate", "convert", "thumb"] {
        let missing = format!("{url}/no.md3");
        let output = meshlens(
            &[verb, &missing, "--out-dir", utf8(folder.path())][..if verb == "validate" { 2 } else { 4 }],
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(&format!("{missing}: not found")), "{}", stderr(&output));
    }
    let output = meshlens(&["inspect", &format!("{url}/md3/")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a web server has no list of its files"), "{}", stderr(&output));
}

#[test]
fn a_folder_of_a_bucket_is_read() {
    let (url, _) = server();
    let uris = |output: std::process::Output, root: &str| -> Vec<String> {
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
        let lines = stdout(&output).lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut names: Vec<String> =
            lines.map(|line| line["uri"].as_str().unwrap().strip_prefix(root).unwrap().to_owned()).collect();
        // A report of findings may have several lines for a file.
        names.dedup();
        // Archives are not opened to look for models in them.
        names.retain(|name| !name.contains('!'));
        names
    };
    for verb in ["inspect", "validate"] {
        let arguments = |path| [verb, "--format", "jsonl", path];
        let remote = uris(with_bucket(&url, &arguments("s3://bucket/md3/")), "s3://bucket/");
        let local = uris(meshlens(&arguments("corpus/md3/")), "corpus/");
        assert_eq!(remote, local);
        assert!(remote.contains(&"md3/player/head.md3".to_owned()), "{remote:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let to = utf8(folder.path());
    let output = with_bucket(&url, &["convert", "--out-dir", to, "s3://bucket/md3/player/"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = |name: &str| {
        std::fs::read(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}, {output:?}"))
    };
    let local = folder.path().join("local.glb");
    let local_output = meshlens(&["convert", "corpus/md3/player/head.md3", "-o", utf8(&local)]);
    assert_eq!(local_output.status.code(), Some(0), "{}", stderr(&local_output));
    assert!(found("head.glb") == found("local.glb"), "companion files are found in the bucket");
    let drawn = with_bucket(&url, &["thumb", "--size", "64", "--out-dir", to, "s3://bucket/gallery/"]);
    assert!(drawn.status.success() && found("flag.md3.png").len() > 100, "{}", stderr(&drawn));
}

/// A model with 5 frames.
fn animated() -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus/md3/animated.md3")).unwrap()
}

#[test]
fn a_hostile_list_is_an_error_of_its_folder_and_the_rest_goes_on() {
    hostile::check_lists(&animated(), |name, server| {
        let output = with_bucket(&server.url, &["validate", "s3://bucket/m/", "corpus/md3/static.md3"]);
        let told = stderr(&output).to_owned();
        assert!(output.status.code() == Some(2) && told.contains("s3://bucket/m"), "{name}: {told}");
        // The list is a finding, and the model is read.
        let totals = stdout(&output).lines().last().unwrap_or_default();
        assert!(totals.ends_with(" of them without findings: 1 error"), "{name}: {totals}");
        assert!(!totals.contains(", 0 of them"), "{name}: {totals}");
        // A file that is named is read, and not looked for.
        let lists = || server.asked().iter().filter(|asked| asked.parameter("list-type").is_some()).count();
        let before = lists();
        let output = with_bucket(&server.url, &["inspect", "s3://bucket/m/a.md3"]);
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{name}");
        assert_eq!(lists(), before, "{name}");
        Err(told)
    });
}

#[test]
fn a_folder_of_a_bucket_that_does_not_exist_is_an_error() {
    let server = Server::new(|_| hostile::page(&[], &[], None));
    let output = with_bucket(&server.url, &["validate", "s3://bucket/no/", "corpus/md3/static.md3"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), "meshlens: s3://bucket/no/: not found\n"));
}

#[test]
fn a_hostile_server_is_an_error_of_its_file() {
    hostile::check_objects(&animated(), |url| {
        let output = meshlens(&["inspect", url, "corpus/md3/static.md3"]);
        let told = format!("{}{}", stdout(&output), stderr(&output));
        assert!(told.contains("static.md3"), "{told}");
        if output.status.success() { Ok(()) } else { Err(told) }
    });
}

#[test]
fn a_broken_url_has_its_format_and_its_size() {
    let mut cut = animated();
    cut.truncate(1000);
    for (bytes, format) in [(cut, Value::from("md3")), (b"<html>".repeat(100), Value::Null)] {
        let len = bytes.len();
        let server = Server::new(move |asked| Reply::sound(asked, &bytes).with("ETag", "\"1\""));
        let output = meshlens(&["inspect", "--format", "jsonl", &format!("{}/a.md3", server.url)]);
        let row: Value = serde_json::from_str(stdout(&output).lines().next().unwrap()).unwrap();
        assert_eq!((&row["format"], &row["bytes"]), (&format, &Value::from(len)), "{row}");
        assert!(row["error"].is_string(), "{row}");
        assert_eq!(output.status.code(), Some(1));
    }
}
