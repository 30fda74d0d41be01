//! Catalogs, facts and reports.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::support::{Client, Reply, TestServer};

const SITE: &str = "environments/production/manifests/site.pp";

/// Encodes everything but letters and digits, as agents encode the parts of a form.
fn encode(text: &str) -> String {
    let byte = |b: u8| match b.is_ascii_alphanumeric() {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// A request for the catalog of `web.example.org` with these facts.
pub(crate) fn catalog_of(client: &mut Client, facts: &Json, environment: &str) -> Reply {
    let facts = encode(&encode(&facts.to_string()));
    let body = format!(
        "environment={environment}&facts_format=application%2Fjson&facts={facts}\
         &check_environment=true&static_catalog=true&checksum_type=sha256.md5&transaction_uuid=1"
    );
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "application/vnd.puppet.rich+json, application/json, text/pson"),
    ];
    let target = format!("/puppet/v3/catalog/web.example.org?environment={environment}");
    client.request("POST", &target, &headers, body.as_bytes()).unwrap()
}

pub(crate) fn facts() -> Json {
    json!({ "name": "web.example.org", "values": { "role": "web", "os": { "family": "Debian" } } })
}

pub(crate) fn client(server: &TestServer) -> Client {
    let node = server.generate("web.example.org", |options| {
        options.extensions = vec![("pp_role".to_string(), "database".to_string())];
        options.existing = ordain_ca::Existing::Revoke;
    });
    server.connect(Some(&node)).unwrap()
}

