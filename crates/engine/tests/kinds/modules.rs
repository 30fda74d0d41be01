//! Kinds of the commonest modules of Puppet. `crates/cli/tests/apply/module_*.pp` compares them with
//! the modules themselves; these tests cover the rest.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock};

use crate::support::{Machine, errors, list, parse, resource, s, secret};
use ordain_data::Value;
use ordain_engine::kind::{Instance, Kind, ParseContext, Registry};
use ordain_engine::kinds::archive::Archive;
use ordain_engine::kinds::concat::{ConcatFile, ConcatFragment};
use ordain_engine::kinds::file_line::FileLine;
use ordain_engine::kinds::ini::{IniSetting, IniSubsetting};
use ordain_engine::kinds::vcsrepo::Vcsrepo;
use ordain_graph::{Resource, ServedFiles};

fn line(attributes: &[(&str, Value)]) -> Box<dyn Instance> {
    let mut all = vec![("path", s("/f"))];
    all.extend_from_slice(attributes);
    parse(&FileLine::default(), "l", &all)
}

#[test]
fn a_line_of_several_lines_is_found_again() {
    let machine = Machine::silent();
    machine.write("f", "a\n");
    let two = line(&[("line", s("b\nc\n"))]);
    assert_eq!(machine.converge(&*two), ["ensure: created"]);
    assert_eq!(machine.read("f"), "a\nb\nc\n");
    let gone = line(&[("line", s("b\nc")), ("ensure", s("absent"))]);
    assert_eq!(machine.converge(&*gone), ["ensure: removed"]);
    assert_eq!(machine.read("f"), "a\n");
}

#[test]
fn a_line_that_does_not_match_stays() {
    let machine = Machine::silent();
    machine.write("f", "kept\n");
    let gone = [
        ("line", s("kept")),
        ("ensure", s("absent")),
        ("match", s("^x")),
        ("match_for_absence", Value::Bool(true)),
    ];
    assert!(machine.messages(&*line(&gone)).is_empty());
}

#[test]
fn the_mode_of_a_file_and_a_link_to_it_stay() {
    let machine = Machine::silent();
    machine.write("real", "a\r\n\u{e9}");
    let real = machine.root().join("real");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real", machine.root().join("f")).unwrap();
    machine.converge(&*line(&[("line", s("b"))]));
    assert_eq!(machine.read("real"), "a\r\n\u{e9}\nb\n");
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert!(machine.root().join("f").is_symlink());
}

#[test]
fn a_file_of_a_resource_may_be_missing_in_a_plan_only() {
    let machine = Machine::silent();
    let context = context_of(&[], &["/f"]);
    let wanted = resource("File_line", "l", &[("path", s("/f")), ("line", s("a"))]);
    let declared = FileLine::default().parse(&wanted, &context).map_err(|e| format!("{e:?}"));
    let declared = declared.unwrap();
    let changes = declared.compare(&machine.host).unwrap();
    assert_eq!(changes.len(), 1);
    assert!(declared.apply(&machine.host, &changes).is_err());
    assert!(line(&[("line", s("a"))]).compare(&machine.host).is_err());
}

#[test]
fn encodings_without_ascii_are_refused() {
    let wrong = |name: &str| {
        errors(
            &FileLine::default(),
            "l",
            &[("path", s("/f")), ("line", s("a")), ("encoding", s(name))],
        )
    };
    for name in ["utf-16", "Shift_JIS", "nothing"] {
        assert!(wrong(name)[0].starts_with("encoding: the encoding"), "{name}");
    }
}

fn ini(attributes: &[(&str, Value)]) -> Box<dyn Instance> {
    let mut all = vec![("path", s("/i"))];
    all.extend_from_slice(attributes);
    parse(&IniSetting, "i", &all)
}

#[test]
fn a_setting_that_is_there_twice_is_set_once() {
    let machine = Machine::silent();
    machine.write("i", "[a]\nk = 1\nl = 2\n k=3\n[b]\nk = 4\n");
    let one = [("section", s("a")), ("setting", s("k")), ("value", s("5"))];
    machine.converge(&*ini(&one));
    assert_eq!(machine.read("i"), "[a]\nl = 2\n k=5\n[b]\nk = 4\n");
    let two = [("section", s("a")), ("setting", s("k")), ("value", list(&["6", "7"]))];
    machine.converge(&*ini(&two));
    assert_eq!(machine.read("i"), "[a]\nl = 2\n k=6\n k=7\n[b]\nk = 4\n");
    let gone = [("section", s("a")), ("setting", s("k")), ("ensure", s("absent"))];
    machine.converge(&*ini(&gone));
    assert_eq!(machine.read("i"), "[a]\nl = 2\n[b]\nk = 4\n");
}

