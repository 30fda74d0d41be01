//! Values that hosts share: one suite for all stores, which are a directory, PostgreSQL, an etcd
//! cluster, and this server.

mod etcd;
mod secure_etcd;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ordain_engine::cluster::{CandidateOptions, Cluster, ServerStore};
use ordain_engine::host::{Host, SharedValues};
use ordain_engine::runner::HostRunner;
use ordain_engine::shared_kv::Key;
use ordain_engine::tls::TlsFiles;
use ordain_fleet_store::{Postgres, SharedDatabase, Sqlite};
use ordain_graph::shared::{
    SharedChanges, SharedGuard, SharedKey, SharedStore, SharedStoreError, SharedWrite, Space,
};
use serde_json::json;

use crate::databases::with_postgres;
use crate::support::TestServer;
use etcd::EtcdCluster;

/// Longer than any operation; only a hang takes this long.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The seconds of a lease: the shortest one that etcd has.
const TTL: u64 = 2;

/// A server needs some code.
const CODE: [(&str, &str); 1] = [("environments/production/manifests/site.pp", "")];

/// The store as a host sees it.
type StoreOf<'s> = &'s dyn Fn(&str) -> Arc<dyn SharedStore>;

/// Runs a test with each store, all at once, since leases take their time.
fn with_each(test: impl Fn(StoreOf<'_>) + Sync) {
    let test = &test;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let dir = tempfile::tempdir().unwrap();
            let database = Sqlite::open(&dir.path().join("shared.db"), 2, Vec::new()).unwrap();
            let store: Arc<dyn SharedStore> = Arc::new(SharedDatabase(Arc::new(database)));
            test(&|_| Arc::clone(&store));
        });
        scope.spawn(move || {
            with_postgres(|address| {
                let database = Postgres::connect(address, 4).unwrap();
                let store: Arc<dyn SharedStore> = Arc::new(SharedDatabase(Arc::new(database)));
                test(&|_| Arc::clone(&store));
            });
        });
        scope.spawn(move || {
            let server = TestServer::start(&CODE, |_| {});
            test(&|host| server_store(&server, host));
        });
        scope.spawn(move || {
            if let Some(cluster) = EtcdCluster::start(1) {
                test(&|_| cluster.store());
            }
        });
    });
}

/// The server as a host sees it.
fn server_store(server: &TestServer, host: &str) -> Arc<dyn SharedStore> {
    let file = |name: &str| server.path(&format!("{host}-{name}.pem"));
    let (ca, cert, key) = (file("ca"), file("cert"), file("key"));
    if !cert.exists() {
        let own = server.generate(host, |_| {});
        std::fs::write(&cert, own.certificate.pem()).unwrap();
        std::fs::write(&key, &own.key_pem).unwrap();
        let chain: String = server.ca().chain().iter().map(|one| one.pem()).collect();
        std::fs::write(&ca, chain).unwrap();
    }
    let files = TlsFiles { ca: Some(ca), cert: Some(cert), key: Some(key) };
    let address = format!("https://localhost:{}", server.summary.address.port());
    Arc::new(ServerStore::new(&address, host, files).unwrap())
}

/// A store that can be cut off.
#[derive(Debug)]
struct Cable {
    store: Arc<dyn SharedStore>,
    is_cut: AtomicBool,
}

impl Cable {
    fn check(&self) -> Result<&dyn SharedStore, SharedStoreError> {
        match self.is_cut.load(Ordering::SeqCst) {
            true => Err(SharedStoreError::Unreachable("the cable is cut".to_owned())),
            false => Ok(&*self.store),
        }
    }
}

impl SharedStore for Cable {
    fn changes(
        &self,
        after: Option<i64>,
        wait: Duration,
    ) -> Result<SharedChanges, SharedStoreError> {
        let changes = self.check()?.changes(after, wait)?;
        // A change that arrives after the cut is lost.
        self.check()?;
        Ok(changes)
    }

    fn write(
        &self,
        host: &str,
        writes: &[SharedWrite],
        guard: Option<&SharedGuard>,
    ) -> Result<bool, SharedStoreError> {
        self.check()?.write(host, writes, guard)
    }

