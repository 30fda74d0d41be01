//! The server over a connection in memory.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use ordain_ide::Error;
use ordain_ide::server::{self, PlanFacts, PlanRequest, PlanText, Planner};
use serde_json::{Value as Json, json};

/// Shows requests instead of making plans; a plan of the node `slow` ends when it is cancelled.
struct Planned;

impl Planner for Planned {
    fn plan(
        &self,
        request: &PlanRequest,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<PlanText, String> {
        while request.node == "slow" && !is_cancelled() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let facts = match &request.facts {
            PlanFacts::File(path) => name(path),
            PlanFacts::Values(values) => {
                let system = values.dig(["os", "name"]).and_then(|name| name.as_str());
                system.unwrap().to_owned()
            }
        };
        let root = request.root.as_deref().map(name);
        let text = format!("{} {facts} {root:?} {}", request.node, request.directory.display());
        let resource = request.resource.iter().map(|resource| format!(" {resource}"));
        let text = text + &resource.collect::<String>();
        Ok(PlanText { is_done: true, text })
    }
}

/// Writes files below a directory.
fn writer(root: &Path) -> impl Fn(&str, &str) {
    move |name, text| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// An editor with a server.
struct Client {
    connection: Connection,
    server: JoinHandle<Result<bool, Error>>,
    last: i32,
    /// Notifications that came while an answer was awaited.
    notes: Vec<Notification>,
}

impl Client {
    fn start(params: Json) -> Self {
        let (theirs, connection) = Connection::memory();
        let server = std::thread::spawn(move || server::run(theirs, Arc::new(Planned)));
        let mut client = Self { connection, server, last: 0, notes: Vec::new() };
        let answer = client.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "ordain");
        client.tell("initialized", json!({}));
        client
    }

    fn tell(&self, method: &str, params: Json) {
        let note = Notification::new(method.into(), params);
        self.connection.sender.send(note.into()).unwrap();
    }

    fn send(&mut self, method: &str, params: Json) -> RequestId {
        self.last += 1;
        let id = RequestId::from(self.last);
        let request = Request::new(id.clone(), method.into(), params);
        self.connection.sender.send(request.into()).unwrap();
        id
    }

    fn next(&mut self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    fn response(&mut self, id: &RequestId) -> Response {
        loop {
            match self.next() {
                Message::Response(response) if response.id == *id => return response,
                Message::Notification(note) => self.notes.push(note),
                _ => {}
            }
        }
    }

    /// Waits for a request of the server.
    fn request(&mut self, method: &str) {
        loop {
            match self.next() {
                Message::Request(request) if request.method == method => return,
                Message::Notification(note) => self.notes.push(note),
                _ => {}
            }
        }
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        let id = self.send(method, params);
        let response = self.response(&id);
        assert!(response.error.is_none(), "{response:?}");
        response.result.unwrap_or_default()
    }

    /// The next diagnostics of a document that satisfy a condition.
    fn diagnostics(&mut self, uri: &str, wanted: impl Fn(&Json) -> bool) -> Json {
        loop {
            let note = match self.notes.is_empty() {
                false => self.notes.remove(0),
                true => match self.next() {
                    Message::Notification(note) => note,
                    _ => continue,
                },
            };
            let is_it =
                note.method == "textDocument/publishDiagnostics" && note.params["uri"] == uri;
            if is_it && wanted(&note.params["diagnostics"]) {
                return note.params["diagnostics"].clone();
            }
        }
    }

    fn open(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "puppet", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn stop(mut self) {
        self.ask("shutdown", json!(null));
        self.tell("exit", json!(null));
        assert_eq!(self.server.join().unwrap(), Ok(true));
    }
}

fn at(uri: &str, line: u32, character: u32) -> Json {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

#[test]
fn a_session_of_an_editor() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("modules/web/manifests")).unwrap();
    std::fs::write(root.join("environment.conf"), "modulepath = modules\n").unwrap();
    let text = "class web(Integer $port = 80) {\n  notice($port)\n}\n";
    std::fs::write(root.join("modules/web/manifests/init.pp"), text).unwrap();
    let folder = format!("file://{}", root.display());
    let watched = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let mut client = Client::start(json!({
        "capabilities": watched,
        "workspaceFolders": [{"uri": folder, "name": "site"}],
    }));
    let site = format!("{folder}/manifests/site.pp");
    client.open(&site, "$🙂 = '🙂'; class { 'web': port => 'x' }\n");
    let found = client.diagnostics(&site, |found| found.to_string().contains("syntax-error"));
    assert_eq!(found[0]["severity"], 1);
    // The text behind the wide character is changed, by UTF-16 columns.
    let change = json!({
        "textDocument": {"uri": site, "version": 2},
        "contentChanges": [
            {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}, "text": "$a"},
            {"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 9}}, "text": "1"},
        ],
    });
    client.tell("textDocument/didChange", change);
    let found = client.diagnostics(&site, |found| found.to_string().contains("type-mismatch"));
    assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 31}));

    let definition = client.ask("textDocument/definition", at(&site, 0, 18));
    assert_eq!(definition[0]["uri"], format!("{folder}/modules/web/manifests/init.pp"));
    assert_eq!(definition[0]["range"]["start"], json!({"line": 0, "character": 6}));
    let hover = client.ask("textDocument/hover", at(&site, 0, 23));
    assert_eq!(hover["contents"]["value"], "```puppet\nInteger $port = 80\n```");
    let items = client.ask("textDocument/completion", at(&site, 0, 22));
    assert!(items["items"].to_string().contains("Integer $port = 80"), "{items}");
    let links = client.ask("textDocument/documentLink", json!({"textDocument": {"uri": site}}));
    assert_eq!(links, json!([]));
    let mut rename = at(&site, 0, 24);
    rename["newName"] = "number".into();
    let edits = client.ask("textDocument/rename", rename);
    assert_eq!(edits["changes"].as_object().map(serde_json::Map::len), Some(2), "{edits}");
    let other = format!("{folder}/manifests/other.pp");
    client.open(&other, "$b = 1\n$c=2\n$d = 3\n");
    let params = json!({
        "textDocument": {"uri": other}, "options": {"tabSize": 2, "insertSpaces": true},
    });
    let edits = client.ask("textDocument/formatting", params.clone());
    let line = |line: u32| json!({"line": line, "character": 0});
    let range = json!({"start": line(1), "end": line(2)});
    assert_eq!(edits, json!([{"range": &range, "newText": "$c = 2\n"}]));
    // A selection of the lines around it, which ends at the start of the next line, leaves it out.
    let mut params = params;
    params["range"] = json!({"start": line(0), "end": line(1)});
    assert_eq!(client.ask("textDocument/rangeFormatting", params.clone()), json!([]));
    params["range"] = range;
    assert_eq!(client.ask("textDocument/rangeFormatting", params), edits);

    // A file that changes on disk is checked again, with those that use it.
    let web = root.join("modules/web/manifests/init.pp");
    std::fs::write(&web, "class web($port) {\n  notice($port)\n}\n").unwrap();
    let changes = json!({"changes": [{"uri": format!("file://{}", web.display()), "type": 2}]});
    client.tell("workspace/didChangeWatchedFiles", changes);
    client.diagnostics(&site, |found| *found == json!([]));
    client.stop();
}

