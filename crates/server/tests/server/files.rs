//! Files: mounts, metadata, listings, traversal.

use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

use ordain_testkit::golden::golden;

use crate::support::{Client, TestServer, write};

const CODE: [(&str, &str); 6] = [
    ("environments/production/manifests/site.pp", ""),
    ("environments/production/modules/m/files/a.txt", "text\n"),
    ("environments/production/modules/m/files/sub/b.txt", "deep\n"),
    ("environments/production/modules/m/lib/facter/f.rb", "# m\n"),
    ("environments/production/modules/n/lib/facter/f.rb", "# n\n"),
    ("environments/production/modules/n/facts.d/x.txt", "x=1\n"),
];

fn client(server: &TestServer) -> Client {
    let node = server.generate("web.example.org", |_| {});
    server.connect(Some(&node)).unwrap()
}

fn metadata(kind: &str, path: &str, more: &str) -> String {
    format!("/puppet/v3/{kind}/{path}?environment=production&checksum_type=sha256{more}")
}

#[test]
fn metadata_has_the_form_of_puppets_server() {
    let server = TestServer::start(&CODE, |_| {});
    let mut client = client(&server);
    let reply = client.get(&metadata("file_metadata", "modules/m/a.txt", "&links=manage")).unwrap();
    let file = reply.json();
    let text = ordain_functions::digest::sha256(b"text\n");
    assert_eq!(file["checksum"]["value"], format!("{{sha256}}{text}"));
    assert_eq!((&file["type"], &file["mode"]), (&"file".into(), &0o644.into()));
    assert!(file["relative_path"].is_null() && file["destination"].is_null());
    let listing = client
        .get(&metadata("file_metadatas", "plugins", "&recurse=true&links=follow&ignore=.git"))
        .unwrap();
    let paths: Vec<String> = listing.json().as_array().unwrap().iter().map(path_of).collect();
    // Of two modules with the same file the first one wins.
    assert_eq!(paths, [". m/lib", "facter m/lib", "facter/f.rb m/lib"]);
    let listing = client.get(&metadata("file_metadatas", "locales", "&recurse=true")).unwrap();
    assert_eq!(listing.json().as_array().unwrap().len(), 1);
    let facts = client.get(&metadata("file_metadatas", "pluginfacts", "&recurse=true")).unwrap();
    let paths: Vec<String> = facts.json().as_array().unwrap().iter().map(path_of).collect();
    assert_eq!(paths, [". n/facts.d", "x.txt n/facts.d"]);
}

/// The relative path, and the end of the base path.
fn path_of(entry: &serde_json::Value) -> String {
    let base = Path::new(entry["path"].as_str().unwrap());
    let end: Vec<_> = base.iter().rev().take(2).map(|part| part.to_str().unwrap()).collect();
    format!("{} {}/{}", entry["relative_path"].as_str().unwrap(), end[1], end[0])
}

#[test]
fn a_new_plugin_is_listed_at_once() {
    let server = TestServer::start(&CODE, |_| {});
    let mut client = client(&server);
    let target = metadata("file_metadatas", "plugins", "&recurse=true&links=follow");
    let mut count = || client.get(&target).unwrap().json().as_array().unwrap().len();
    assert_eq!((count(), count()), (3, 3));
    server.edit("environments/production/modules/n/lib/facter/new.rb", "# new\n");
    let begin = std::time::Instant::now();
    while count() != 4 {
        assert!(begin.elapsed() < std::time::Duration::from_secs(5), "it is not listed");
    }
}

#[test]
fn listings_have_limits() {
    let server = TestServer::start(&CODE, |_| {});
    let mut client = client(&server);
    let mut count = |more: &str| {
        let reply = client.get(&metadata("file_metadatas", "modules/m", more)).unwrap();
        match reply.status {
            200 => reply.json().as_array().unwrap().len().to_string(),
            status => format!("{status}"),
        }
    };
    assert_eq!(count("&recurse=false"), "1");
    assert_eq!(count("&recurse=true"), "4");
    assert_eq!(count("&recurse=true&recurselimit=1"), "3");
    assert_eq!(count("&recurse=true&ignore=sub"), "2");
    assert_eq!(count("&recurse=true&ignore=*.txt"), "2");
    assert_eq!(count("&recurse=true&max_files=2"), "500");
    assert_eq!(count("&recurse=true&max_files=-1"), "4");
    assert_eq!(count("&recurse=true&max_files=x"), "400");
    assert_eq!(count("&links=other"), "400");
}

