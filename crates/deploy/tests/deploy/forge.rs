//! Modules from a Forge and from web servers, both run by the test.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::support::{Site, actions, messages};
use flate2::Compression;
use flate2::write::GzEncoder;
use ordain_deploy::{InstallRequest, Request, deploy, install};
use ordain_functions::digest::{md5, sha256};
use ordain_source::SourceMap;

/// A web server with fixed documents. It records the requests and their tokens.
struct Server {
    address: String,
    documents: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let documents: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (served, seen) = (Arc::clone(&documents), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let head: Vec<String> =
                    lines.by_ref().map_while(Result::ok).take_while(|l| !l.is_empty()).collect();
                let Some(first) = head.first() else { continue };
                let path = first.split(' ').nth(1).unwrap().to_owned();
                let token = head.iter().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("authorization").then(|| value.to_owned())
                });
                seen.lock().unwrap().push(format!("{path} {}", token.unwrap_or_default()));
                let found = served.lock().unwrap().get(&path).cloned();
                let (status, body) = match found {
                    Some(body) => ("200 OK", body),
                    None => ("404 Not Found", b"nothing".to_vec()),
                };
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Self { address, documents, requests }
    }

    fn put(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.documents.lock().unwrap().insert(path.to_owned(), body.into());
    }

    /// Publishes a release as the latest one.
    fn release(&self, slug: &str, version: &str, tarball: &[u8], checksums: &str) {
        let file = format!("/v3/files/{slug}-{version}.tar.gz");
        let release = format!("{{\"file_uri\": \"{file}\", {checksums}}}");
        self.put(&format!("/v3/releases/{slug}-{version}"), release);
        self.put(&file, tarball);
        let module = format!("{{\"current_release\": {{\"version\": \"{version}\"}}}}");
        self.put(&format!("/v3/modules/{slug}"), module);
    }

    fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

/// An entry of a tarball: the type, the path, the mode, and the content or the target of a link.
type Entry<'e> = (u8, &'e str, u32, &'e str);

/// Builds a tarball without checking the names.
fn tarball(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut out = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (kind, path, mode, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::new(*kind));
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_mode(*mode);
        let is_link = matches!(kind, b'1' | b'2');
        if is_link {
            header.as_gnu_mut().unwrap().linkname[..content.len()]
                .copy_from_slice(content.as_bytes());
        }
        let content = if is_link { "" } else { content };
        header.set_size(content.len() as u64);
        header.set_cksum();
        out.append(&header, content.as_bytes()).unwrap();
    }
    out.into_inner().unwrap().finish().unwrap()
}

fn plain(text: &str) -> Vec<u8> {
    tarball(&[
        (b'5', "o-m-1.0.0/", 0o755, ""),
        (b'0', "o-m-1.0.0/metadata.json", 0o644, "{}"),
        (b'0', "o-m-1.0.0/manifests/init.pp", 0o644, text),
        (b'0', "o-m-1.0.0/files/tool", 0o4755, "#!/bin/sh\n"),
        (b'2', "o-m-1.0.0/files/link", 0o777, "/etc/passwd"),
        (b'5', "o-m-1.0.0/.git", 0o755, ""),
        (b'0', "o-m-1.0.0/.git/config", 0o644, "[core]\n\tfsmonitor = touch /tmp/started\n"),
        (b'0', "o-m-1.0.0/.gitignore", 0o644, "pkg\n"),
        (b'0', "o-m-1.0.0/spec/a_spec.rb", 0o644, ""),
    ])
}

fn with_sha256(bytes: &[u8]) -> String {
    format!("\"file_sha256\": \"{}\"", sha256(bytes))
}

#[test]
fn releases_are_checked_unpacked_and_kept() {
    use std::os::unix::fs::PermissionsExt;
    let (site, server) = (Site::new(), Server::start());
    let settings = site.configured(&format!(
        "forge:\n  baseurl: {}/\n  authorization_token: Bearer secret\n",
        server.address
    ));
    let run = || deploy(&settings, &Request::default(), &SourceMap::new()).unwrap();
    let bytes = plain("class m { 1 }\n");
    server.release("o-m", "1.0.0", &bytes, &with_sha256(&bytes));
    site.puppetfile("mod 'o/m'\n");
    let report = run();
    assert_eq!(actions(&report), ["created production"], "{}", messages(&report));
    assert!(messages(&report).contains("files/link of the module m is left out"));
    let module = site.environment().join("modules/m");
    let tool = fs::metadata(module.join("files/tool")).unwrap().permissions().mode() & 0o7777;
    assert_eq!(tool, 0o755);
    assert!(!module.join("files/link").exists() && !module.join("spec").exists());
    assert_eq!(messages(&report).matches("/.git of the module m is left out").count(), 1);
    assert!(!module.join(".git").exists() && module.join(".gitignore").exists());
    let requests = server.take_requests();
    assert!(requests.iter().all(|line| line.ends_with(" Bearer secret")), "{requests:?}");

    // A module without a version stays at the deployed one. A tarball is downloaded once.
    let newer = plain("class m { 2 }\n");
    let checksum = format!("\"file_md5\": \"{}\"", md5(&newer));
    server.release("o-m", "2.0.0", &newer, &checksum);
    site.puppetfile("mod 'o/m'\n# again\n");
    assert_eq!(actions(&run()), ["changed production"]);
    assert_eq!(server.take_requests(), [""; 0]);
    site.puppetfile("mod 'o-m', :latest\n");
    run();
    assert_eq!(fs::read_to_string(module.join("manifests/init.pp")).unwrap(), "class m { 2 }\n");
    site.puppetfile("mod 'm', type: 'forge', version: '1.0.0'\n");
    assert!(messages(&run()).contains("no owner"));
    site.puppetfile("mod 'o/m', '3.0.0'\n");
    assert!(messages(&run()).contains("status 404"), "a release that is missing");
}