#[test]
fn requests_can_be_cancelled_and_refused() {
    let mut client = Client::start(json!({"capabilities": {}}));
    client.open("file:///no/such/a.pp", "$x = 1\n");
    // The cancellation is in the queue before the server takes the request.
    let id = RequestId::from(77);
    client.tell("$/cancelRequest", json!({"id": 77}));
    let request =
        Request::new(id.clone(), "textDocument/hover".into(), at("file:///no/such/a.pp", 0, 1));
    client.connection.sender.send(request.into()).unwrap();
    assert_eq!(client.response(&id).error.unwrap().code, -32800);

    let code = |client: &mut Client, method: &str, params: Json| {
        let id = client.send(method, params);
        client.response(&id).error.map(|error| error.code)
    };
    assert_eq!(code(&mut client, "no/such/method", json!({})), Some(-32601));
    assert_eq!(code(&mut client, "textDocument/hover", json!({"x": 1})), Some(-32602));
    let mut rename = at("file:///no/such/a.pp", 0, 1);
    rename["newName"] = "No-Name".into();
    assert_eq!(code(&mut client, "textDocument/rename", rename), Some(-32803));
    assert_eq!(client.ask("textDocument/hover", at("file:///other.pp", 0, 0)), Json::Null);
    assert_eq!(client.ask("textDocument/hover", at("untitled:Untitled-1", 0, 0)), Json::Null);
    client.tell("textDocument/didChange", json!({"nonsense": true}));
    client.tell("no/such/notification", json!({}));
    client.stop();
}