/// The titles of notifications in a catalog.
pub(crate) fn titles(reply: &Reply) -> Vec<String> {
    let catalog = reply.json();
    let all = catalog["resources"].as_array().unwrap_or_else(|| panic!("{}", reply.text()));
    let notifications = all.iter().filter(|r| r["type"] == "Notify");
    notifications.map(|r| r["title"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_catalog_knows_facts_and_the_certificate() {
    let site = "notify { \"${facts['role']} ${trusted['extensions']['pp_role']} \
                ${trusted['certname']} ${server_facts['environment']}\": }\n";
    let server = TestServer::start(&[(SITE, site)], |_| {});
    let mut client = client(&server);
    let reply = catalog_of(&mut client, &facts(), "production");
    assert_eq!(titles(&reply), ["web database web.example.org production"]);
    assert_eq!(reply.header("content-type"), Some("application/vnd.puppet.rich+json"));
    let catalog = reply.json();
    assert_eq!(catalog["name"], "web.example.org");
    assert!(catalog["version"].is_i64() && catalog["catalog_uuid"].as_str().unwrap().len() == 36);
}

#[test]
fn facts_of_another_node_are_refused() {
    let server = TestServer::start(&[(SITE, "notify { 'a': }\n")], |_| {});
    let mut client = client(&server);
    let mut wrong = facts();
    wrong["name"] = "other.example.org".into();
    let reply = catalog_of(&mut client, &wrong, "production");
    assert_eq!(reply.status, 400);
    assert!(reply.text().contains("were sent for"), "{}", reply.text());
    // Tags of rich data are plain texts in facts.
    let mut tagged = facts();
    tagged["values"]["role"] = json!({ "__ptype": "Deferred", "name": "system" });
    assert_eq!(catalog_of(&mut client, &tagged, "production").status, 200);
}

#[test]
fn an_edit_is_live_at_once() {
    let site = "include a\nnotify { $facts['role']: }\n";
    let init = "environments/production/modules/a/manifests/init.pp";
    let code = [(SITE, site), (init, "class a { notify { 'one': } }\n")];
    let server = TestServer::start(&code, |_| {});
    let mut client = client(&server);
    assert_eq!(titles(&catalog_of(&mut client, &facts(), "production")), ["one", "web"]);
    server.edit(init, "class a { notify { 'two': } }\n");
    let begin = Instant::now();
    while titles(&catalog_of(&mut client, &facts(), "production")) != ["two", "web"] {
        assert!(begin.elapsed() < Duration::from_secs(5), "the edit is not noticed");
    }
    println!("an edit was live after {:?}", begin.elapsed());
    server.edit(SITE, "notify { 'x' }\n");
    while catalog_of(&mut client, &facts(), "production").status != 500 {
        assert!(begin.elapsed() < Duration::from_secs(5), "the error is not noticed");
    }
    server.edit(SITE, "include a\n");
    while catalog_of(&mut client, &facts(), "production").status != 200 {
        assert!(begin.elapsed() < Duration::from_secs(5), "the repair is not noticed");
    }
}

#[test]
fn errors_are_in_the_words_of_puppet() {
    let server = TestServer::start(&[(SITE, "\nfail('no way')\n")], |_| {});
    let mut client = client(&server);
    let reply = catalog_of(&mut client, &facts(), "production");
    assert_eq!(reply.status, 500);
    let error = reply.json();
    let message = error["message"].as_str().unwrap();
    let path = server.path("code").join(SITE);
    let expected = format!(
        "Server Error: Evaluation Error: Error while evaluating a Function Call, no way (file: {}, \
         line: 2, column: 1) on node web.example.org",
        path.display()
    );
    assert_eq!(message, expected);
    assert_eq!(catalog_of(&mut client, &facts(), "missing").status, 404);
    assert_eq!(catalog_of(&mut client, &facts(), "..").status, 400);
}

#[test]
fn rules_classify_by_certificate_and_facts() {
    let test = "environments/test/manifests/site.pp";
    let class = "environments/test/modules/m/manifests/init.pp";
    let code = [
        (SITE, "notify { 'production': }\n"),
        (test, "notify { $level: }\n"),
        (class, "class m($x) { notify { \"m ${x}\": } }\n"),
        (
            "../rules.yaml",
            "rules:\n- classes: {m: {x: 1}}\n  match: {facts.role: web}\n- match: \
             {trusted.extensions.pp_role: data*}\n  environment: test\n  parameters: {level: high}\n",
        ),
    ];
    let server = TestServer::start(&code, |config| {
        config.classification = Some(config.state.parent().unwrap().join("rules.yaml"));
    });
    let mut client = client(&server);
    let target = "/puppet/v3/node/web.example.org?environment=production";
    let node = client.get(target).unwrap().json();
    assert_eq!((&node["environment"], &node["classes"]), (&json!("test"), &json!({})));
    // The agent learns its environment, then asks for its catalog.
    let reply = catalog_of(&mut client, &facts(), "production").json();
    assert_eq!(reply["environment"], "test");
    assert_eq!(titles(&catalog_of(&mut client, &facts(), "test")), ["high", "m 1"]);
    // The facts are stored now.
    let node = client.get(target).unwrap().json();
    assert_eq!(node["classes"], json!({ "m": { "x": 1 } }));
}

#[test]
fn a_classifier_assigns_the_environment() {
    let test = "environments/test/manifests/site.pp";
    let code = [(SITE, "notify { 'production': }\n"), (test, "notify { $level: }\n")];
    let server = TestServer::start(&code, |config| {
        use std::os::unix::fs::PermissionsExt;
        let program = config.state.parent().unwrap().join("classify");
        let text =
            "#!/bin/sh\nprintf 'environment: test\\nclasses: []\\nparameters: {level: high}\\n'\n";
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        config.classifier = Some(program);
    });
    let mut client = client(&server);
    let node = client.get("/puppet/v3/node/web.example.org?environment=production").unwrap();
    assert_eq!(node.json()["environment"], "test");
    assert_eq!(node.json()["parameters"]["level"], "high");
    let told = catalog_of(&mut client, &facts(), "production");
    assert_eq!(told.json()["environment"], "test");
    assert!(titles(&told).is_empty());
    assert_eq!(titles(&catalog_of(&mut client, &facts(), "test")), ["high"]);
}

#[test]
fn nodes_collect_what_others_export() {
    let site = "node 'web.example.org' { @@notify { 'from web': } }\n\
                node 'db.example.org' { Notify <<| |>> }\n";
    let server = TestServer::start(&[(SITE, site)], |_| {});
    let mut web = client(&server);
    assert_eq!(catalog_of(&mut web, &facts(), "production").status, 200);
    let db = server.generate("db.example.org", |_| {});
    let mut db = server.connect(Some(&db)).unwrap();
    let facts = json!({ "name": "db.example.org", "values": {} });
    let facts = encode(&encode(&facts.to_string()));
    let body = format!("environment=production&facts_format=pson&facts={facts}");
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let target = "/puppet/v3/catalog/db.example.org";
    let reply = db.request("POST", target, &headers, body.as_bytes()).unwrap();
    assert_eq!(titles(&reply), ["from web"]);
    // The facts are stored, so the next request needs none.
    let stored = db.get("/puppet/v3/catalog/db.example.org?environment=production").unwrap();
    assert_eq!(titles(&stored), ["from web"]);
}

#[test]
fn reports_and_facts_are_of_their_sender() {
    let server = TestServer::start(&[(SITE, "")], |_| {});
    let mut client = client(&server);
    let mut put = |target: &str, kind: &str, body: &Json| {
        let body = body.to_string();
        client.request("PUT", target, &[("content-type", kind)], body.as_bytes()).unwrap()
    };
    let report = "/puppet/v3/report/web.example.org?environment=production";
    let own = json!({ "host": "web.example.org", "status": "changed", "report_format": 12 });
    let other = json!({ "host": "other.example.org", "status": "changed" });
    assert_eq!(put(report, "application/json", &other).status, 400);
    assert_eq!(put(report, "text/yaml", &own).status, 415);
    let facts = "/puppet/v3/facts/web.example.org?environment=production";
    let own = json!({ "name": "web.example.org", "values": { "a": 1 } });
    let other = json!({ "name": "other.example.org", "values": { "a": 1 } });
    let done = put(facts, "application/json", &own);
    assert_eq!((done.status, done.text().as_str()), (200, "[]"));
    assert_eq!(put(facts, "application/json", &other).status, 400);
}

#[test]
fn long_replies_are_compressed_on_request() {
    let site = "range(1, 200).each |$i| { notify { \"number ${i}\": } }\n";
    let server = TestServer::start(&[(SITE, site)], |_| {});
    let mut client = client(&server);
    let plain = catalog_of(&mut client, &facts(), "production");
    let headers = [("accept-encoding", "gzip;q=1.0,deflate;q=0.6")];
    let target = "/puppet/v3/catalog/web.example.org?environment=production";
    let packed = client.request("GET", target, &headers, b"").unwrap();
    assert_eq!(
        (plain.header("content-encoding"), packed.header("content-encoding")),
        (None, Some("gzip"))
    );
    assert!(packed.body.len() * 5 < plain.body.len());
}

#[test]
fn an_administrator_compiles_for_others() {
    let site = "notify { \"${facts['role']} ${trusted['certname']}\": }\nnotice('said')\n";
    let server = TestServer::start(&[(SITE, site)], |_| {});
    let admin = server.generate("admin.example.org", |options| options.admin = true);
    let mut admin = server.connect(Some(&admin)).unwrap();
    let mut ask = |body: Json| {
        let headers = [("content-type", "application/json")];
        admin.request("POST", "/puppet/v4/catalog", &headers, body.to_string().as_bytes()).unwrap()
    };
    let body = json!({
        "certname": "web.example.org", "environment": "production",
        "persistence": { "facts": true, "catalog": false },
        "facts": { "values": { "role": "web" } },
        "trusted_facts": { "values": { "certname": "web.example.org" } },
        "options": { "capture_logs": true },
    });
    let title = |reply: &Reply| {
        let catalog = reply.json();
        let all = catalog["catalog"]["resources"]
            .as_array()
            .unwrap_or_else(|| panic!("{}", reply.text()));
        all.iter().find(|r| r["type"] == "Notify").unwrap()["title"].clone()
    };
    let reply = ask(body);
    assert_eq!(title(&reply), "web web.example.org");
    assert_eq!(reply.json()["logs"][0]["message"], "said");
    // The facts were stored, and with them the trusted facts.
    let mut body = json!({
        "certname": "web.example.org", "environment": "production",
        "persistence": { "facts": false, "catalog": false },
    });
    assert_eq!(title(&ask(body.clone())), "web web.example.org");
    body["certname"] = "unknown.example.org".into();
    assert_eq!(ask(body.clone()).status, 400);
    body["certname"] = "*".into();
    assert_eq!(ask(body).status, 400);
    assert_eq!(ask(json!({ "certname": "a" })).status, 400);
}

#[test]
fn edits_behind_links_are_live() {
    use std::os::unix::fs::symlink;
    let server = TestServer::start(&[("unused.txt", "")], |config| {
        let base = config.state.parent().unwrap().to_path_buf();
        for (release, text) in [("one", "include m\n"), ("two", "notify { 'second': }\n")] {
            let site = base.join("releases").join(release).join("manifests/site.pp");
            crate::support::write(&site, text);
            std::fs::create_dir_all(base.join("releases").join(release).join("modules")).unwrap();
        }
        let module = "class m { notify { 'first': } }\n";
        crate::support::write(&base.join("shared/m/manifests/init.pp"), module);
        symlink(base.join("shared/m"), base.join("releases/one/modules/m")).unwrap();
        std::fs::create_dir_all(base.join("code/environments")).unwrap();
        symlink(base.join("releases/one"), base.join("code/environments/production")).unwrap();
    });
    let mut client = client(&server);
    let mut until = |title: &str| {
        let begin = Instant::now();
        while titles(&catalog_of(&mut client, &facts(), "production")) != [title] {
            assert!(begin.elapsed() < Duration::from_secs(5), "{title} is not noticed");
        }
    };
    until("first");
    let module = server.path("shared/m/manifests/init.pp");
    std::fs::write(module, "class m { notify { 'edited': } }\n").unwrap();
    until("edited");
    // A deployment switches the link at once.
    let next = server.path("code/environments/next");
    symlink(server.path("releases/two"), &next).unwrap();
    std::fs::rename(next, server.path("code/environments/production")).unwrap();
    until("second");
    let site = server.path("releases/two/manifests/site.pp");
    std::fs::write(site, "notify { 'third': }\n").unwrap();
    until("third");
}
