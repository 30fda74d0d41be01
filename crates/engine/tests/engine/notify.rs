use ordain_data::Value;

use crate::support::{Machine, one, secret, text};

#[test]
fn it_is_always_a_change() {
    let machine = Machine::new();
    let graph = one("Notify", "n", &[("message", text("hello"))]);
    for _ in 0..2 {
        let want = ["hello", "/Notify[n]/message: defined 'message' as 'hello'"];
        assert_eq!(machine.lines(&graph), want);
    }
}

#[test]
fn the_path_shows_on_request_and_secrets_never() {
    let machine = Machine::new();
    let with = [("message", secret("hunter2")), ("withpath", Value::Bool(true))];
    let lines = machine.lines(&one("Notify", "n", &with));
    let want =
        ["/Notify[n]/message: [redacted]", "/Notify[n]/message: changed [redacted] to [redacted]"];
    assert_eq!(lines, want);
    let plan = machine.plan(&one("Notify", "n", &with));
    let line = plan.entries[0].report.lines[0].to_string();
    assert_eq!(line, "/Notify[n]/message: current_value [redacted], should be [redacted] (noop)");
}