    fn renew(&self, host: &str, ttl: u64) -> Result<(), SharedStoreError> {
        self.check()?.renew(host, ttl)
    }
}

/// A host with a machine and a cable of its own.
struct TestHost {
    name: &'static str,
    root: tempfile::TempDir,
    cable: Arc<Cable>,
    cluster: Arc<Cluster>,
    machine: Host,
}

fn machine(root: &Path) -> Host {
    Host::new(root.to_path_buf(), Box::new(HostRunner))
}

impl TestHost {
    fn start(name: &'static str, store: StoreOf<'_>) -> Self {
        let root = tempfile::tempdir().unwrap();
        let cable = Arc::new(Cable { store: store(name), is_cut: AtomicBool::new(false) });
        let store = Arc::clone(&cable) as Arc<dyn SharedStore>;
        let cluster = Cluster::open(store, name, Some(machine(root.path())));
        assert_eq!(cluster.problem(), None, "{name}");
        cluster.follow().unwrap();
        let mut machine = machine(root.path());
        machine.shared = Some(Arc::clone(&cluster) as Arc<dyn SharedValues>);
        Self { name, root, cable, cluster, machine }
    }

    fn cut(&self, is_cut: bool) {
        self.cable.is_cut.store(is_cut, Ordering::SeqCst);
    }

    fn set(&self, key: &str, value: &str) {
        Key::new(key).set(&self.machine, Some(self.name), Some(value), None).unwrap();
    }

    fn stand(&self, options: &CandidateOptions) {
        let (key, text) = (Key::of_schedule("n"), options.to_text());
        key.set(&self.machine, Some(self.name), Some(&text), options.lease()).unwrap();
    }

    fn is_candidate(&self) -> bool {
        Key::of_schedule("n").get(&self.machine, Some(self.name)).unwrap().is_some()
    }

    /// The values of a key by host, as `kvlookup` returns them: `a=1 b=2`.
    fn values(&self, key: &str) -> String {
        let values = Key::new(key).of_hosts(&self.machine).unwrap().into_iter();
        values.map(|(host, value)| format!("{host}={value}")).collect::<Vec<_>>().join(" ")
    }

    fn elected(&self) -> String {
        Key::of_schedule("n").elected(&self.machine).unwrap().join(" ")
    }

    fn exports(&self) -> String {
        let found = Key::of_exports("file").exports(&self.machine).unwrap().into_iter();
        let shown = found.map(|(name, host, export)| format!("{host}:{name}={}", export.data));
        shown.collect::<Vec<_>>().join(" ")
    }
}

