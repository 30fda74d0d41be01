//! `ordain deploy` of an mcl program and its module, for agents that stay.

use super::{Command, Fleet, Path, Staying, content, fs, text, until, write};

/// The control repository: the program of all machines. The module comes from its own repository.
const PROGRAM: &str = "import \"modules/motd/\"
include motd.greeting()
";
const PUPPETFILE: &str = "mod 'motd', git: 'MOTD', ref: 'main'\n";

/// The module. A class of it writes the file.
fn module(word: &str) -> String {
    format!(
        "import \"fmt\"
import \"sys\"
class greeting() {{
	file \"/etc/motd\" {{
		state => \"exists\",
		content => fmt.printf(\"{word} %s\", sys.hostname()),
	}}
}}
"
    )
}

fn git(at: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    for name in ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"] {
        command.env(format!("GIT_{name}"), "test@example.org");
    }
    assert!(command.args(arguments).current_dir(at).status().unwrap().success(), "{arguments:?}");
}

fn commit(at: &Path) {
    git(at, &["add", "-A"]);
    git(at, &["commit", "-q", "-m", "change"]);
}

#[test]
fn a_deployed_revision_reaches_all_agents() {
    let fleet = Fleet::start(&[("unused/main.mcl", "")]);
    let (control, motd) = (fleet.path("control"), fleet.path("motd"));
    for (at, branch) in [(&control, "production"), (&motd, "main")] {
        fs::create_dir(at).unwrap();
        git(at, &["init", "-q", "-b", branch]);
    }
    write(&motd.join("main.mcl"), &module("first"));
    write(&motd.join("metadata.yaml"), "main: \"main.mcl\"\n");
    commit(&motd);
    write(&control.join("main.mcl"), PROGRAM);
    write(&control.join("metadata.yaml"), "main: \"main.mcl\"\n");
    write(&control.join("Puppetfile"), &PUPPETFILE.replace("MOTD", &motd.display().to_string()));
    commit(&control);
    let deploy = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.arg("deploy").args(more).arg("--remote").arg(&control);
        command.arg("--to").arg(fleet.path("code/environments"));
        command.arg("--cachedir").arg(fleet.path("cache"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    deploy(&[]);
    let names = ["a.example.org", "b.example.org"];
    let agents = names.map(|name| Staying::start(fleet.agent(name, &["--trust-on-first-use"])));
    let until_all = |word: &str| {
        for name in names {
            let wanted = format!("{word} {name}");
            let path = fleet.file(name, "/etc/motd");
            until(&wanted, || content(&path) == wanted);
        }
    };
    until_all("first");
    // A new commit of the module only.
    write(&motd.join("main.mcl"), &module("second"));
    commit(&motd);
    deploy(&[]);
    until_all("second");
    // A revision that does not compile changes nothing.
    write(&motd.join("main.mcl"), "class greeting() {\n");
    commit(&motd);
    deploy(&[]);
    write(&motd.join("main.mcl"), &module("third"));
    commit(&motd);
    deploy(&[]);
    until_all("third");
    for agent in agents {
        assert_eq!(agent.stop(), Some(0));
    }
}
