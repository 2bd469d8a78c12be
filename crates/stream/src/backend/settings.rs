//! The settings of a client, which may come from the environment (`AWS_TIMEOUT`, `AWS_PROXY_URL` and others).

use std::str::FromStr;
use std::time::Duration;

use object_store::{ClientConfigKey, ClientOptions};
use reqwest::{Certificate, ClientBuilder, NoProxy, Proxy};

/// The user agent of clients whose settings do not name one.
const OWN_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// The settings of a client.
pub(super) struct Settings<'a>(pub(super) &'a ClientOptions);

impl Settings<'_> {
    /// The builder of a client with these settings. `timeout` and `connect_timeout` are used unless the settings change
    /// them. The client has its own rules for redirects, and addresses of a host are used in the order of the system.
    ///
    /// # Errors
    ///
    /// A setting is invalid.
    pub(super) fn builder(
        &self,
        timeout: Duration,
        connect_timeout: Duration,
    ) -> object_store::Result<ClientBuilder> {
        use ClientConfigKey as Key;

        let agent = self.text(Key::UserAgent).unwrap_or_else(|| OWN_AGENT.into());
        let mut builder = reqwest::Client::builder()
            .user_agent(agent)
            .timeout(self.changed_time(Key::Timeout)?.unwrap_or(timeout))
            .connect_timeout(self.changed_time(Key::ConnectTimeout)?.unwrap_or(connect_timeout))
            .https_only(!self.flag(Key::AllowHttp)?)
            .danger_accept_invalid_certs(self.flag(Key::AllowInvalidCertificates)?)
            .http2_keep_alive_while_idle(self.flag(Key::Http2KeepAliveWhileIdle)?)
            .http2_keep_alive_interval(self.time(Key::Http2KeepAliveInterval)?)
            .http2_max_frame_size(self.number(Key::Http2MaxFrameSize)?);
        if let Some(time) = self.time(Key::ReadTimeout)? {
            builder = builder.read_timeout(time);
        }
        if let Some(time) = self.time(Key::PoolIdleTimeout)? {
            builder = builder.pool_idle_timeout(time);
        }
        if let Some(count) = self.number(Key::PoolMaxIdlePerHost)? {
            builder = builder.pool_max_idle_per_host(count);
        }
        if let Some(time) = self.time(Key::Http2KeepAliveTimeout)? {
            builder = builder.http2_keep_alive_timeout(time);
        }
        if self.flag(Key::Http1Only)? {
            builder = builder.http1_only();
        }
        if self.flag(Key::Http2Only)? {
            builder = builder.http2_prior_knowledge();
        }
        if self.flag(Key::NoSystemCertificates)? {
            builder = builder.tls_certs_only([]);
        }
        if let Some(url) = self.text(Key::ProxyUrl) {
            let excluded = self.text(Key::ProxyExcludes).and_then(|hosts| NoProxy::from_string(&hosts));
            builder = builder.proxy(Proxy::all(url).map_err(failed)?.no_proxy(excluded));
        }
        if let Some(certificate) = self.text(Key::ProxyCaCertificate) {
            let certificate = Certificate::from_pem(certificate.as_bytes()).map_err(failed)?;
            builder = builder.tls_certs_merge([certificate]);
        }
        Ok(builder)
    }

    fn text(&self, key: ClientConfigKey) -> Option<String> {
        self.0.get_config_value(&key)
    }

    fn flag(&self, key: ClientConfigKey) -> object_store::Result<bool> {
        match self.text(key).as_deref().unwrap_or_default().to_ascii_lowercase().as_str() {
            "1" | "true" | "on" | "yes" | "y" => Ok(true),
            "" | "0" | "false" | "off" | "no" | "n" => Ok(false),
            other => Err(invalid(key, other)),
        }
    }

    fn number<T: FromStr>(&self, key: ClientConfigKey) -> object_store::Result<Option<T>> {
        self.text(key).map(|text| text.parse().map_err(|_| invalid(key, &text))).transpose()
    }

    fn time(&self, key: ClientConfigKey) -> object_store::Result<Option<Duration>> {
        let parse = |text: String| humantime::parse_duration(&text).map_err(|_| invalid(key, &text));
        self.text(key).map(parse).transpose()
    }

    /// The time, if it differs from the default of the crate `object_store`.
    fn changed_time(&self, key: ClientConfigKey) -> object_store::Result<Option<Duration>> {
        let default = Settings(&ClientOptions::new()).time(key)?;
        Ok(self.time(key)?.filter(|time| Some(*time) != default))
    }
}

fn invalid(key: ClientConfigKey, value: &str) -> object_store::Error {
    let text = format!("the value \"{value}\" of the setting {} is invalid", key.as_ref());
    object_store::Error::Generic { store: "HTTP client", source: text.into() }
}

/// The error of a client that cannot be made.
pub(super) fn failed(error: reqwest::Error) -> object_store::Error {
    object_store::Error::Generic { store: "HTTP client", source: Box::new(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(settings: &[(ClientConfigKey, &str)]) -> ClientOptions {
        settings.iter().fold(ClientOptions::new(), |options, (key, value)| options.with_config(*key, *value))
    }

    #[test]
    fn default_settings_equal_those_of_the_crate() {
        use ClientConfigKey as Key;

        let options = options(&[
            (Key::AllowHttp, "Yes"),
            (Key::Timeout, "2m"),
            (Key::ConnectTimeout, "5s"),
            (Key::PoolMaxIdlePerHost, "7"),
            (Key::Http2Only, "maybe"),
            (Key::ReadTimeout, "soon"),
        ]);
        let settings = Settings(&options);
        assert!(settings.flag(Key::AllowHttp).unwrap());
        assert!(!settings.flag(Key::AllowInvalidCertificates).unwrap());
        assert_eq!(settings.changed_time(Key::Timeout).unwrap(), Some(Duration::from_secs(120)));
        assert_eq!(settings.changed_time(Key::ConnectTimeout).unwrap(), None, "the default");
        assert_eq!(settings.number::<usize>(Key::PoolMaxIdlePerHost).unwrap(), Some(7));
        let error = settings.flag(Key::Http2Only).unwrap_err().to_string();
        assert!(error.contains("\"maybe\" of the setting http2_only is invalid"), "{error}");
        let error = settings.builder(Duration::MAX, Duration::MAX).unwrap_err().to_string();
        assert!(error.contains("\"soon\" of the setting read_timeout"), "{error}");
    }
}
