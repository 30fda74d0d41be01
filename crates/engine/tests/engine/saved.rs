use ordain_engine::saved::{Refusal, SavedPlan, save};
use ordain_graph::Graph;
use ordain_graph::json::Secrets;
use ordain_source::SourceMap;

use crate::support::{Machine, file, secret, text};

fn saved(machine: &Machine, graph: &Graph, secrets: Secrets) -> (String, SavedPlan) {
    let mut out = Vec::new();
    let plan = machine.plan(graph);
    save(&plan, graph, &SourceMap::new(), &machine.options, &Default::default(), secrets, &mut out)
        .unwrap();
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
