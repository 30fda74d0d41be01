//! Environments that deploys switch while agents run.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_fleet_store::{Pin, Sqlite, now, put_pin, remove_pin};
use rustix::fs::{FlockOperation, flock};
use serde_json::json;

use crate::catalogs::{catalog_of, client, facts};
use crate::support::{Client, Reply, TestServer, write};

/// Writes a revision of the environment `production` as deploys do.
pub(crate) fn revision(code: &Path, id: &str, text: &str) {
    let dir = code.join("environments/.revisions/production").join(id);
    write(&dir.join("manifests/site.pp"), "include m\n");
    let class = "class m { file { '/tmp/a': source => 'puppet:///modules/m/a.txt' }\n\
                 notify { file('m/a.txt'): } }\n";
    write(&dir.join("modules/m/manifests/init.pp"), class);
    write(&dir.join("modules/m/files/a.txt"), text);
    write(&dir.join("modules/m/lib/facter/f.rb"), &format!("# {text}\n"));
}

/// Switches the environment to a revision.
pub(crate) fn switch(code: &Path, id: &str) {
    let link = code.join("environments/.revisions/.new-link");
    symlink(Path::new(".revisions/production").join(id), &link).unwrap();
    std::fs::rename(&link, code.join("environments/production")).unwrap();
}

fn content(client: &mut Client, path: &str) -> String {
    let target = format!("/puppet/v3/{path}environment=production");
    client.get(&target).unwrap().text()
}