#[test]
fn own_mounts_are_per_client() {
    let server = TestServer::start(&CODE, |config| {
        let base = config.state.parent().unwrap().to_path_buf();
        write(&base.join("data/web.example.org/own.txt"), "own\n");
        write(&base.join("data/other.example.org/secret.txt"), "secret\n");
        let file = base.join("fileserver.conf");
        write(&file, &format!("[data]\n  path {}/%H\n", base.join("data").display()));
        config.fileserver = Some(file);
    });
    let mut client = client(&server);
    let own = client.get("/puppet/v3/file_content/data/own.txt?environment=production").unwrap();
    assert_eq!((own.status, own.text()), (200, "own\n".to_string()));
    let secret = "/puppet/v3/file_content/data/secret.txt?environment=production";
    assert_eq!(client.get(secret).unwrap().status, 404);
}

/// Paths on mounts that lead out of them, or would if they were read in another way.
const PATHS: [&str; 24] = [
    "modules/m/a.txt",
    "modules/m/../../../../../../etc/passwd",
    "modules/m/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret.txt",
    "modules/m/%252e%252e/%252e%252e/secret.txt",
    "modules/m/..%2f..%2fsecret.txt",
    "modules/m/%2e%2e%2fsecret.txt",
    "modules/m//etc/passwd",
    "modules/m/%2fetc%2fpasswd",
    "modules//etc/passwd",
    "modules/../secret.txt",
    "modules/m/a.txt%00.png",
    "modules/m/a.txt/..",
    "modules/m/.%2e/secret.txt",
    "modules/m/..%5csecret.txt",
    "modules/m/absolute",
    "modules/m/upward",
    "modules/m/inside",
    "modules/m/linked/secret.txt",
    "modules/m",
    "modules",
    "plugins/../../secret.txt",
    "plugins/facter/f.rb",
    "nomount/a.txt",
    "..",
];

#[test]
fn no_path_leads_out_of_a_mount() {
    let server = TestServer::start(&CODE, |_| {});
    write(&server.path("secret.txt"), "secret\n");
    let files = server.path("code/environments/production/modules/m/files");
    symlink(server.path("secret.txt"), files.join("absolute")).unwrap();
    symlink("../../../../../../secret.txt", files.join("upward")).unwrap();
    symlink("sub/b.txt", files.join("inside")).unwrap();
    symlink("../../../../../..", files.join("linked")).unwrap();
    let mut client = client(&server);
    let kinds = ["file_content", "file_metadata", "file_metadatas", "static_file_content"];
    let mut table = format!("{:50} content metadata metadatas static\n", "path");
    for path in PATHS {
        let statuses = kinds.map(|kind| {
            let target = format!(
                "/puppet/v3/{kind}/{path}?environment=production&code_id=x&links=follow&recurse=true"
            );
            let reply = client.get(&target).unwrap();
            let text = reply.text();
            assert!(!text.contains("secret\n") && !text.contains("root:"), "{target}: {text}");
            reply.status.to_string()
        });
        writeln!(
            table,
            "{path:50} {:7} {:8} {:9} {}",
            statuses[0], statuses[1], statuses[2], statuses[3]
        )
        .unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/routes/traversal.txt");
    golden(1, |golden| golden.file(&path, &table));
}

#[test]
fn the_bucket_takes_what_has_its_digest() {
    let server = TestServer::start(&CODE, |_| {});
    let mut one = client(&server);
    let other = server.generate("other.example.org", |_| {});
    let mut other = server.connect(Some(&other)).unwrap();
    let digest = ordain_functions::digest::sha256(b"old\n");
    let target = format!("/puppet/v3/file_bucket_file/sha256/{digest}/etc/motd");
    let head = |client: &mut Client| client.request("HEAD", &target, &[], b"").unwrap().status;
    let put = |client: &mut Client, body: &[u8]| {
        let headers = [("content-type", "application/octet-stream")];
        client.request("PUT", &target, &headers, body).unwrap().status
    };
    assert_eq!(head(&mut one), 404);
    assert_eq!(put(&mut one, b"other\n"), 400);
    assert_eq!(put(&mut one, b"old\n"), 200);
    assert_eq!((head(&mut one), head(&mut other)), (200, 404));
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    assert_eq!(admin.get(&target).unwrap().status, 404);
    let found = admin.get(&format!("{target}?node=web.example.org")).unwrap();
    assert_eq!((found.status, found.text()), (200, "old\n".to_string()));
    assert_eq!(admin.get(&format!("{target}?node=../web")).unwrap().status, 400);
}
