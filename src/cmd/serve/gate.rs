//! Which requests are let in: those that know the token, and name this server as their host, so that a page of
//! another site cannot reach it by a name that it controls.

use std::hint::black_box;
use std::net::IpAddr;

use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};

/// What a browser says of where a request comes from, and whether it is to show the answer as a page of its own.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Decides on requests.
pub(super) struct Gate {
    token: String,
    /// Names besides addresses and `localhost`, in small letters.
    hosts: Vec<String>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It names another host, or none.
    Host,
    /// It comes from a page of another site.
    Origin,
    /// Its path does not begin with the token.
    Token,
}

impl Gate {
    pub(super) fn new(token: &str, hosts: &[String]) -> Gate {
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase());
        Gate {
            token: token.to_owned(),
            hosts: hosts.collect(),
        }
    }

    /// The path after the token, without the first slash; none if that is missing.
    pub(super) fn admit<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
    ) -> Result<Option<&'a str>, Refusal> {
        let host = single(headers, &HOST).filter(|host| self.knows(host));
        let host = host.ok_or(Refusal::Host)?;
        let path = path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = match path.split_once('/') {
            Some((token, rest)) => (token, Some(rest)),
            None => (path, None),
        };
        if !equals(token.as_bytes(), self.token.as_bytes()) {
            return Err(Refusal::Token);
        }
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        let has_own_origin = single(headers, &ORIGIN).is_some_and(is_own);
        let says = |name, value| single(headers, &name) == Some(value);
        // A link may lead here from anywhere, as long as it has the token.
        let is_embedded = says(FETCH_SITE, "cross-site") && !says(FETCH_MODE, "navigate");
        let from_elsewhere = headers.contains_key(ORIGIN) && !has_own_origin || is_embedded;
        match from_elsewhere {
            true => Err(Refusal::Origin),
            false => Ok(rest),
        }
    }

    /// Whether a host with or without port is this server: an address, which no name stands behind, `localhost`, or
    /// a name that was given.
    fn knows(&self, host: &str) -> bool {
        let end_of_address = host.rfind(']').map_or(0, |at| at + 1);
        let port = host[end_of_address..].rfind(':');
        let name = match port {
            Some(at) => &host[..end_of_address + at],
            None => host,
        };
        let name = name.to_ascii_lowercase();
        let plain = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        name == "localhost"
            || plain.unwrap_or(&name).parse::<IpAddr>().is_ok()
            || self.hosts.contains(&name)
    }
}

/// The value of a header that occurs once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Comparison in a time that does not depend on where the two differ.
fn equals(given: &[u8], wanted: &[u8]) -> bool {
    let differences = wanted.iter().enumerate().fold(0, |all, (index, byte)| {
        let given = given.get(index).copied().unwrap_or_default();
        black_box(all | (given ^ byte))
    });
    black_box(differences) == 0 && given.len() == wanted.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn admitted(path: &str, headers: &[(&str, &str)]) -> Result<Option<String>, Refusal> {
        let gate = Gate::new("secret", &["Box.lan".to_owned()]);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let rest = gate.admit(path, &map)?;
        Ok(rest.map(str::to_owned))
    }

    #[test]
    fn the_token_must_be_whole() {
        let host = [("host", "127.0.0.1:8000")];
        assert_eq!(admitted("/secret/do", &host), Ok(Some("do".to_owned())));
        assert_eq!(admitted("/secret", &host), Ok(None));
        for path in [
            "/",
            "",
            "/secre/do",
            "/secrets/do",
            "/secreT/do",
            "//secret/do",
        ] {
            assert_eq!(admitted(path, &host), Err(Refusal::Token), "{path}");
        }
    }

    #[test]
    fn hosts_are_addresses_localhost_or_names_given() {
        for host in [
            "[::1]:80",
            "[::1]",
            "localhost:1",
            "LOCALHOST",
            "10.0.0.7",
            "box.lan:9",
        ] {
            assert!(admitted("/secret/", &[("host", host)]).is_ok(), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "",
        ] {
            let refused = admitted("/secret/", &[("host", host)]);
            assert_eq!(refused, Err(Refusal::Host), "{host}");
        }
        assert_eq!(admitted("/secret/", &[]), Err(Refusal::Host));
        let twice = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(admitted("/secret/", &twice), Err(Refusal::Host));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let with = |origin| admitted("/secret/do", &[("host", "localhost:5"), origin]);
        assert!(with(("origin", "http://localhost:5")).is_ok());
        assert!(with(("sec-fetch-site", "same-origin")).is_ok());
        for origin in [
            "http://localhost:6",
            "https://localhost:5",
            "null",
            "http://evil.example",
        ] {
            assert_eq!(with(("origin", origin)), Err(Refusal::Origin), "{origin}");
        }
        assert_eq!(with(("sec-fetch-site", "cross-site")), Err(Refusal::Origin));
        let link = [
            ("host", "localhost"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        assert!(admitted("/secret/", &link).is_ok());
    }
}