#[test]
fn a_server_ends_with_its_editor() {
    let client = Client::start(json!({"capabilities": {}, "initializationOptions": {"ignore": 7}}));
    let Client { connection, server, .. } = client;
    drop(connection);
    assert_eq!(server.join().unwrap(), Ok(false));
}

#[test]
fn quick_fixes_hints_and_calls() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = writer(&root);
    write("environment.conf", "modulepath = modules\n");
    write("hiera.yaml", "version: 5\nhierarchy: [{name: all, path: '%{trusted.certname}.yaml'}]\n");
    write("data/web1.yaml", "web::port: 81\n");
    write("data/web2.yaml", "web::port: 82\n");
    write("facts/web1.json", "{}");
    write("facts/web2.yaml", "a: 1\n");
    let text = "class web(Integer $port = 80) {\n  notice($port)\n}\n";
    write("modules/web/manifests/init.pp", text);
    let folder = format!("file://{}", root.display());
    let mut client = Client::start(json!({
        "capabilities": {"workspace": {"inlayHint": {"refreshSupport": true}}},
        "workspaceFolders": [{"uri": folder, "name": "site"}],
        "initializationOptions": {"node": "web1", "facts": "facts"},
    }));
    let web = format!("{folder}/modules/web/manifests/init.pp");
    client.open(&web, text);
    let site = format!("{folder}/manifests/site.pp");
    client.open(&site, "class { 'web': prot => 1 }\n");
    let found = client.diagnostics(&site, |found| found.to_string().contains("prot"));

    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let mut params = json!({
        "textDocument": {"uri": site}, "range": all, "context": {"diagnostics": found},
    });
    let actions = client.ask("textDocument/codeAction", params.clone());
    assert_eq!(actions[0]["title"], "Replace `prot` by `port`");
    assert_eq!(actions[0]["diagnostics"], found);
    assert_eq!(actions[0]["isPreferred"], true);
    assert_eq!(actions[0]["edit"]["changes"][&site][0]["newText"], "port");
    assert_eq!(actions[1]["isPreferred"], false);
    params["context"]["only"] = json!(["refactor"]);
    assert_eq!(client.ask("textDocument/codeAction", params), json!([]));

    let hints = json!({"textDocument": {"uri": web}, "range": all});
    let shown = client.ask("textDocument/inlayHint", hints.clone());
    assert_eq!(shown[0]["label"], "= 81");
    assert_eq!(shown[0]["position"], json!({"line": 0, "character": 28}));
    let choose = |arguments: Json| json!({"command": "ordain.chooseNode", "arguments": arguments});
    let answer = client.ask("workspace/executeCommand", choose(json!(["WEB2"])));
    assert_eq!(answer, json!({"node": "web2", "nodes": ["web1", "web2"]}));
    assert_eq!(client.ask("textDocument/inlayHint", hints.clone())[0]["label"], "= 82");
    client.ask("workspace/executeCommand", choose(json!([""])));
    assert_eq!(client.ask("textDocument/inlayHint", hints), json!([]));
    let answer = client.ask("workspace/executeCommand", choose(json!([])));
    assert_eq!(answer["node"], Json::Null);

    let item = client.ask("textDocument/prepareCallHierarchy", at(&site, 0, 10));
    assert_eq!(item[0]["name"], "web", "{item}");
    let calls = client.ask("callHierarchy/incomingCalls", json!({"item": item[0]}));
    assert_eq!(calls[0]["from"]["name"], "manifests/site.pp", "{calls}");
    let outgoing = client.ask("callHierarchy/outgoingCalls", json!({"item": calls[0]["from"]}));
    assert_eq!(outgoing[0]["to"]["uri"], web, "{outgoing}");
    let lenses = client.ask("textDocument/codeLens", json!({"textDocument": {"uri": web}}));
    assert_eq!(lenses[0]["command"]["title"], "1 reference");
    client.stop();
}

