//! The kind `service` against a process that imitates systemd on D-Bus.

use std::os::unix::net::{UnixListener, UnixStream};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use crate::support::{Machine, fails, lines, parse, s};
use ordain_data::Value;
use ordain_engine::kinds::service::Service;
use zbus::connection::Builder;
use zbus::export::futures_core::Stream;
use zbus::{Connection, Guid, Message, MessageStream, ObjectPath, Variant};

const UNIT: &str = "/org/freedesktop/systemd1/unit/web_2eservice";
const JOB: &str = "/org/freedesktop/systemd1/job/7";

/// The only unit, and the calls.
#[derive(Default)]
struct State {
    active: String,
    file: String,
    needs_reload: bool,
    /// Starting it fails.
    fails: bool,
    /// The number of checks for which a job is still queued.
    queued: u32,
    calls: Vec<String>,
}

struct Systemd {
    state: Arc<Mutex<State>>,
    address: String,
    _directory: tempfile::TempDir,
}

impl Systemd {
    fn with(active: &str, file: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bus");
        let listener = UnixListener::bind(&path).unwrap();
        let state = State { active: active.into(), file: file.into(), ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, state) = (stream.unwrap(), shared.clone());
                std::thread::spawn(move || zbus::block_on(serve(stream, state)));
            }
        });
        let address = format!("unix:path={}", path.display());
        Self { state, address, _directory: directory }
    }

    fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().calls)
    }
}

async fn serve(stream: UnixStream, state: Arc<Mutex<State>>) {
    let builder = Builder::unix_stream(stream).server(Guid::generate()).p2p();
    let mut stream = builder.build_message_stream().await.unwrap();
    let connection = Connection::from(&stream);
    while let Some(Ok(message)) = next(&mut stream).await {
        answer(&connection, &message, &state).await;
    }
}

async fn next(stream: &mut MessageStream) -> Option<zbus::Result<Message>> {
    std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

async fn answer(connection: &Connection, message: &Message, state: &Mutex<State>) {
    let header = message.header();
    let member = header.member().map(|m| m.to_string()).unwrap_or_default();
    if !matches!(member.as_str(), "Hello" | "Ping" | "Get" | "LoadUnit") {
        state.lock().unwrap().calls.push(member.clone());
    }
    let links = Vec::<(String, String, String)>::new();
    let path = |p: &'static str| ObjectPath::try_from(p).unwrap();
    let sent = match member.as_str() {
        "Hello" => connection.reply(&header, &":1.7").await,
        "LoadUnit" => {
            let name: String = message.body().deserialize().unwrap();
            assert_eq!(name, "web.service");
            connection.reply(&header, &path(UNIT)).await
        }
        "Get" => {
            let (_, name): (String, String) = message.body().deserialize().unwrap();
            let value = property(&mut state.lock().unwrap(), &name);
            connection.reply(&header, &value).await
        }
        "StartUnit" | "RestartUnit" | "StopUnit" => {
            {
                let mut state = state.lock().unwrap();
                let failed = state.fails;
                let state = &mut *state;
                state.queued = 2;
                state.active = match member.as_str() {
                    "StopUnit" => "inactive",
                    _ if failed => "failed",
                    _ => "active",
                }
                .to_string();
            }
            connection.reply(&header, &path(JOB)).await
        }
        "EnableUnitFiles" => {
            state.lock().unwrap().file = "enabled".into();
            connection.reply(&header, &(true, links)).await
        }
        "DisableUnitFiles" | "UnmaskUnitFiles" | "MaskUnitFiles" => {
            let word = if member == "MaskUnitFiles" { "masked" } else { "disabled" };
            state.lock().unwrap().file = word.into();
            connection.reply(&header, &links).await
        }
        "Reload" => {
            state.lock().unwrap().needs_reload = false;
            connection.reply(&header, &()).await
        }
        _ => connection.reply(&header, &()).await,
    };
    sent.unwrap();
}

fn property(state: &mut State, name: &str) -> Variant<'static> {
    match name {
        "ActiveState" => Variant::from(state.active.clone()),
        "SubState" => Variant::from("x"),
        "UnitFileState" => Variant::from(state.file.clone()),
        "NeedDaemonReload" => Variant::from(state.needs_reload),
        "Job" => {
            state.queued = state.queued.saturating_sub(1);
            let job = if state.queued > 0 { (7u32, JOB) } else { (0u32, "/") };
            Variant::from((job.0, ObjectPath::try_from(job.1).unwrap()))
        }
        other => panic!("unexpected property {other}"),
    }
}

