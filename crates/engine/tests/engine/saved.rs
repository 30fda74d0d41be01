use std::path::Path;

use ordain_data::Value;
use ordain_engine::saved::{Refusal, SaveContext, SavedPlan, save};
use ordain_graph::Graph;
use ordain_graph::json::Secrets;
use ordain_source::SourceMap;

use crate::support::{Machine, file, secret, text};

const KEY: &[u8] = &[7; 32];

fn written(machine: &Machine, graph: &Graph, secrets: Secrets, key: Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    let saving = SaveContext {
        graph,
        sources: &SourceMap::new(),
        options: &machine.options,
        root: Path::new("/srv/root"),
        modules: &Default::default(),
        providers: &Value::Null,
        secrets,
        key,
    };
    save(&machine.plan(graph), &saving, &mut out).unwrap();
    out
}

fn saved(machine: &Machine, graph: &Graph, secrets: Secrets) -> (String, SavedPlan) {
    let out = written(machine, graph, secrets, Some(KEY));
    let plan = SavedPlan::load(&out, &|_| None).unwrap();
    (String::from_utf8(out).unwrap(), plan)
}

#[test]
fn a_saved_plan_is_applied_while_nothing_moved() {
    let machine = Machine::new();
    machine.write("/a", "old");
    let graph = file("/a", &[("content", text("new"))]);
    let (_, plan) = saved(&machine, &graph, Secrets::Omit);
    assert_eq!(plan.check(&machine.plan(&plan.graph)), Ok(()));
    machine.write("/a", "other");
    let refusal = plan.check(&machine.plan(&plan.graph)).unwrap_err();
    assert_eq!(refusal, Refusal::Moved(vec!["File[/a]".into()]));
    machine.write("/a", "old");
    machine.apply(&plan.graph);
    assert_eq!(machine.read("/a"), "new");
}

#[test]
fn secrets_are_saved_on_request_only() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", secret("hunter2"))]);
    let (document, plan) = saved(&machine, &graph, Secrets::Omit);
    assert!(!document.contains("hunter2"));
    let refusal = plan.check(&machine.plan(&plan.graph)).unwrap_err();
    assert!(refusal.to_string().contains("File[/a]"), "{refusal}");
    let (document, plan) = saved(&machine, &graph, Secrets::Include);
    assert!(document.contains("hunter2"));
    assert_eq!(plan.check(&machine.plan(&plan.graph)), Ok(()));
}

/// The reason why a document is not applied with a key and a root.
fn refusal(text: &[u8], key: &[u8], root: &str) -> Option<Refusal> {
    let plan = SavedPlan::load(text, &|_| None).unwrap();
    plan.verify(key, Path::new("/state"), Path::new(root)).err()
}

#[test]
fn a_plan_is_applied_where_it_was_made_as_it_was_saved() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", text("new"))]);
    let document = written(&machine, &graph, Secrets::Omit, Some(KEY));
    assert_eq!(refusal(&document, KEY, "/srv/root"), None);
    let foreign = Some(Refusal::Foreign("/state".into()));
    assert_eq!(refusal(&document, &[8; 32], "/srv/root"), foreign);
    assert_eq!(refusal(&document, KEY, "/"), Some(Refusal::Root("/srv/root".into())));
    let unsigned = written(&machine, &graph, Secrets::Omit, None);
    assert_eq!(refusal(&unsigned, KEY, "/srv/root"), Some(Refusal::Unsigned));
}

#[test]
fn a_plan_is_refused_when_any_byte_of_it_is_another() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", text("new")), ("mode", text("0644"))]);
    let document = written(&machine, &graph, Secrets::Omit, Some(KEY));
    // The last byte is the line feed, which is not signed.
    for at in 0..document.len() - 1 {
        for byte in [b'0', b' ', document[at] ^ 1] {
            let mut edited = document.clone();
            edited[at] = byte;
            if edited == document {
                continue;
            }
            let Ok(plan) = SavedPlan::load(&edited, &|_| None) else { continue };
            let verified = plan.verify(KEY, Path::new("/state"), Path::new("/srv/root"));
            assert!(verified.is_err(), "byte {at} as {byte}");
        }
    }
}

#[test]
fn members_that_come_twice_or_behind_the_digest_are_edits() {
    let machine = Machine::new();
    let graph = file("/a", &[("content", text("new"))]);
    let text = String::from_utf8(written(&machine, &graph, Secrets::Omit, Some(KEY))).unwrap();
    let edits = [
        text.replacen("{\"format\"", "{\"extra\":1,\"format\"", 1),
        text.replace("\"}\n", "\",\"extra\":1}\n"),
        text.replace("\"}\n", "\" }\n"),
        text.replace(",\"digest\"", ",\"extra\":1,\"digest\""),
        text.replace("\"new\"", "\"bad\""),
    ];
    for edited in edits {
        assert_ne!(edited, text);
        let refused = refusal(edited.as_bytes(), KEY, "/srv/root");
        assert!(matches!(refused, Some(Refusal::Edited | Refusal::Unsigned)), "{refused:?}");
    }
}
