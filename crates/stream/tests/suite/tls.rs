//! Connections with TLS.

use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;

use meshlens_stream::backend::{Backend, RemoteOptions, open_url};
use rustls::crypto::{CryptoProvider, ring};

use meshlens_testkit::server::{Reply, Server};

/// Installs a provider like [`open_url`], for tests that build a store themselves.
pub(crate) fn install_crypto_provider() {
    // An error means that a provider is already installed.
    let _ = ring::default_provider().install_default();
}

#[test]
fn a_server_without_tls_is_an_error_that_names_the_url() {
    let server = Server::new(|_| Reply::status("200 OK"));
    let host = server.url.trim_start_matches("http://");
    let url = format!("https://{host}/models/a.md3");
    let (backend, name) = open_url(&url, &RemoteOptions { retries: 0, ..RemoteOptions::default() }).unwrap();
    let error = backend.read(name, 0..4).unwrap_err().to_string();
    assert!(error.starts_with("models/a.md3: "), "{error}");
    assert!(error.contains(&url), "{error}");
    assert_eq!(server.asked().len(), 0, "no request is sent in plain text");
}

#[test]
fn a_server_that_hangs_up_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/a.md3", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let (backend, name) = open_url(&url, &RemoteOptions { retries: 0, ..RemoteOptions::default() }).unwrap();
    let error = backend.read(name, 0..4).unwrap_err().to_string();
    assert!(error.contains(&url), "{error}");
}

#[test]
fn an_installed_crypto_provider_remains() {
    // Runs in a separate process, because other tests have installed a provider.
    if std::env::var_os("MESHLENS_TEST_TLS").is_none() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tls::an_installed_crypto_provider_remains", "--nocapture"]);
        let output = command.env("MESHLENS_TEST_TLS", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
        return;
    }
    let open = || open_url("https://127.0.0.1:1/a.md3", &RemoteOptions::default()).map(drop);
    let mut provider = ring::default_provider();
    provider.cipher_suites.truncate(1);
    assert!(CryptoProvider::get_default().is_none());
    provider.install_default().unwrap();
    let before = CryptoProvider::get_default().unwrap();
    open().unwrap();
    let after = CryptoProvider::get_default().unwrap();
    assert!(Arc::ptr_eq(before, after));
    assert_eq!(after.cipher_suites.len(), 1);
}