#[test]
fn sections_of_the_same_name_stay() {
    let machine = Machine::silent();
    machine.write("i", "[a]\nx = 1\n[a]\ny = 2\n");
    machine.converge(&*ini(&[("section", s("a")), ("setting", s("y")), ("value", s("3"))]));
    assert_eq!(machine.read("i"), "[a]\nx = 1\n[a]\ny = 3\n");
}

#[test]
fn values_of_settings_are_shown_as_declared() {
    let machine = Machine::silent();
    machine.write("i", "k = old\n");
    let shown = |how: &str| {
        let attributes = [("setting", s("k")), ("value", s("new")), ("show_diff", s(how))];
        let changes = ini(&attributes).compare(&machine.host).unwrap();
        (format!("{:?}", changes[0].after), changes[0].message.clone())
    };
    assert_eq!(shown("true").0, "\"new\"");
    assert!(shown("md5").0.contains("{md5}22af645d1859cb5ca6da0c484f1f37ea"));
    assert!(!shown("false").0.contains("new"));
    for how in ["true", "md5", "false"] {
        assert!(!shown(how).1.contains("new"));
    }
}

#[test]
fn what_would_break_an_ini_file_is_refused() {
    let wrong = [("path", s("/i")), ("setting", s("k")), ("value", s("a\nb"))];
    assert_eq!(errors(&IniSetting, "i", &wrong), ["value: value must be one line"]);
    let wrong =
        [("path", s("/i")), ("setting", s("k")), ("subsetting", s("a")), ("value", s("a\nb"))];
    assert_eq!(errors(&IniSubsetting, "i", &wrong), ["value: value must be one line"]);
    let wrong = [("path", s("/i")), ("setting", s("k")), ("key_val_separator", s("("))];
    assert_eq!(errors(&IniSetting, "i", &wrong).len(), 1);
}

#[test]
fn a_section_is_not_removed_as_a_whole() {
    let machine = Machine::silent();
    machine.write("i", "[a]\nk = 1\n");
    let gone = ini(&[("section", s("a")), ("ensure", s("absent"))]);
    assert!(machine.messages(&*gone).is_empty());
    assert_eq!(gone.remarks(&machine.host).len(), 1);
}

/// The surroundings of a resource in a graph of these.
fn context(all: &'static [Resource]) -> ParseContext<'static> {
    context_of(all, &[])
}

/// The same in a graph that has these files, too.
fn context_of(all: &'static [Resource], files: &'static [&str]) -> ParseContext<'static> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(Arc::default);
    ParseContext {
        resolve_source: &|_| None,
        find: &|_| None,
        files: Box::leak(Box::new(move || Arc::new(files.iter().map(PathBuf::from).collect()))),
        of_kind: Box::leak(Box::new(move |kind: &str| {
            all.iter().filter(|r| r.id.kind.eq_ignore_ascii_case(kind)).collect()
        })),
        registry: &REGISTRY,
        served: Box::leak(Box::new(ServedFiles::default())),
        graph: Box::leak(Box::default()),
        graph_number: 0,
        without_deferred: &|resource| std::borrow::Cow::Borrowed(resource),
    }
}

/// The content of the file that fragments make, and whether it is secret.
fn assembled(
    machine: &Machine,
    attributes: &[(&str, Value)],
    fragments: &[(&str, &[(&str, Value)])],
) -> Result<(Vec<u8>, bool), String> {
    let fragments = fragments.iter().map(|(title, attributes)| {
        let mut all = vec![("target", s("/c"))];
        all.extend_from_slice(attributes);
        resource("Concat_fragment", title, &all)
    });
    let fragments: &'static [Resource] = Vec::leak(fragments.collect());
    let file = resource("Concat_file", "/c", attributes);
    let parsed = ConcatFile.parse(&file, &context(fragments));
    let parsed = parsed.map_err(|e| format!("{e:?}"))?;
    let made = parsed.generate(&machine.host).map_err(|e| e.0)?;
    let value = made[0].value("content").unwrap();
    Ok(match value {
        Value::Secret(inner) => (inner.as_str().unwrap().as_bytes().to_vec(), true),
        Value::Bytes(bytes) => (bytes.to_vec(), false),
        other => (other.as_str().unwrap().as_bytes().to_vec(), false),
    })
}

