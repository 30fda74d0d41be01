//! Provider processes that work, and some that fail.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::host::Host;
use ordain_engine::kind::Relationship;
use ordain_engine::kinds::external::{
    Call, ExternalProvider, Observation, PrepareRequest, ResourceNumber,
};
use ordain_engine::runner::HostRunner;
use ordain_graph::{Attribute, Containment, OriginId, Resource, ResourceRef};
use ordain_plugins::{Language, ProviderProgram};
use ordain_providers::{ProcessProvider, ProviderSettings};

const TYPE: &str = r"
Puppet::Type.newtype(:thing) do
  newparam(:name, namevar: true)
  newproperty(:state)
  autorequire(:file) { ['/etc/thing'] }
end
";

/// A provider whose getter runs the code in the file that the resource is named after.
const PROVIDER: &str = r"
Puppet::Type.type(:thing).provide(:ruby) do
  def state
    eval(File.read(resource[:name]))
  end
  def state=(value)
    File.write(resource[:name], value.inspect)
  end
end
";

/// A provider of `thing` with its module.
struct Things {
    dir: tempfile::TempDir,
    host: Host,
    provider: ProcessProvider,
}

impl Things {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let lib = dir.path().join("garden/lib/puppet");
        std::fs::create_dir_all(lib.join("type")).unwrap();
        std::fs::create_dir_all(lib.join("provider/thing")).unwrap();
        std::fs::write(lib.join("type/thing.rb"), TYPE).unwrap();
        std::fs::write(lib.join("provider/thing/ruby.rb"), PROVIDER).unwrap();
        let program = ProviderProgram::ruby(60, 2 << 30);
        let modules = [("garden".to_string(), dir.path().join("garden"))];
        let provider = provider(program, modules);
        Self { dir, host: host(), provider }
    }

    /// Prepares a resource for each code that its getter runs.
    fn prepare(&self, codes: &[&str]) -> Vec<ResourceNumber> {
        let resources = codes.iter().enumerate().map(|(place, code)| {
            let path = self.dir.path().join(format!("thing{place}"));
            std::fs::write(&path, code).unwrap();
            let resource = thing("Thing", path.to_str().unwrap(), &[("state", "right")]);
            (place as u64 + 1, Cow::Owned(resource))
        });
        let resources: Vec<_> = resources.collect();
        let numbers = resources.iter().map(|(number, _)| *number).collect();
        let file = thing("File", "/etc/thing", &[("path", "/etc/thing")]);
        let request = PrepareRequest { graph: 1, resources, others: vec![(100, &file)] };
        for prepared in self.provider.prepare(&request) {
            assert!(prepared.errors.is_empty(), "{:?}", prepared.errors);
            assert_eq!(prepared.relationships, [(Relationship::Require, 100)]);
        }
        numbers
    }

    fn observe(&self, of: &[ResourceNumber], limit: Option<Duration>) -> Vec<Observation> {
        let call = Call { host: &self.host, limit, timeout: None, is_fresh: false };
        self.provider.observe(of, &call)
    }

    /// The message or the numbers of changes of each resource.
    fn seen(&self, of: &[ResourceNumber]) -> Vec<Result<usize, String>> {
        let each = self.observe(of, None).into_iter();
        each.map(|one| one.changes.map(|c| c.len()).map_err(|e| e.to_string())).collect()
    }
}

fn host() -> Host {
    Host::new(PathBuf::from("/"), Box::new(HostRunner))
}

fn provider(
    program: ProviderProgram,
    modules: impl IntoIterator<Item = (String, PathBuf)>,
) -> ProcessProvider {
    let interpreters = Language::Ruby.interpreters(None, &[]);
    ProcessProvider::new(ProviderSettings::new(program, interpreters, modules))
}

