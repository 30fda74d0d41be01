//! The files that agents copy, compared by their metadata. Another server of this program has the
//! code of the old one, and answers for it.

use std::path::Path;
use std::sync::Mutex;

use ordain_testkit::golden::golden;
use serde_json::Value as Json;

use super::{Old, SITE, admin, reply, wait};
use crate::catalogs::{catalog_of, client, facts};
use crate::support::{TestServer, write};

const MODULE: &str = "environments/production/modules/m";

const CODE: &str = "
File { mode => '0644' }
file { '/etc/same': source => 'puppet:///modules/m/same' }
file { '/etc/other': source => 'puppet:///modules/m/other' }
file { '/etc/either': source => ['puppet:///modules/m/missing', 'puppet:///modules/m/either'] }
file { '/etc/dir': ensure => directory, source => 'puppet:///modules/m/dir', recurse => true, ignore => '*.bak' }
file { '/etc/dir/own': ensure => file, content => 'own' }
file { '/etc/both': source => ['puppet:///modules/m/dir', 'puppet:///modules/m/more'], recurse => true, sourceselect => 'all' }
file { '/etc/private': source => 'puppet:///private/of-node' }
file { '/etc/key': source => Sensitive('puppet:///modules/m/hunter2') }
file { '/etc/gone': ensure => absent, source => 'puppet:///modules/m/other' }
file { '/etc/missing': source => 'puppet:///modules/m/nowhere' }
file { '/etc/listed': source => 'puppet:///modules/m/refused' }
";

/// A server with the code, these files of its module, and a mount.
fn write_code(dir: &Path, files: &[(&str, &str)], private: &str) {
    write(&dir.join("code").join(SITE), CODE);
    for (path, text) in files {
        write(&dir.join("code").join(MODULE).join("files").join(path), text);
    }
    write(&dir.join("private/web.example.org/of-node"), private);
    let mount = format!("[private]\npath {}/private/%H\n", dir.display());
    write(&dir.join("fileserver.conf"), &mount);
}

/// The old server, whose files are those of a server of this program.
fn old_server(behind: TestServer, catalog: Vec<u8>) -> Old {
    let client = Mutex::new(client(&behind));
    Old::start(move |seen| {
        // The server ends with this closure.
        let _behind = &behind;
        let target = seen.line.split(' ').nth(1).unwrap();
        match target {
            _ if target.contains("/catalog/") => reply("200 OK", "", &catalog),
            _ if target.contains("/refused") => reply("403 Forbidden", "", b"no"),
            _ if target.starts_with("/puppet/v3/file_metadata") => {
                assert_eq!(seen.all("x-client-dn"), ["CN=web.example.org"]);
                let got = client.lock().unwrap().get(target).unwrap();
                let status = format!("{} Status", got.status);
                reply(&status, "content-type: application/json\r\n", &got.body)
            }
            _ => reply("404 Not Found", "", b""),
        }
    })
}

/// The document without times.
fn without_times(document: &Json) -> String {
    let mut document = document.clone();
    for name in ["first_compared", "last_skipped", "old"] {
        document[name] = Json::Null;
    }
    document["differences"]["before"] = Json::Null;
    for node in document["nodes"].as_array_mut().unwrap() {
        node["compared"] = Json::Null;
        node["differs_since"] = Json::Null;
    }
    format!("{document:#}\n")
}

#[test]
fn copied_files_are_compared() {
    let old_files = [
        ("same", "same\n"),
        ("other", "of the old server\n"),
        ("either", "old\n"),
        ("dir/a", "old\n"),
        ("dir/b", "same\n"),
        ("dir/gone/deep", "old\n"),
        ("dir/own", "old\n"),
        ("dir/x.bak", "old\n"),
        ("more/c", "old\n"),
        ("more/a", "hidden by dir/a\n"),
        ("refused", "old\n"),
        ("hunter2", "old\n"),
    ];
    let new_files = [
        ("same", "same\n"),
        ("other", "of the new server\n"),
        ("missing", "new\n"),
        ("either", "old\n"),
        ("dir/a", "new\n"),
        ("dir/b", "same\n"),
        ("dir/new", "new\n"),
        ("dir/own", "new\n"),
        ("dir/x.bak", "new\n"),
        ("more/c", "new\n"),
        ("more/a", "hidden, and other\n"),
        ("refused", "new\n"),
        ("hunter2", "new\n"),
    ];
    let dir = tempfile::tempdir().unwrap();
    write_code(dir.path(), &old_files, "private text of the old server\n");
    let mounts = dir.path().join("fileserver.conf");
    let behind = TestServer::start_in(dir, |config| config.fileserver = Some(mounts));
    let catalog = catalog_of(&mut client(&behind), &facts(), "production");
    assert_eq!(catalog.status, 200, "{}", catalog.text());
    let old = old_server(behind, catalog.body.clone());

    let dir = tempfile::tempdir().unwrap();
    write_code(dir.path(), &new_files, "private text of the new server\n");
    let mounts = dir.path().join("fileserver.conf");
    let server = old.shadow_in(dir, |config| config.fileserver = Some(mounts));
    let (mut web, mut admin) = (client(&server), admin(&server));
    assert_eq!(catalog_of(&mut web, &facts(), "production").status, 200);
    let document = wait(&mut admin, |document| document["counts"]["compared"] == 1);
    let shown = without_times(&document);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/shadow/files.json");
    golden(1, |golden| golden.file(&path, &shown));
    let page = admin.get("/ordain/v1/shadow/page").unwrap().text();
    for text in ["puppet:///modules/m/other", "of 2 resources on 1 nodes are not compared"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Neither contents nor secrets are shown.
    for text in [document.to_string(), page] {
        assert!(!text.contains("hunter2") && !text.contains("private text"), "{text}");
    }

    // With the same files, only what cannot be compared is left.
    for (path, text) in old_files {
        server.edit(&format!("{MODULE}/files/{path}"), text);
    }
    for path in ["missing", "dir/new"] {
        std::fs::remove_file(server.path("code").join(MODULE).join("files").join(path)).unwrap();
    }
    write(&server.path("private/web.example.org/of-node"), "private text of the old server\n");
    let zero = wait(&mut admin, |document| {
        catalog_of(&mut web, &facts(), "production");
        !document["zero_since"].is_null()
    });
    assert_eq!(zero["nodes"][0]["files_not_compared"], 2, "{zero:#}");
}

#[test]
fn metadata_in_static_catalogs_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let site = "file { '/etc/other': source => 'puppet:///modules/m/other' }\n";
    write(&dir.path().join("code").join(SITE), site);
    write(&dir.path().join("code").join(MODULE).join("files/other"), "old\n");
    let behind = TestServer::start_in(dir, |config| config.static_catalogs = true);
    let catalog = catalog_of(&mut client(&behind), &facts(), "production");
    assert!(catalog.json()["metadata"]["/etc/other"].is_object(), "{}", catalog.text());
    let old = old_server(behind, catalog.body.clone());
    let file = format!("{MODULE}/files/other");
    let server = old.shadow(&[(SITE, site), (&file, "new\n")], |_| {});
    let (mut web, mut admin) = (client(&server), admin(&server));
    catalog_of(&mut web, &facts(), "production");
    let document = wait(&mut admin, |document| document["counts"]["compared"] == 1);
    let change = &document["differences"]["groups"][0]["changes"][0];
    assert_eq!(
        (&change["change"], &change["source"]),
        (&"file".into(), &"puppet:///modules/m/other".into())
    );
    let asked = old.take_seen().into_iter().filter(|seen| seen.line.contains("file_metadata"));
    assert_eq!(asked.count(), 0);
}