#[test]
fn wrong_checksums_and_hostile_tarballs_change_nothing() {
    let (site, server) = (Site::new(), Server::start());
    let settings = site.configured(&format!("forge:\n  baseurl: {}\n", server.address));
    let metadata = (b'0', "m/metadata.json", 0o644, "{}");
    let zeros = "0".repeat(65 << 20);
    for (number, (entries, wanted)) in [
        (vec![metadata, (b'0', "../../../../evil", 0o644, "x")], "leads out"),
        (vec![metadata, (b'0', "/tmp/ordain-evil", 0o644, "x")], "leads out"),
        (vec![metadata, (b'5', "m/../..", 0o755, "")], "leads out"),
        (vec![metadata, (b'0', "m/bomb", 0o644, &zeros)], "unpacks to too much"),
        (vec![(b'0', "m/other.json", 0o644, "{}")], "no metadata.json"),
        (vec![(b'0', "m", 0o644, "{}"), metadata], "something else"),
    ]
    .into_iter()
    .enumerate()
    {
        let bytes = tarball(&entries);
        server.release("o-m", &format!("1.0.{number}"), &bytes, &with_sha256(&bytes));
        site.puppetfile(&format!("mod 'o/m', '1.0.{number}'\n"));
        let report = deploy(&settings, &Request::default(), &SourceMap::new()).unwrap();
        assert!(messages(&report).contains(wanted), "{wanted}: {}", messages(&report));
        assert!(!site.environment().exists());
    }
    let bytes = plain("");
    for (number, checksums) in
        ["\"file_sha256\": \"00\"", "\"file_md5\": \"00\"", "\"file_md5\": null"].iter().enumerate()
    {
        server.release("o-m", &format!("2.0.{number}"), &bytes, checksums);
        site.puppetfile(&format!("mod 'o/m', '2.0.{number}'\n"));
        let report = deploy(&settings, &Request::default(), &SourceMap::new()).unwrap();
        assert!(messages(&report).contains("checksum"), "{}", messages(&report));
    }
    server.put("/v3/releases/o-m-3.0.0", "{");
    site.puppetfile("mod 'o/m', '3.0.0'\n");
    let report = deploy(&settings, &Request::default(), &SourceMap::new()).unwrap();
    assert!(messages(&report).contains("no JSON"), "{}", messages(&report));
}

#[test]
fn tarballs_have_digests() {
    let (site, server) = (Site::new(), Server::start());
    let bytes = tarball(&[(b'0', "manifests/init.pp", 0o644, "class t {}\n")]);
    server.put("/t.tar.gz", bytes.clone());
    let line = |digest: &str| {
        let address = &server.address;
        format!("mod 't', type: 'tarball', source: '{address}/t.tar.gz', version: '{digest}'\n")
    };
    site.puppetfile(&line(&"0".repeat(64)));
    let report = site.deploy();
    assert!(messages(&report).contains("another is expected"), "{}", messages(&report));
    site.puppetfile(&line(&sha256(&bytes)));
    let report = site.deploy();
    assert_eq!(actions(&report), ["created production"], "{}", messages(&report));
    let path = site.environment().join("modules/t/manifests/init.pp");
    assert_eq!(fs::read_to_string(path).unwrap(), "class t {}\n");
    server.take_requests();
    site.puppetfile(&format!("{}# again\n", line(&sha256(&bytes))));
    site.deploy();
    assert_eq!(server.take_requests(), [""; 0]);
}

#[test]
fn a_working_copy_keeps_the_installed_release() {
    let (site, server) = (Site::new(), Server::start());
    let settings = site.configured(&format!("forge:\n  baseurl: {}\n", server.address));
    let root = site.dir.path().join("copy");
    fs::create_dir(&root).unwrap();
    let request = InstallRequest {
        puppetfile: root.join("Puppetfile"),
        moduledir: None,
        force: false,
        dry_run: false,
        default_branch_override: None,
    };
    let run = |text: &str| {
        fs::write(&request.puppetfile, text).unwrap();
        let report = install(&settings, &request, &SourceMap::new()).unwrap();
        let actions = report.modules.iter().map(|module| module.action.name());
        assert!(!report.has_errors(), "{:?}", report.diagnostics);
        actions.collect::<Vec<_>>().join(" ")
    };
    let manifest = || fs::read_to_string(root.join("modules/m/manifests/init.pp")).unwrap();
    for version in ["1.0.0", "2.0.0"] {
        let bytes = plain(&format!("class m {{ {version} }}\n"));
        server.release("o-m", version, &bytes, &with_sha256(&bytes));
        if version == "1.0.0" {
            assert_eq!(run("mod 'o/m'\n"), "created");
        }
    }
    server.take_requests();
    assert_eq!(run("mod 'o/m'\n"), "unchanged");
    assert_eq!(server.take_requests(), [""; 0]);
    assert!(manifest().contains("1.0.0") && root.join("modules/m/spec").exists());
    assert_eq!(run("mod 'o/m', :latest\n"), "changed");
    assert!(manifest().contains("2.0.0"));
    assert_eq!(run("mod 'o/m', '1.0.0'\n"), "changed");
    assert!(manifest().contains("1.0.0"));
}