#[test]
fn a_secret_fragment_makes_the_whole_content_secret() {
    let machine = Machine::silent();
    let fragments: &[(&str, &[(&str, Value)])] =
        &[("a", &[("content", s("user\n"))]), ("b", &[("content", secret("password\n"))])];
    let made = assembled(&machine, &[], fragments).unwrap();
    assert_eq!(made, (b"user\npassword\n".to_vec(), true));
}

#[test]
fn contradictions_of_secret_fragments_are_not_told() {
    let machine = Machine::silent();
    let fragments: &[(&str, &[(&str, Value)])] =
        &[("a", &[("content", s("{\"k\": 1}"))]), ("b", &[("content", secret("{\"k\": 4711}"))])];
    let json = [("format", s("json"))];
    let error = assembled(&machine, &json, fragments).unwrap_err();
    assert!(error.contains("Duplicate key") && !error.contains("4711"), "{error}");
    let broken: &[(&str, &[(&str, Value)])] = &[("b", &[("content", secret("4711 {"))])];
    let error = assembled(&machine, &json, broken).unwrap_err();
    assert!(!error.contains("4711"), "{error}");
}

#[test]
fn numbers_and_texts_of_an_order_can_be_mixed() {
    let machine = Machine::silent();
    let fragments: &[(&str, &[(&str, Value)])] = &[
        ("z", &[("content", s("1")), ("order", s("x"))]),
        ("7", &[("content", s("2")), ("order", Value::Int(10))]),
        ("b", &[("content", s("3")), ("order", s("010"))]),
        ("a", &[("content", s("4")), ("order", s("9"))]),
    ];
    assert_eq!(assembled(&machine, &[], fragments).unwrap().0, b"4231");
}

#[test]
fn bytes_of_fragments_stay_bytes() {
    let machine = Machine::silent();
    machine.write("b", [0, 255]);
    let fragments: &[(&str, &[(&str, Value)])] =
        &[("a", &[("source", list(&["/none", "/b"]))]), ("b", &[("content", s("x"))])];
    let newline = [("ensure_newline", Value::Bool(true))];
    assert_eq!(assembled(&machine, &newline, fragments).unwrap().0, [0, 255, 10, b'x', 10]);
    let none: &[(&str, &[(&str, Value)])] = &[("a", &[("source", s("/none"))])];
    assert!(assembled(&machine, &[], none).is_err());
}

#[test]
fn a_file_without_content_need_not_be_made() {
    let machine = Machine::silent();
    let file = resource("Concat_file", "/c", &[("create_empty_file", Value::Bool(false))]);
    let parsed = ConcatFile.parse(&file, &context(&[])).map_err(|e| format!("{e:?}")).unwrap();
    let made = parsed.generate(&machine.host).unwrap();
    assert_eq!(made[0].value("ensure").unwrap().as_str(), Some("absent"));
    assert_eq!(errors(&ConcatFragment, "f", &[("target", s("/c"))]).len(), 1);
}

/// Serves one content for each of some requests, and gives the requests.
fn serve(contents: Vec<&'static str>) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for content in contents {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = String::new();
            for line in BufReader::new(stream.try_clone().unwrap()).lines() {
                let line = line.unwrap();
                if line.is_empty() {
                    break;
                }
                head.push_str(&line);
                head.push('\n');
            }
            let status = if content.is_empty() { "404 Not Found" } else { "200 OK" };
            let length = content.len();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{content}")
                .unwrap();
            sender.send(head).unwrap();
        }
    });
    (port, receiver)
}