/// Waits until all hosts see the same.
fn until(hosts: &[&TestHost], look: impl Fn(&TestHost) -> String, wanted: &str) {
    let end = Instant::now() + TIMEOUT;
    for host in hosts {
        while look(host) != wanted {
            let (found, problem) = (look(host), host.cluster.problem());
            let name = host.name;
            assert!(Instant::now() < end, "{name}: {found:?}, not {wanted:?}; {problem:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn write(space: Space, name: &str, host: &str, value: Option<&str>) -> SharedWrite {
    let key = SharedKey::new(space, name, host);
    SharedWrite { key, value: value.map(str::to_owned), ttl: None }
}

/// Changes as text: `common k=1`, with `complete` for all values.
fn shown(changes: &SharedChanges) -> String {
    let entries = changes.entries.iter().map(|entry| {
        let (space, value) = (entry.key.space.as_str(), entry.value.as_deref().unwrap_or("-"));
        format!("{space} {}@{}={value}", entry.key.name, entry.key.host)
    });
    let mut entries: Vec<String> = entries.collect();
    entries.sort();
    let all = if changes.is_complete { "complete: " } else { "" };
    format!("{all}{}", entries.join(", "))
}

#[test]
fn a_store_has_revisions_conditions_and_leases() {
    with_each(|store| {
        let (a, b) = (store("a"), store("b"));
        let begin = b.changes(None, Duration::ZERO).unwrap();
        assert_eq!(shown(&begin), "complete: ");
        let (odd, text) = ("k /%-\u{e4}", "x\n\u{20ac}\"");
        let writes =
            [write(Space::Common, odd, "", Some(text)), write(Space::Mapped, "k", "a", Some("1"))];
        assert_eq!(a.write("a", &writes, None), Ok(true));
        let all = b.changes(None, Duration::ZERO).unwrap();
        assert_eq!(shown(&all), format!("complete: common {odd}@={text}, mapped k@a=1"));
        // The reader waits, and hears of a removal.
        let waiting = std::thread::spawn({
            let (b, after) = (Arc::clone(&b), Some(all.revision));
            move || b.changes(after, TIMEOUT).unwrap()
        });
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(a.write("a", &[write(Space::Common, odd, "", None)], None), Ok(true));
        let removal = waiting.join().unwrap();
        assert_eq!(shown(&removal), format!("common {odd}@=-"));
        let nothing = b.changes(Some(removal.revision), Duration::from_millis(20)).unwrap();
        assert_eq!((shown(&nothing), nothing.revision), (String::new(), removal.revision));
        // One of two who write the same result wins.
        let key = SharedKey::new(Space::Elected, "n", "");
        let absent = SharedGuard { key: key.clone(), revision: 0 };
        let result = |text| [write(Space::Elected, "n", "", Some(text))];
        assert_eq!(a.write("a", &result("[1]"), Some(&absent)), Ok(true));
        assert_eq!(b.write("b", &result("[2]"), Some(&absent)), Ok(false));
        let now = b.changes(None, Duration::ZERO).unwrap();
        let found = now.entries.iter().find(|entry| entry.key == key).unwrap();
        assert_eq!(found.value.as_deref(), Some("[1]"));
        let guard = SharedGuard { key, revision: found.revision };
        assert_eq!(b.write("b", &result("[2]"), Some(&guard)), Ok(true));
        // A value ends that its host does not renew.
        let leased =
            |host| SharedWrite { ttl: Some(TTL), ..write(Space::Candidate, "n", host, Some("{}")) };
        assert_eq!(a.write("a", &[leased("a")], None), Ok(true));
        assert_eq!(b.write("b", &[leased("b")], None), Ok(true));
        let end = Instant::now() + TIMEOUT;
        let names = || {
            let all = store("a").changes(None, Duration::ZERO).unwrap().entries;
            let found = all.into_iter().filter(|entry| entry.key.space == Space::Candidate);
            found.map(|entry| entry.key.host).collect::<Vec<_>>()
        };
        assert_eq!(names(), ["a", "b"]);
        while names() != ["b"] {
            assert!(Instant::now() < end, "{:?}", names());
            b.renew("b", TTL).unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

#[test]
fn three_hosts_converge_and_one_returns() {
    with_each(|store| {
        let [a, b, c] = ["a", "b", "c"].map(|name| TestHost::start(name, store));
        for host in [&a, &b, &c] {
            host.set("k", host.name);
            let options =
                CandidateOptions { max: Some(2), ttl: Some(TTL), ..CandidateOptions::default() };
            host.stand(&options);
        }
        let export = |data: &str| {
            let value = json!({ "hosts": ["*"], "data": data }).to_string();
            BTreeMap::from([("file//etc/x".to_owned(), value)])
        };
        a.cluster.export(&export("1")).unwrap();
        until(&[&a, &b, &c], |host| host.values("k"), "a=a b=b c=c");
        until(&[&a, &b, &c], TestHost::elected, "a b");
        until(&[&a, &b, &c], TestHost::exports, "a:/etc/x=1");
        // `b` is cut off. It goes on with the last values; the others elect another host.
        b.cut(true);
        a.set("k", "2");
        a.cluster.export(&export("2")).unwrap();
        let refused = Key::new("k").set(&b.machine, Some("b"), Some("3"), None);
        assert!(refused.is_err());
        until(&[&a, &c], |host| host.values("k"), "a=2 b=b c=c");
        until(&[&a, &c], TestHost::elected, "a c");
        assert_eq!((b.values("k"), b.elected()), ("a=a b=b c=c".into(), "a b".into()));
        // The same after a restart, from the copies on its machine.
        let alone = Cluster::open(
            Arc::clone(&b.cable) as Arc<dyn SharedStore>,
            "b",
            Some(machine(b.root.path())),
        );
        let mut restarted = machine(b.root.path());
        restarted.shared = Some(Arc::clone(&alone) as Arc<dyn SharedValues>);
        assert!(alone.problem().is_some() && !alone.is_known());
        assert_eq!(Key::new("k").of_hosts(&restarted).unwrap()["c"], "c");
        assert_eq!(Key::of_schedule("n").elected(&restarted).unwrap(), ["a", "b"]);
        assert_eq!(Key::of_exports("file").exports(&restarted).unwrap().len(), 1);
        drop(alone);
        // It returns, catches up, and stands again. The elected hosts stay.
        b.cut(false);
        until(&[&b], |host| host.values("k"), "a=2 b=b c=c");
        until(&[&b], |host| host.is_candidate().to_string(), "false");
        until(&[&b], TestHost::exports, "a:/etc/x=2");
        b.stand(&CandidateOptions { max: Some(2), ttl: Some(TTL), ..Default::default() });
        b.set("k", "3");
        until(&[&a, &b, &c], |host| host.values("k"), "a=2 b=3 c=c");
        until(&[&a, &b, &c], TestHost::elected, "a c");
        // A host that ends in an orderly way leaves at once, unless it names a time.
        a.stand(&CandidateOptions { max: Some(2), ..CandidateOptions::default() });
        a.cluster.leave().unwrap();
        until(&[&a, &b, &c], TestHost::elected, "b c");
        b.cluster.leave().unwrap();
        assert_eq!(b.elected(), "b c");
        a.cluster.export(&BTreeMap::new()).unwrap();
        until(&[&a, &b, &c], TestHost::exports, "");
    });
}

#[test]
fn a_node_writes_its_own_values_only() {
    let server = TestServer::start(&CODE, |_| {});
    let (a, b) = (server_store(&server, "a"), server_store(&server, "b"));
    for space in [Space::Mapped, Space::Candidate, Space::Export] {
        let refused = a.write("b", &[write(space, "k/n", "b", Some("x"))], None);
        assert!(matches!(refused, Err(SharedStoreError::Refused(_))), "{refused:?}");
    }
    // Neither one of its own next to it is written.
    let both = [write(Space::Mapped, "k", "a", Some("x")), write(Space::Mapped, "k", "b", None)];
    assert!(a.write("a", &both, None).is_err());
    assert!(a.write("a", &[write(Space::Common, "k", "a", Some("x"))], None).is_err());
    assert_eq!(shown(&b.changes(None, Duration::ZERO).unwrap()), "complete: ");
    // An export is seen by its targets.
    let export = |hosts: &[&str]| {
        let value = json!({ "hosts": hosts, "data": "d" }).to_string();
        [write(Space::Export, "file/x", "a", Some(&value))]
    };
    let sees = |host: &str| {
        let store = server_store(&server, host);
        store.changes(None, Duration::ZERO).unwrap().entries.len()
    };
    assert_eq!(a.write("a", &export(&["b"]), None), Ok(true));
    assert_eq!((sees("a"), sees("b"), sees("c")), (1, 1, 0));
    let before = b.changes(None, Duration::ZERO).unwrap().revision;
    assert_eq!(a.write("a", &export(&["c"]), None), Ok(true));
    let change = b.changes(Some(before), Duration::ZERO).unwrap();
    assert_eq!(shown(&change), "export file/x@a=-");
    assert_eq!((sees("a"), sees("b"), sees("c")), (1, 0, 1));
}

#[test]
fn an_etcd_cluster_survives_its_leader() {
    let Some(mut cluster) = EtcdCluster::start(3) else { return };
    let store = cluster.store();
    let [a, b, c] = ["a", "b", "c"].map(|name| TestHost::start(name, &|_| Arc::clone(&store)));
    for host in [&a, &b, &c] {
        host.set("k", "1");
    }
    until(&[&a, &b, &c], |host| host.values("k"), "a=1 b=1 c=1");
    cluster.kill_leader();
    // The first write asks until a new leader is elected.
    a.set("k", "2");
    until(&[&a, &b, &c], |host| host.values("k"), "a=2 b=1 c=1");
    b.set("k", "2");
    until(&[&a, &b, &c], |host| host.values("k"), "a=2 b=2 c=1");
}