fn thing(kind: &str, title: &str, values: &[(&str, &str)]) -> Resource {
    let origin = OriginId(0);
    let attribute = |(name, value): &(&str, &str)| Attribute {
        name: (*name).into(),
        value: Value::str(*value),
        origin,
        losers: Vec::new(),
    };
    Resource {
        id: ResourceRef { kind: kind.into(), title: title.into() },
        containment: Containment::Leaf,
        attributes: values.iter().map(attribute).collect(),
        tags: Vec::new(),
        exported: false,
        is_virtual: false,
        origin,
    }
}

#[test]
fn resources_are_observed_and_changed() {
    let things = Things::new();
    let found = things.provider.kinds(&["thing".into(), "nothing".into()]).unwrap();
    let kind = found[0].as_ref().unwrap();
    assert_eq!((kind.name.as_str(), kind.name_attribute.as_str()), ("thing", "name"));
    assert!(!kind.has_instances && kind.fault.is_none() && found[1].is_none());
    let of = things.prepare(&["'right'", "'wrong'"]);
    let seen = things.observe(&of, None);
    assert!(seen[0].changes.as_ref().unwrap().is_empty());
    let changes = seen[1].changes.as_ref().unwrap();
    assert_eq!((changes.len(), changes[0].property.as_str()), (1, "state"));
    assert_eq!(
        (&changes[0].before, &changes[0].after),
        (&Value::str("wrong"), &Value::str("right"))
    );
    let call = Call { host: &things.host, limit: None, timeout: None, is_fresh: false };
    let applied = things.provider.apply(of[1], changes, &call);
    applied.result.unwrap();
    assert_eq!(applied.outcomes.len(), 1);
    assert_eq!(applied.outcomes[0].result, Ok("state changed 'wrong' to 'right'".to_string()));
    assert_eq!(things.seen(&of), [Ok(0), Ok(0)]);
    assert!(things.provider.cpu_time() > Duration::ZERO);
}

#[test]
fn a_process_that_ends_or_raises_is_started_again() {
    let things = Things::new();
    let codes =
        ["exit!(3)", "Process.kill(:KILL, $$)", "raise NotImplementedError, 'no'", "'right'"];
    let of = things.prepare(&codes);
    let one = |number: u64| things.seen(&[number]).remove(0);
    let error = one(of[0]).unwrap_err();
    assert_eq!(error, "the `ruby` process stopped: it ended with status 3");
    assert_eq!(one(of[3]), Ok(0));
    let error = one(of[1]).unwrap_err();
    assert_eq!(error, "the `ruby` process stopped: signal 9 ended it");
    assert!(one(of[2]).unwrap_err().starts_with("no (file: "));
    assert_eq!(one(of[3]), Ok(0));
    // All of them fail, like the one that ends the process.
    assert!(things.seen(&of).iter().all(Result::is_err));
}

#[test]
fn a_process_that_hangs_is_ended_with_its_programs() {
    let things = Things::new();
    let pid = things.dir.path().join("pid");
    let hangs = format!(
        "File.write('{}', Process.spawn('sleep 1000').to_s); \
         Thread.handle_interrupt(Exception => :never) {{ loop {{ sleep 1 rescue nil }} }}",
        pid.display()
    );
    let of = things.prepare(&[&hangs, "'right'"]);
    let start = Instant::now();
    let seen = things.observe(&of[..1], Some(Duration::from_secs(1)));
    let error = seen[0].changes.as_ref().unwrap_err().to_string();
    assert!(error.starts_with("the `ruby` process did not answer within "), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30));
    let sleeper = std::fs::read_to_string(&pid).unwrap();
    assert!(has_ended(&sleeper), "process {sleeper} is still there");
    assert_eq!(things.seen(&of[1..]), [Ok(0)]);
}