#[test]
fn a_unit_is_started_and_enabled_over_the_bus() {
    let systemd = Systemd::with("inactive", "masked");
    systemd.state.lock().unwrap().needs_reload = true;
    let machine = Machine::silent();
    let kind = Service::on_bus(&systemd.address);
    let on = parse(&kind, "web", &[("ensure", s("running")), ("enable", Value::Bool(true))]);
    assert_eq!(
        machine.converge(&*on),
        [
            "ensure: ensure changed 'stopped' to 'running'",
            "enable: enable changed 'false' to 'true'"
        ]
    );
    assert_eq!(
        systemd.calls(),
        ["Reload", "UnmaskUnitFiles", "Reload", "StartUnit", "EnableUnitFiles", "Reload"]
    );
    on.refresh(&machine.host).unwrap();
    assert_eq!(systemd.calls(), ["RestartUnit"]);
    let off = parse(&kind, "web.service", &[("ensure", s("stopped")), ("enable", s("mask"))]);
    machine.converge(&*off);
    assert_eq!(
        systemd.calls(),
        ["StopUnit", "DisableUnitFiles", "Reload", "MaskUnitFiles", "Reload"]
    );
    off.refresh(&machine.host).unwrap();
    assert!(systemd.calls().is_empty(), "what is stopped is not restarted");
}

#[test]
fn a_static_unit_is_left_as_it_is() {
    let systemd = Systemd::with("active", "static");
    let machine = Machine::silent();
    let kind = Service::on_bus(&systemd.address);
    for enable in ["true", "false"] {
        assert!(machine.messages(&*parse(&kind, "web", &[("enable", s(enable))])).is_empty());
    }
    let masked = parse(&kind, "web", &[("enable", s("mask"))]);
    assert_eq!(machine.messages(&*masked), ["enable: enable changed 'true' to 'mask'"]);
    assert!(systemd.calls().is_empty());
}

#[test]
fn a_unit_that_fails_tells_its_journal() {
    let systemd = Systemd::with("inactive", "enabled");
    systemd.state.lock().unwrap().fails = true;
    let machine = Machine::answering(|_, _| crate::support::says("web: no port\n"));
    let service = parse(&Service::on_bus(&systemd.address), "web", &[("ensure", s("running"))]);
    let changes = service.compare(&machine.host).unwrap();
    let error = service.apply(&machine.host, &changes).unwrap_err().to_string();
    assert_eq!(
        error,
        "Could not start Service[web]: web.service is failed (x) afterwards\n\
         journalctl log for web:\nweb: no port"
    );
}

#[test]
fn without_the_bus_systemctl_is_asked() {
    let machine = Machine::answering(|_, i| match crate::support::word(i, 1).as_str() {
        "is-active" => fails(3, ""),
        "is-enabled" => crate::support::says("indirect\n"),
        "show" => crate::support::says("NeedDaemonReload=yes\n"),
        _ => crate::support::says(""),
    });
    let kind = Service::on_bus("unix:path=/nonexistent/bus");
    let service = parse(&kind, "web", &[("ensure", s("running")), ("enable", s("true"))]);
    let changes = service.compare(&machine.host).unwrap();
    assert_eq!(lines(&changes), ["ensure: ensure changed 'stopped' to 'running'"]);
    service.apply(&machine.host, &changes).unwrap();
    let output: Vec<String> = machine
        .commands()
        .iter()
        .map(|l| l.split_once("systemctl ").unwrap().1.to_string())
        .collect();
    assert_eq!(
        output,
        [
            "is-active -- web",
            "is-enabled -- web",
            "show --property=NeedDaemonReload -- web",
            "daemon-reload",
            "is-enabled -- web",
            "start -- web",
        ]
    );
}
