//! Kinds of mgmt whose values are set on a page that is served by HTTP.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use crate::support::s;
use crate::support::serving::{WatchedMachine, ask, get, header, parts};
use ordain_data::Value;
use ordain_engine::kind::Instance;

const SERVER: &str = "mgmt::http::server";
const UI: &str = "mgmt::http::server::ui";
const INPUT: &str = "mgmt::http::server::ui::input";

fn post(address: SocketAddr, body: &str) -> String {
    let length = body.len();
    let head = format!("POST /ui/save/ HTTP/1.0\r\nContent-Length: {length}\r\n\r\n");
    ask(address, &format!("{head}{body}"))
}

fn sent(kept: &WatchedMachine, input: &dyn Instance) -> String {
    let sent = input.sent(&kept.machine.host).unwrap();
    sent[0].1.as_str().unwrap().to_string()
}

/// A server with a page.
fn page(kept: &WatchedMachine) -> (SocketAddr, [Box<dyn Instance>; 2]) {
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let data = [("title", s("Lamp & co")), ("head", s("<meta name=\"x\">"))];
    let page = kept.made(UI, "/ui/", &[("data", Value::map(data))]);
    (kept.address(&*server), [server, page])
}

#[test]
fn a_page_has_its_inputs() {
    let kept = WatchedMachine::new();
    let (address, _held) = page(&kept);
    let range = [("type", s("range://?min=-5&max=9&step=x")), ("sort", s("2"))];
    let _inputs = [
        kept.made(INPUT, "volume", &range),
        kept.made(INPUT, "n", &[("id", s("a b")), ("value", s("x")), ("path", s("/ui/"))]),
        kept.made(INPUT, "other", &[("path", s("/elsewhere/"))]),
    ];
    let answer = get(address, "/ui/", "");
    assert_eq!((parts(&answer).0, header(&answer, "Location:")), ("301", "/ui/index.html"));
    let answer = get(address, "/ui/index.html", "");
    assert_eq!(header(&answer, "Content-Type:"), "text/html; charset=utf-8");
    assert!(answer.contains("<h1>Lamp &amp; co</h1>") && answer.contains("<meta name=\"x\">"));
    let answer = get(address, "/ui/list/", "");
    assert_eq!(header(&answer, "Content-Type:"), "application/json; charset=utf-8");
    let elements = r#"{"elements":[{"kind":"http:server:ui:input","id":"a b","type":{"type":"text"},"sort":""},{"kind":"http:server:ui:input","id":"volume","type":{"min":"-5","max":"9","type":"range"},"sort":"2"}]}"#;
    assert_eq!(parts(&answer), ("200", elements));
    assert_eq!(parts(&get(address, "/ui/list/a%20b", "")), ("200", r#"{"value":"x"}"#));
    assert_eq!(parts(&get(address, "/ui/list/volume", "")), ("200", r#"{"value":""}"#));
    let missing = ("400", r#"{"error":"id `other` not found"}"#);
    assert_eq!(parts(&get(address, "/ui/list/other", "")), missing);
    assert_eq!(parts(&get(address, "/ui/watch/other", "")), missing);
    assert_eq!(parts(&get(address, "/ui/ping", "")), ("200", r#"{"message":"pong"}"#));
    assert_eq!(parts(&get(address, "/ui/none", "")).0, "404");
    assert_eq!(parts(&ask(address, "PUT /ui/ping HTTP/1.0\r\n\r\n")).0, "404");
    let head = ask(address, "HEAD /ui/index.html HTTP/1.0\r\n\r\n");
    assert_eq!(parts(&head), ("200", ""));
}

#[test]
fn a_value_that_is_set_is_handed_on() {
    let kept = WatchedMachine::new();
    let (address, _held) = page(&kept);
    let input = kept.parse(INPUT, "name", &[("value", s("first"))]);
    assert_eq!(kept.machine.converge(&*input).len(), 2);
    assert_eq!(sent(&kept, &*input), "first");
    assert_eq!(parts(&post(address, "id=name&value=a+b%21")), ("200", "null"));
    assert_eq!(kept.machine.messages(&*input), ["value: value changed 'first' to 'a b!'"]);
    assert_eq!(sent(&kept, &*input), "first");
    kept.machine.converge(&*input);
    assert_eq!(sent(&kept, &*input), "a b!");
    for (body, why) in [
        ("", "missing id"),
        ("id=&value=x", "missing id"),
        ("id=name", "missing value"),
        ("id=name&value=x&value=y", "bad data: unexpected length of 2"),
        ("id=none&value=x", "id `none` not found"),
    ] {
        let error = format!("{{\"error\":\"{why}\"}}");
        assert_eq!(parts(&post(address, body)), ("400", error.as_str()), "{body}");
    }
    // The same declaration again keeps the set value; another one replaces it.
    let again = kept.parse(INPUT, "name", &[("value", s("first")), ("sort", s("1"))]);
    drop(input);
    kept.machine.converge(&*again);
    assert_eq!(sent(&kept, &*again), "a b!");
    let other = kept.parse(INPUT, "name", &[("value", s("second"))]);
    kept.machine.converge(&*other);
    assert_eq!(sent(&kept, &*other), "second");
    assert_eq!(parts(&get(address, "/ui/list/name", "")), ("200", r#"{"value":"second"}"#));
}

#[test]
fn a_value_is_kept_where_it_is_stored() {
    let kept = WatchedMachine::new();
    let (address, _held) = page(&kept);
    let store = [("store", s("world://?key=shared"))];
    let kv = |value: &str| kept.made("mgmt::kv", "shared", &[("value", s(value))]);
    kv("before");
    let input = kept.made(INPUT, "x", &store);
    assert_eq!(sent(&kept, &*input), "before");
    post(address, "id=x&value=page");
    let done = kept.machine.converge(&*input);
    assert_eq!(
        done,
        ["store: store changed 'before' to 'page'", "value: value changed 'before' to 'page'"]
    );
    let same = kept.parse("mgmt::kv", "shared", &[("value", s("page"))]);
    assert_eq!(kept.machine.messages(&*same), [""; 0]);
    // Values of others are on the page and sent on.
    kv("other");
    let waiting = std::thread::spawn(move || get(address, "/ui/watch/x", ""));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(kept.machine.converge(&*input), ["value: value changed 'page' to 'other'"]);
    assert_eq!(parts(&waiting.join().unwrap()), ("200", r#"{"value":"other"}"#));
    assert_eq!(sent(&kept, &*input), "other");
    // A store on the machine is separate, and outlives the process.
    let own = kept.made(INPUT, "shared", &[("store", s("local://"))]);
    assert_eq!(sent(&kept, &*own), "");
    post(address, "id=shared&value=mine");
    kept.machine.converge(&*own);
    let next = WatchedMachine { machine: kept.machine, registry: Default::default() };
    let again = next.made(INPUT, "shared", &[("store", s("local://"))]);
    assert_eq!(sent(&next, &*again), "mine");
}

#[test]
fn a_value_can_be_waited_for() {
    let kept = WatchedMachine::new();
    let (address, held) = page(&kept);
    let _input = kept.made(INPUT, "x", &[("value", s("1"))]);
    let answer = get(address, "/ui/list/x", "");
    let known = format!("If-None-Match: {}\r\n", header(&answer, "ETag:"));
    post(address, "id=x&value=2");
    // Earlier changes are reported at once.
    let answer = get(address, "/ui/watch/x", &known);
    assert_eq!(parts(&answer), ("200", r#"{"value":"2"}"#));
    let known = format!("If-None-Match: {}\r\n", header(&answer, "ETag:"));
    let waiting = std::thread::spawn(move || get(address, "/ui/watch/x", &known));
    std::thread::sleep(Duration::from_millis(200));
    post(address, "id=x&value=2");
    std::thread::sleep(Duration::from_millis(200));
    assert!(!waiting.is_finished());
    drop(held);
    assert_eq!(parts(&waiting.join().unwrap()).0, "503");
}

#[test]
fn invalid_pages_are_refused() {
    let mut kept = WatchedMachine::new();
    for (kind, title, attributes) in [
        (UI, "ui/", vec![]),
        (UI, "/ui", vec![]),
        (UI, "/ui/", vec![("data", s("title"))]),
        (INPUT, "", vec![]),
        (INPUT, "x", vec![("value", s("1")), ("store", s("local://"))]),
        (INPUT, "x", vec![("store", s("etcd://"))]),
        (INPUT, "x", vec![("type", s("number://"))]),
        (INPUT, "x", vec![("type", s(":"))]),
    ] {
        assert!(kept.try_parse(kind, title, &attributes).is_err(), "{kind} {title} {attributes:?}");
    }
    kept.machine.host.stays = false;
    let input = kept.parse(INPUT, "x", &[("store", s("local://"))]);
    assert_eq!(kept.machine.messages(&*input), [""; 0]);
    assert_eq!(input.take_log().len(), 1);
}

/// The parts of a browser that the page needs: it prints the fields, types into one of them, and
/// waits until another one changes.
const BROWSER: &str = r#"
const base = process.argv[2];
class Element {
  constructor(name) { this.name = name; this.children = []; this.on = {}; this.value = ''; }
  append(...all) { this.children.push(...all); }
  addEventListener(event, act) { this.on[event] = act; }
}
const known = { inputs: new Element('form'), state: new Element('p') };
globalThis.document = {
  activeElement: null,
  getElementById: (id) => known[id],
  createElement: (name) => new Element(name),
};
const real = fetch;
globalThis.fetch = (path, options) => real(new URL(path, base), options);
const until = async (test) => {
  while (!test()) { await new Promise((resolve) => setTimeout(resolve, 10)); }
};
(async () => {
  const html = await (await real(base)).text();
  const script = /<script src="([^"]*)">/.exec(html)[1];
  (0, eval)(await (await real(new URL(script, base))).text());
  await until(() => known.inputs.children.length === 2);
  const rows = known.inputs.children.map((label) => label.children);
  await until(() => rows[0][1].value === 'first');
  console.log(rows.map(([name, field]) =>
    [name.textContent, field.type, field.min, field.max].join(' ')).join(', '));
  rows[0][1].value = 'typed & sent';
  rows[0][1].on.change();
  await until(() => rows[1][1].value === '7');
  console.log(rows[1][2].textContent, known.state.textContent);
  process.exit(0);
})();
"#;

#[test]
fn a_browser_follows_and_sets_values() {
    let has_node = Command::new("node").arg("--version").output().is_ok();
    if !ordain_testkit::peer(has_node, "nodejs") {
        return;
    }
    let kept = WatchedMachine::new();
    let (address, _held) = page(&kept);
    let text = kept.made(INPUT, "text", &[("value", s("first"))]);
    let range = [("type", s("range://?min=0&max=9")), ("sort", s("z"))];
    let slider = kept.made(INPUT, "slider", &range);
    kept.machine.write("browser.cjs", BROWSER);
    let mut browser = Command::new("timeout");
    browser.args(["60", "node"]).arg(kept.machine.root().join("browser.cjs"));
    browser.arg(format!("http://{address}/ui/"));
    let running = std::thread::spawn(move || browser.output().unwrap());
    let start = std::time::Instant::now();
    while sent(&kept, &*text) != "typed & sent" {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is typed");
        // The browser may set it again at any time.
        let changes = text.compare(&kept.machine.host).unwrap();
        text.apply(&kept.machine.host, &changes).unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    post(address, "id=slider&value=7");
    kept.machine.converge(&*slider);
    let output = running.join().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "text text  , slider range 0 9\n7 \n", "{told}");
}