#[test]
fn an_archive_comes_from_a_server() {
    let machine = Machine::silent();
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let (port, requests) = serve(vec![digest, "y", digest, "x", digest]);
    let attributes = [
        ("source", s(&format!("http://user:p%40ss@127.0.0.1:{port}/a.tgz"))),
        ("checksum_url", s(&format!("http://127.0.0.1:{port}/a.sum"))),
        ("checksum_type", s("sha256")),
        ("cookie", secret("c=1")),
        ("headers", list(&["X-Token: abc"])),
    ];
    let archive = parse(&Archive, "/d/a.tgz", &attributes);
    let changes = archive.compare(&machine.host).unwrap();
    let wanted =
        format!("download archive from http://127.0.0.1:{port}/a.tgz to /d/a.tgz  with cleanup");
    assert_eq!(changes[0].message, wanted);
    let error = archive.apply(&machine.host, &changes).unwrap_err();
    assert!(error.0.starts_with("Download file checksum mismatch (expected: 2d71"), "{error}");
    assert!(!machine.root().join("d/a.tgz").exists());
    archive.apply(&machine.host, &changes).unwrap();
    assert_eq!(machine.read("d/a.tgz"), "x");
    assert!(machine.messages(&*archive).is_empty());
    let requests: Vec<String> = requests.iter().take(5).collect();
    assert!(requests[1].to_lowercase().contains("authorization: basic dxnlcjpwqhnz"));
    assert!(requests[1].contains("c=1") && requests[1].contains("abc"));
    let left: Vec<_> = std::fs::read_dir(machine.root().join("d")).unwrap().collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn a_missing_document_and_unknown_addresses_are_errors() {
    let machine = Machine::silent();
    let (port, _requests) = serve(vec![""]);
    let attributes = [("source", s(&format!("http://127.0.0.1:{port}/none")))];
    let archive = parse(&Archive, "/a", &attributes);
    let changes = archive.compare(&machine.host).unwrap();
    let error = archive.apply(&machine.host, &changes).unwrap_err();
    assert!(error.0.ends_with("HTTP Error Code 404"), "{error}");
    for address in ["s3://bucket/a", "gs://bucket/a", "relative", "gopher://x/a", "http://"] {
        assert_eq!(errors(&Archive, "/a", &[("source", s(address))]).len(), 1, "{address}");
    }
}

#[test]
fn curl_fetches_where_options_are_set_and_shows_no_password() {
    let machine = Machine::answering(|root, invocation| {
        let words: Vec<String> =
            invocation.launch.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let at = words.iter().position(|word| word == "-o").unwrap() + 1;
        let config = String::from_utf8(invocation.stdin.clone()).unwrap();
        assert!(config.contains("user = \"me:se\\\"cret\""), "{config}");
        std::fs::write(root.join(words[at].trim_start_matches('/')), "fetched").unwrap();
        crate::support::says("")
    });
    machine.write("usr/bin/curl", "");
    machine.write("tmp/.keep", "");
    let curl = machine.root().join("usr/bin/curl");
    std::fs::set_permissions(curl, PermissionsExt::from_mode(0o755)).unwrap();
    let attributes = [
        ("source", s("ftp://127.0.0.1/a")),
        ("username", s("me")),
        ("password", secret("se\"cret")),
        ("download_options", s("--retry=3")),
    ];
    let archive = parse(&Archive, "/a", &attributes);
    machine.converge(&*archive);
    assert_eq!(machine.read("a"), "fetched");
    let lines = machine.commands();
    assert!(lines[0].contains("--retry=3") && !lines[0].contains("cret"), "{lines:?}");
    let left = std::fs::read_dir(machine.root().join("tmp")).unwrap().count();
    assert_eq!(left, 1);
}

#[test]
fn names_of_archives_are_no_part_of_the_shell() {
    let machine = Machine::real();
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    std::fs::write(at("in"), "x").unwrap();
    std::fs::create_dir(at("out")).unwrap();
    let host =
        ordain_engine::host::Host::new("/".into(), Box::new(ordain_engine::runner::HostRunner));
    let title = at("$(touch bad) '\".tar");
    let attributes = [
        ("source", s(&at("in"))),
        ("extract", s("true")),
        ("extract_path", s(&at("out"))),
        ("extract_command", s("cat %s > seen; true 100%%")),
        ("creates", s(&at("out/seen"))),
    ];
    let archive = parse(&Archive, &title, &attributes);
    let changes = archive.compare(&host).unwrap();
    archive.apply(&host, &changes).unwrap();
    assert_eq!(std::fs::read_to_string(at("out/seen")).unwrap(), "x");
    assert!(!directory.path().join("out/bad").exists());
    assert!(archive.compare(&host).unwrap().is_empty());
    drop(machine);
}

#[test]
fn an_unknown_kind_of_archive_fails() {
    let machine = Machine::silent();
    machine.write("in", "x");
    machine.write("out/.keep", "");
    let attributes = [
        ("source", s("/in")),
        ("extract", s("true")),
        ("extract_path", s("/out")),
        ("creates", s("/out/x")),
    ];
    let archive = parse(&Archive, "/a.bin", &attributes);
    let changes = archive.compare(&machine.host).unwrap();
    let error = archive.apply(&machine.host, &changes).unwrap_err();
    assert_eq!(error.0, "Unknown filetype: /a.bin");
    assert_eq!(errors(&Archive, "/a", &[("extract", s("true"))]).len(), 1);
}

/// Runs git where a person would.
fn git(directory: &std::path::Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(["-c", "commit.gpgsign=false"])
        .args(words)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?} {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_plan_of_a_repository_fetches_nothing() {
    if Command::new("git").arg("--version").output().is_err() {
        ordain_testkit::peer(false, "git");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("source");
    std::fs::create_dir(&source).unwrap();
    git(&source, &["init", "-q"]);
    let commit = |text: &str| {
        std::fs::write(source.join("f"), text).unwrap();
        git(&source, &["add", "."]);
        git(&source, &["commit", "-q", "-m", text]);
    };
    commit("1");
    let host =
        ordain_engine::host::Host::new("/".into(), Box::new(ordain_engine::runner::HostRunner));
    let path = directory.path().join("copy").to_string_lossy().into_owned();
    let from = source.to_string_lossy().into_owned();
    let attributes = |revision: Option<&str>| {
        let mut all = vec![("ensure", s("latest")), ("source", s(&from)), ("provider", s("git"))];
        all.extend(revision.map(|revision| ("revision", s(revision))));
        parse(&Vcsrepo, &path, &all)
    };
    let own = Command::new("id").arg("-un").output().unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    let latest = attributes(None);
    let made = latest.compare(&host).unwrap();
    latest.apply(&host, &made).unwrap();
    assert!(latest.compare(&host).unwrap().is_empty());
    commit("2");
    let head = |reference: &str| {
        let out = Command::new("git").args(["rev-parse", reference]).current_dir(&path).output();
        String::from_utf8(out.unwrap().stdout).unwrap()
    };
    let before = head("refs/remotes/origin/main");
    let changes = latest.compare(&host).unwrap();
    assert_eq!(changes[0].message, "ensure changed 'present' to 'latest'");
    assert_eq!(head("refs/remotes/origin/main"), before);
    latest.apply(&host, &changes).unwrap();
    assert_eq!(std::fs::read_to_string(format!("{path}/f")).unwrap(), "2");
    assert!(latest.compare(&host).unwrap().is_empty());
    let ours = [
        ("ensure", s("present")),
        ("source", s(&from)),
        ("owner", s(own.trim())),
        ("user", s(own.trim())),
        ("excludes", list(&["tmp"])),
    ];
    let path_of_own = directory.path().join("own").to_string_lossy().into_owned();
    let ours = parse(&Vcsrepo, &path_of_own, &ours);
    ours.apply(&host, &ours.compare(&host).unwrap()).unwrap();
    let excludes = std::fs::read_to_string(format!("{path_of_own}/.git/info/exclude"));
    assert_eq!(excludes.unwrap(), "tmp\n");
    // A tag that is moved on the server.
    git(&source, &["tag", "v"]);
    let tagged = attributes(Some("v"));
    assert!(tagged.compare(&host).unwrap().is_empty());
    commit("3");
    git(&source, &["tag", "-f", "v"]);
    let changes = tagged.compare(&host).unwrap();
    assert_eq!(changes.len(), 1);
    tagged.apply(&host, &changes).unwrap();
    assert_eq!(std::fs::read_to_string(format!("{path}/f")).unwrap(), "3");
}

#[test]
fn words_that_git_would_take_for_options_are_refused() {
    let wrong = |name: &str, value: Value| errors(&Vcsrepo, "/r", &[(name, value)]);
    assert_eq!(wrong("source", s("--upload-pack=x")).len(), 1);
    assert_eq!(wrong("revision", s("--orphan")).len(), 1);
    assert_eq!(wrong("revision", s("a b")).len(), 1);
    assert_eq!(wrong("remote", s("-x")).len(), 1);
    assert_eq!(wrong("source", Value::map([("other", s("/x"))])).len(), 1);
    assert_eq!(wrong("umask", s("9")).len(), 1);
    assert_eq!(wrong("http_proxy", s("proxy:80")).len(), 1);
    assert_eq!(wrong("includes", s("/a")).len(), 1);
    let svn = wrong("provider", s("svn"));
    assert!(svn[0].contains("module's own provider in Ruby"), "{svn:?}");
}