/// Whether a deploy could remove a revision.
fn is_unused(code: &Path, id: &str) -> bool {
    let dir = code.join("environments/.revisions/production").join(id);
    let dir = std::fs::File::open(dir).unwrap();
    flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[test]
fn a_run_has_the_files_of_the_revision_of_its_catalog() {
    for is_static in [false, true] {
        run_during_a_switch(is_static);
    }
}

fn run_during_a_switch(is_static: bool) {
    let server = TestServer::start(&[("unused.txt", "")], |config| {
        config.static_catalogs = is_static;
        revision(&config.code, "one", "first");
        revision(&config.code, "two", "second");
        switch(&config.code, "one");
    });
    let code = server.path("code");
    let mut web = client(&server);
    let catalog = catalog_of(&mut web, &facts(), "production");
    let document = catalog.json();
    assert_eq!(document["code_id"], "one", "{}", catalog.text());
    // Paths are those of the environment.
    let place = code.join("environments/production/modules/m");
    let declared = place.join("manifests/init.pp").display().to_string();
    let resources = document["resources"].as_array().unwrap();
    assert!(resources.iter().any(|resource| resource["file"] == declared.as_str()));
    assert!(!catalog.text().contains(".revisions"), "{}", catalog.text());
    if is_static {
        let metadata = &document["metadata"]["/tmp/a"];
        assert_eq!(metadata["path"], place.join("files/a.txt").display().to_string());
        assert_eq!(metadata["content_uri"], "puppet:///modules/m/files/a.txt");
    }

    switch(&code, "two");
    assert_eq!(content(&mut web, "file_content/modules/m/a.txt?"), "first");
    assert_eq!(content(&mut web, "file_content/plugins/facter/f.rb?"), "# first\n");
    let metadata = content(&mut web, "file_metadata/modules/m/a.txt?checksum_type=sha256&");
    assert!(metadata.contains(&ordain_functions::digest::sha256(b"first")), "{metadata}");
    assert!(metadata.contains(&place.join("files").display().to_string()), "{metadata}");
    let listing = content(&mut web, "file_metadatas/plugins?recurse=true&checksum_type=sha256&");
    assert!(listing.contains(&ordain_functions::digest::sha256(b"# first\n")), "{listing}");
    let of_code = |id| format!("static_file_content/modules/m/files/a.txt?code_id={id}&");
    assert_eq!(content(&mut web, &of_code("one")), "first");
    assert_eq!(content(&mut web, &of_code("two")), "second");
    assert!(content(&mut web, &of_code("three")).contains("no modules/m"));
    assert!(content(&mut web, &of_code("..")).contains("no modules/m"));

    // A run that begins after the switch has the other revision, also before its catalog.
    let db = server.generate("db.example.org", |_| {});
    let mut db = server.connect(Some(&db)).unwrap();
    assert_eq!(content(&mut db, "file_content/modules/m/a.txt?"), "second");
    assert!(!is_unused(&code, "one") && !is_unused(&code, "two"));

    // The next run begins, and nobody uses the first revision any more.
    let node = "/puppet/v3/node/web.example.org?environment=production";
    assert_eq!(web.get(node).unwrap().status, 200);
    let begin = Instant::now();
    while !is_unused(&code, "one") {
        assert!(begin.elapsed() < Duration::from_secs(5), "the revision is still in use");
    }
    assert_eq!(content(&mut web, "file_content/modules/m/a.txt?"), "second");
    let next = catalog_of(&mut web, &facts(), "production");
    assert_eq!(next.json()["code_id"], "two");
}

#[test]
fn a_stored_catalog_has_the_id_of_the_revision_of_now() {
    let server = TestServer::start(&[("unused.txt", "")], |config| {
        revision(&config.code, "one", "same");
        revision(&config.code, "two", "same");
        switch(&config.code, "one");
    });
    let mut web = client(&server);
    let first = catalog_of(&mut web, &facts(), "production");
    assert_eq!(first.json()["code_id"], "one");
    switch(&server.path("code"), "two");
    let second = catalog_of(&mut web, &facts(), "production");
    assert_eq!(second.json()["code_id"], "two");
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    let stored = admin.get("/pdb/query/v4/catalogs/web.example.org").unwrap();
    assert_eq!(stored.json()["code_id"], "two");
}

#[test]
fn a_pinned_node_has_the_code_of_its_revision() {
    let server = TestServer::start(&[("unused.txt", "")], |config| {
        revision(&config.code, "one", "first");
        revision(&config.code, "two", "second");
        switch(&config.code, "two");
    });
    let code = server.path("code");
    let store = Sqlite::open(&server.path("state/nodes/nodes.sqlite"), 1, Vec::new()).unwrap();
    let mut web = client(&server);
    assert_eq!(catalog_of(&mut web, &facts(), "production").json()["code_id"], "two");
    let pin = |revision: &str| {
        let pin = Pin {
            certname: "web.example.org".to_owned(),
            revision: revision.to_owned(),
            pinned: now(),
            actor: "root".to_owned(),
        };
        ordain_fleet_store::write(&store, |connection| put_pin(connection, &pin)).unwrap();
    };
    let until = |web: &mut Client, is_true: &dyn Fn(&Reply) -> bool| {
        let begin = Instant::now();
        loop {
            let catalog = catalog_of(web, &facts(), "production");
            if is_true(&catalog) {
                return catalog;
            }
            assert!(begin.elapsed() < Duration::from_secs(10), "{}", catalog.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    pin("one");
    let pinned = until(&mut web, &|catalog| catalog.json()["code_id"] == "one");
    assert!(pinned.text().contains("first"), "{}", pinned.text());
    assert!(!pinned.text().contains(".revisions"), "{}", pinned.text());
    assert_eq!(content(&mut web, "file_content/modules/m/a.txt?"), "first");
    assert!(!is_unused(&code, "one"));
    // Other nodes have the current code, also after the pinned one.
    let db = server.generate("db.example.org", |_| {});
    let mut db = server.connect(Some(&db)).unwrap();
    assert_eq!(content(&mut db, "file_content/modules/m/a.txt?"), "second");
    // The stored answer is that of the revision.
    assert_eq!(catalog_of(&mut web, &facts(), "production").json()["code_id"], "one");
    revision(&code, "three", "third");
    switch(&code, "three");
    // The catalog that the node would get, and that of the environment that a program names.
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    let mut compile = |prefers: bool| {
        let body = json!({
            "certname": "web.example.org", "environment": "production",
            "persistence": { "facts": false, "catalog": false },
            "options": { "prefer_requested_environment": prefers },
        });
        admin.request("POST", "/puppet/v4/catalog", &[], body.to_string().as_bytes()).unwrap()
    };
    let catalog = compile(false).text();
    assert!(catalog.contains("first") && !catalog.contains("third"), "{catalog}");
    let catalog = compile(true).text();
    assert!(catalog.contains("third") && !catalog.contains("first"), "{catalog}");
    assert_eq!(catalog_of(&mut web, &facts(), "production").json()["code_id"], "one");

    pin("none");
    let refused = until(&mut web, &|catalog| catalog.status == 404);
    assert!(refused.text().contains("pinned to the revision none"), "{}", refused.text());
    assert_eq!((compile(false).status, compile(true).status), (404, 200));

    let unpin = |connection: &mut dyn ordain_fleet_store::Connection| {
        remove_pin(connection, "web.example.org", "root", now())
    };
    ordain_fleet_store::write(&store, unpin).unwrap();
    until(&mut web, &|catalog| catalog.status == 200 && catalog.json()["code_id"] == "three");
}