#[test]
fn lenses_have_the_nodes_and_plans() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let write = writer(&root);
    write("environment.conf", "modulepath = modules\n");
    write("manifests/site.pp", "node 'web1' { include web }\nnode default { }\n");
    write("facts/web1.json", "{}");
    write("facts/web2.json", "{}");
    write("modules/web/manifests/init.pp", "class web {\n}\n");
    let folder = format!("file://{}", root.display());
    let mut client = Client::start(json!({
        "capabilities": {"workspace": {"codeLens": {"refreshSupport": true}}},
        "workspaceFolders": [{"uri": folder, "name": "site"}],
        "initializationOptions": {"facts": "facts"},
    }));
    let web = format!("{folder}/modules/web/manifests/init.pp");
    client.open(&web, "class web {\n}\n");
    let titles = |client: &mut Client, uri: &str| {
        let lenses = client.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
        let lenses = lenses.as_array().unwrap().clone();
        let title = |lens: &Json| lens["command"]["title"].as_str().unwrap().to_owned();
        (lenses.iter().map(title).collect::<Vec<_>>(), lenses)
    };
    titles(&mut client, &web);
    client.request("workspace/codeLens/refresh");
    let (found, _) = titles(&mut client, &web);
    assert!(found.contains(&"used by 1 of 2 nodes".to_owned()), "{found:?}");

    // After a change of a file that all nodes read.
    let site = format!("{folder}/manifests/site.pp");
    client
        .open(&site, "node 'web1' { include web }\nnode default { include web }\nnode 'old' { }\n");
    titles(&mut client, &site);
    client.request("workspace/codeLens/refresh");
    let (found, _) = titles(&mut client, &web);
    assert!(found.contains(&"used by 2 of 2 nodes".to_owned()), "{found:?}");
    let (found, lenses) = titles(&mut client, &site);
    assert_eq!(found, ["plan web1", "plan old"]);
    let run = |arguments: &Json| json!({"command": "ordain.plan", "arguments": arguments});
    let answer = client.ask("workspace/executeCommand", run(&lenses[0]["command"]["arguments"]));
    let text = format!("web1 web1.json None {}", root.display());
    assert_eq!(answer, json!({"node": "web1", "plan": true, "text": text}));

    // Without facts a node has those of a fact set.
    let arguments = json!([{"node": "old", "root": "image"}]);
    let answer = client.ask("workspace/executeCommand", run(&arguments));
    let text = format!("old Debian Some(\"image\") {}", root.display());
    assert_eq!(answer["text"], text);
    let id = client.send("workspace/executeCommand", run(&json!([])));
    assert_eq!(client.response(&id).error.unwrap().message, "no node is chosen");

    let explain = |arguments: Json| json!({"command": "ordain.explain", "arguments": arguments});
    let arguments = json!([{"node": "web1", "resource": "Class[web]"}]);
    let answer = client.ask("workspace/executeCommand", explain(arguments));
    let text = format!("web1 web1.json None {} Class[web]", root.display());
    assert_eq!(answer, json!({"node": "web1", "explanation": true, "text": text}));
    let id = client.send("workspace/executeCommand", explain(json!([{"node": "web1"}])));
    assert!(client.response(&id).error.unwrap().message.contains("`resource`"));

    // The loop answers during a plan, and cancels it.
    let slow = client.send("workspace/executeCommand", run(&json!([{"node": "slow"}])));
    titles(&mut client, &site);
    client.tell("$/cancelRequest", json!({"id": client.last - 1}));
    assert_eq!(client.response(&slow).error.unwrap().code, -32800);
    client.stop();
}