/// Whether a process ends soon.
fn has_ended(pid: &str) -> bool {
    let stat = Path::new("/proc").join(pid).join("stat");
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match std::fs::read_to_string(&stat) {
            Ok(text) if !text.contains(") Z ") => {}
            _ => return true,
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn daemons_outlive_a_process_that_ends_by_itself() {
    let things = Things::new();
    let pid = things.dir.path().join("pid");
    let starts = format!(
        "File.write('{}', Process.spawn('sleep 1000', pgroup: true).to_s); 'right'",
        pid.display()
    );
    let of = things.prepare(&[&starts]);
    assert_eq!(things.seen(&of), [Ok(0)]);
    drop(things.provider);
    let daemon = std::fs::read_to_string(&pid).unwrap();
    assert!(Path::new("/proc").join(&daemon).exists());
    let daemon = daemon.parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(daemon, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_resource_that_cannot_be_prepared_fails_alone() {
    let things = Things::new();
    let lib = things.dir.path().join("garden/lib/puppet");
    let broken = "Puppet::Type.newtype(:trap) do\n  newparam(:name, namevar: true) do\n    \
                  validate { |value| exit!(4) if value == 'trap' }\n  end\nend\n";
    std::fs::write(lib.join("type/trap.rb"), broken).unwrap();
    let names = ["a", "b", "trap", "c", "d"];
    let resources = names.iter().enumerate();
    let resources = resources.map(|(i, name)| (i as u64 + 1, Cow::Owned(thing("Trap", name, &[]))));
    let request = PrepareRequest { graph: 1, resources: resources.collect(), others: Vec::new() };
    let prepared = things.provider.prepare(&request);
    let errors: Vec<String> =
        prepared.iter().flat_map(|p| &p.errors).map(|e| e.message.clone()).collect();
    assert_eq!(errors, ["the `ruby` process stopped: it ended with status 4"]);
    assert_eq!(prepared[2].errors.len(), 1);
    assert_eq!(things.seen(&[1, 2, 4, 5]), [Ok(0), Ok(0), Ok(0), Ok(0)]);
}

/// A process that answers everything with a text.
fn answering(text: &str) -> ProcessProvider {
    let script = format!(
        "input = $stdin.dup; output = IO.for_fd(0, 'wb', autoclose: false); output.sync = true
        while (head = input.read(4))
          input.read(head.unpack1('N'))
          text = {text:?}
          output.write([text.bytesize].pack('N') + text) if head != \"\\0\\0\\0\\0\"
        end"
    );
    let script: &'static str = Box::leak(script.into_boxed_str());
    let program = ProviderProgram {
        language: Language::Ruby,
        options: vec!["-e", script],
        code: 0u32.to_be_bytes().to_vec(),
    };
    provider(program, [])
}

#[test]
fn nonsense_is_an_error() {
    let names = ["thing".to_string()];
    for (text, message) in [
        ("{", "the `ruby` process gave no valid answer: EOF while parsing an object"),
        (r#"{"error":{"message":"no","file":"a.rb","line":3}}"#, "no (file: a.rb, line: 3)"),
        ("[]", ""),
        (r#"{"ok":7}"#, ""),
    ] {
        let error = answering(text).kinds(&names).err().map(|error| error.to_string());
        assert!(error.unwrap_or_default().starts_with(message), "{text}");
    }
    // The process answers the first requests, then misbehaves.
    let provider = answering(r#"{"ok":[7]}"#);
    let resource = thing("Thing", "a", &[]);
    let resources = vec![(1, Cow::Owned(resource))];
    let request = PrepareRequest { graph: 1, resources, others: Vec::new() };
    assert!(provider.prepare(&request)[0].errors.is_empty());
    let host = host();
    let call = Call { host: &host, limit: None, timeout: None, is_fresh: true };
    let seen = provider.observe(&[1], &call).remove(0);
    assert_eq!(seen.changes.unwrap_err().to_string(), "the provider process gave no answer");
}

#[test]
fn a_missing_interpreter_is_named_with_its_package() {
    let program = ProviderProgram::ruby(60, 2 << 30);
    let interpreters = vec!["/nowhere/ruby".to_string()];
    let settings = ProviderSettings::new(program, interpreters, []);
    let error = ProcessProvider::new(settings).kinds(&["thing".into()]).unwrap_err();
    assert_eq!(error.to_string(), "there is no `ruby` on this machine");
    assert!(error.help().unwrap().contains("the package is called `ruby`"));
}
