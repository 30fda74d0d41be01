//! Modules from the Forge, and tarballs from web servers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ordain_engine::fetch::{Download, download};
use ordain_functions::digest::{md5, sha256};
use ordain_source::without_passwords;
use serde_json::Value as Json;

use crate::error::{AtPath, Error, Result};
use crate::files;
use crate::settings::{ForgeSettings, Settings};

/// The largest Forge response about a module, in bytes.
const MAX_ANSWER: u64 = 64 << 20;

/// The largest tarball, in bytes.
const MAX_TARBALL: u64 = 256 << 20;

/// The Forge and the cache of downloaded tarballs.
pub(crate) struct Forge<'s> {
    settings: &'s ForgeSettings,
    proxy: Option<&'s str>,
    cache: PathBuf,
    /// The latest versions, by address and name.
    latest: Mutex<BTreeMap<(String, String), String>>,
}

impl<'s> Forge<'s> {
    pub(crate) fn new(settings: &'s Settings) -> Self {
        Self {
            settings: &settings.forge,
            proxy: settings.proxy.as_deref(),
            cache: settings.cache.clone(),
            latest: Mutex::default(),
        }
    }

    /// The Forge to use for a Puppetfile, which may name its own.
    pub(crate) fn address(&self, named: Option<&str>) -> String {
        let named = named.filter(|_| self.settings.allow_override);
        let named = named.map(|address| match ordain_source::is_web(address) {
            true => address.trim_end_matches('/').to_owned(),
            false => format!("https://{address}"),
        });
        named.unwrap_or_else(|| self.settings.address.clone())
    }

    /// The latest version of a module.
    pub(crate) fn latest(&self, address: &str, slug: &str) -> Result<String> {
        let key = (address.to_owned(), slug.to_owned());
        let known = self.latest.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(version) = known {
            return Ok(version);
        }
        let module = self.ask(address, &format!("/v3/modules/{slug}"))?;
        let version = module.pointer("/current_release/version").and_then(Json::as_str);
        let Some(version) = version else {
            return Err(Error::new(format!("the Forge has no release of the module {slug}")));
        };
        // The version becomes part of a URL and of a file name.
        if !version.chars().all(|c| c.is_ascii_alphanumeric() || ".-+_".contains(c)) {
            return Err(Error::new(format!("the Forge has a release {version:?} of {slug}")));
        }
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.insert(key, version.to_owned());
        Ok(version.to_owned())
    }

    /// The tarball of a release, verified with the Forge's checksum.
    pub(crate) fn release(&self, address: &str, slug: &str, version: &str) -> Result<Vec<u8>> {
        let host = &sha256(address.as_bytes())[..16];
        let kept = self.cache.join("forge").join(host).join(format!("{slug}-{version}.tar.gz"));
        let digest = kept.with_extension("sha256");
        if let (Ok(bytes), Ok(expected)) = (fs::read(&kept), fs::read_to_string(&digest))
            && sha256(&bytes) == expected.trim()
        {
            return Ok(bytes);
        }
        let release = self.ask(address, &format!("/v3/releases/{slug}-{version}"))?;
        let text = |name: &str| release[name].as_str().filter(|text| !text.is_empty());
        let Some(uri) = text("file_uri") else {
            return Err(Error::new(format!("the Forge has no file of {slug} {version}")));
        };
        let location = if ordain_source::is_web(uri) {
            uri.to_owned()
        } else {
            format!("{address}/{}", uri.trim_start_matches('/'))
        };
        let bytes = self.download(&location, address, MAX_TARBALL)?;
        let fits = match (text("file_sha256"), text("file_md5")) {
            (Some(expected), _) => sha256(&bytes) == expected,
            (None, Some(expected)) => md5(&bytes) == expected,
            (None, None) => {
                let text = format!("the Forge has no checksum of {slug} {version}");
                return Err(Error::new(text));
            }
        };
        if !fits {
            let text = format!("the file of {slug} {version} does not match its checksum");
            return Err(Error::new(text));
        }
        if let Some(parent) = kept.parent() {
            files::private_directory(parent)?;
        }
        files::write_whole(&kept, &bytes)?;
        files::write_whole(&digest, sha256(&bytes).as_bytes())?;
        Ok(bytes)
    }

    /// A tarball from another server, and its SHA-256 digest. An expected digest is checked, and
    /// allows the tarball to come from the cache.
    pub(crate) fn tarball(
        &self,
        address: &str,
        expected: Option<&str>,
    ) -> Result<(Vec<u8>, String)> {
        let kept = |digest: &str| self.cache.join("tarball").join(format!("{digest}.tar.gz"));
        if let Some(expected) = expected
            && let Ok(bytes) = fs::read(kept(expected))
            && sha256(&bytes) == expected
        {
            return Ok((bytes, expected.to_owned()));
        }
        let bytes = match address.strip_prefix("file://").unwrap_or(address) {
            path if path.starts_with('/') => {
                let path = Path::new(path);
                ordain_source::read_input(path).at_path(path)?
            }
            _ => self.get(address, None, self.proxy, MAX_TARBALL)?,
        };
        let digest = sha256(&bytes);
        if expected.is_some_and(|expected| expected != digest) {
            let shown = without_passwords(address);
            let text = format!("{shown} has the digest {digest}, and another is expected");
            return Err(Error::new(text));
        }
        let kept = kept(&digest);
        if let Some(parent) = kept.parent() {
            files::private_directory(parent)?;
        }
        files::write_whole(&kept, &bytes)?;
        Ok((bytes, digest))
    }

    /// Requests JSON from the Forge.
    fn ask(&self, address: &str, path: &str) -> Result<Json> {
        let bytes = self.download(&format!("{address}{path}"), address, MAX_ANSWER)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Error::new(format!("{address}{path} is no JSON: {error}")))
    }

    /// Downloads from the Forge. The token is only sent to the Forge of the settings.
    fn download(&self, location: &str, address: &str, most: u64) -> Result<Vec<u8>> {
        let is_own = location.strip_prefix(self.settings.address.as_str());
        let is_own =
            address == self.settings.address && is_own.is_some_and(|rest| rest.starts_with('/'));
        let token = self.settings.authorization.as_deref().filter(|_| is_own);
        self.get(location, token, self.settings.proxy.as_deref(), most)
    }

    fn get(
        &self,
        address: &str,
        authorization: Option<&str>,
        proxy: Option<&str>,
        most: u64,
    ) -> Result<Vec<u8>> {
        download(&Download { address, authorization, proxy, tls: None, most }).map_err(|error| {
            Error::new(format!("cannot download {}: {error}", without_passwords(address)))
        })
    }
}
