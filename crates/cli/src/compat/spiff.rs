//! The command lines of `spiff` and `spiff++`, for those who call this program by one of these
//! names: their flags, their formats, their exit codes.

mod completion;

use std::io::Write;
use std::process::ExitCode;
use std::time::SystemTime;

use ordain_dynaml::diff::{Colours, Format, compare_all, report};
use ordain_dynaml::eval::Dialect;
use ordain_engine::fetch::fetch;
use ordain_functions::time::timestamp;
use ordain_source::HostWorld;

use crate::commands::convert::{Wanted, convert};
use crate::commands::encrypt::encrypt;
use ordain_driver::dynaml::merge::{
    Merge, MergeError, MergeOptions, data, merge as merge_documents,
};

/// Which of the two programs is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// spiff, in the version of its document.
    Spiff,
    /// spiff++.
    SpiffPlusPlus,
}

impl Program {
    /// The program that a name means.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "spiff" => Some(Self::Spiff),
            "spiff++" => Some(Self::SpiffPlusPlus),
            _ => None,
        }
    }

    /// The name it is called by.
    fn name(self) -> &'static str {
        match self {
            Self::Spiff => "spiff",
            Self::SpiffPlusPlus => "spiff++",
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::Spiff => "1.0.8-ms.5",
            Self::SpiffPlusPlus => "v1.7.0-beta-8",
        }
    }
}

/// A flag: its names, whether a value follows, and what it does.
struct Flag(&'static str, &'static str, bool, &'static str);

/// A verb with its other name, its flags, how many files it takes, and what it says to others.
struct Verb {
    names: [&'static str; 2],
    about: &'static str,
    flags: &'static [Flag],
    files: std::ops::RangeInclusive<usize>,
    refusal: &'static str,
    usage: &'static str,
}

const SELECTION: [Flag; 4] = [
    Flag("json", "", false, "Print JSON"),
    Flag("path", "", true, "Print only the node at a path"),
    Flag("select", "", true, "Print only some nodes"),
    Flag("split", "", false, "Print a list as documents of their own"),
];

const VERBS: &[Verb] = &[
    Verb {
        names: ["merge", "m"],
        about: "Merge a template with stubs",
        flags: &[
            Flag("allow-http", "", false, "Fetch files that are named by http: or https:"),
            Flag("bindings", "", true, "A YAML file with names that are known everywhere"),
            Flag("debug", "", false, "Accepted, without effect"),
            Flag("define", "D", true, "A name and value that are known everywhere"),
            Flag("evaluate", "", true, "Print the value of an expression on the result"),
            Flag("features", "", true, "Switch on language features"),
            Flag("interpolation", "", false, "Switch on interpolation in texts"),
            Flag("json", "", false, "Print JSON"),
            Flag("partial", "", false, "Print also what cannot be resolved"),
            Flag("path", "", true, "Print only the node at a path"),
            Flag("preserve-escapes", "", false, "Keep escaped expressions escaped"),
            Flag("preserve-temporary", "", false, "Keep temporary nodes"),
            Flag("select", "", true, "Print only some nodes"),
            Flag("split", "", false, "Print a list as documents of their own"),
            Flag("state", "", true, "A file of values kept from run to run"),
            Flag("tag", "", true, "A file that is known by a tag"),
        ],
        files: 1..=usize::MAX,
        refusal: "requires at least one arg",
        usage: "merge [flags] TEMPLATE [STUB...]",
    },
    Verb {
        names: ["process", "r"],
        about: "Process a document with a template and stubs",
        flags: &[
            Flag("allow-http", "", false, "Fetch files that are named by http: or https:"),
            Flag("debug", "", false, "Accepted, without effect"),
            Flag("json", "", false, "Print JSON"),
            Flag("partial", "", false, "Print also what cannot be resolved"),
            Flag("path", "", true, "Print only the node at a path"),
            Flag("preserve-escapes", "", false, "Keep escaped expressions escaped"),
            Flag("preserve-temporary", "", false, "Keep temporary nodes"),
            Flag("select", "", true, "Print only some nodes"),
            Flag("state", "", true, "A file of values kept from run to run"),
        ],
        files: 2..=usize::MAX,
        refusal: "requires at least two args (document and template)",
        usage: "process [flags] DOCUMENT TEMPLATE [STUB...]",
    },
    Verb {
        names: ["diff", "d"],
        about: "Compare YAML files by their structure",
        flags: &[Flag("separator", "", true, "A text after each difference")],
        files: 2..=2,
        refusal: "requires two args",
        usage: "diff [flags] A B",
    },
    Verb {
        names: ["convert", "c"],
        about: "Print a YAML file, or parts of it",
        flags: &SELECTION,
        files: 1..=1,
        refusal: "requires at one arg",
        usage: "convert [flags] FILE",
    },
    Verb {
        names: ["encrypt", "e"],
        about: "Encrypt or decrypt a YAML file",
        flags: &[Flag("decrypt", "d", false, "Decrypt")],
        files: 1..=3,
        refusal: "requires one, two or three args",
        usage: "encrypt <file> [<password>] [<method>] [flags]",
    },
    Verb {
        names: ["version", "version"],
        about: "Print the version",
        flags: &[Flag("quiet", "q", false, "Print the bare version")],
        files: 0..=0,
        refusal: "takes no args",
        usage: "version [flags]",
    },
];

/// What stands on the command line behind the verb.
#[derive(Default)]
struct Given {
    flags: Vec<(&'static str, String)>,
    files: Vec<String>,
}

impl Given {
    fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|f| f.0 == name && f.1 != "false")
    }

    fn last(&self, name: &str) -> Option<String> {
        self.flags.iter().rev().find(|f| f.0 == name).map(|f| f.1.clone())
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.flags.iter().filter(|f| f.0 == name).map(|f| f.1.clone()).collect()
    }
}

/// Does what the arguments say.
pub fn main(program: Program, args: &[String]) -> ExitCode {
    let Some(name) = args.first().map(String::as_str) else {
        say(&usage());
        return ExitCode::from(if program == Program::Spiff { 1 } else { 0 });
    };
    match name {
        "-h" | "--help" | "help" => {
            say(&usage());
            return ExitCode::SUCCESS;
        }
        "-v" | "--version" => {
            say(&format!("spiff version {}\n", program.version()));
            return ExitCode::SUCCESS;
        }
        "completion" => return completion::main(program, &args[1..]),
        completion::ASK | completion::ASK_NAMES => {
            return completion::ask(name == completion::ASK, &args[1..]);
        }
        _ => {}
    }
    let Some(verb) = VERBS.iter().find(|v| v.names.contains(&name)) else {
        let what = if name.starts_with('-') {
            format!("unknown flag: {name}")
        } else {
            format!("unknown command {name:?} for \"spiff\"")
        };
        let code = refuse(&what, "Run 'spiff --help' for usage.");
        // The earlier program takes it for no error.
        let lenient = program == Program::Spiff && !name.starts_with('-');
        return if lenient { ExitCode::SUCCESS } else { code };
    };
    let given = match given(verb, &args[1..]) {
        Ok(Some(given)) => given,
        Ok(None) => {
            say(&format!("Usage:\n  spiff {}\n", verb.usage));
            return ExitCode::SUCCESS;
        }
        Err(error) => return refuse(&error, &format!("Usage:\n  spiff {}", verb.usage)),
    };
    if !verb.files.contains(&given.files.len()) {
        return refuse(verb.refusal, &format!("Usage:\n  spiff {}", verb.usage));
    }
    let done = match verb.names[0] {
        "merge" => merge(program, &given, None, &given.files),
        "process" => merge(program, &given, given.files.first(), &given.files[1..]),
        "diff" => diff(program, &given),
        "convert" => convert(&given.files[0], &wanted(&given)),
        "encrypt" => {
            let words: Vec<&str> = given.files[1..].iter().map(String::as_str).collect();
            encrypt(&given.files[0], &words, given.has("decrypt"))
        }
        "version" if given.has("quiet") => Ok(program.version().into()),
        _ => Ok(format!("spiff version {}\n", program.version())),
    };
    match done {
        Ok(text) => {
            say(&text);
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            let text = format!("{} {}", time(), trouble.text());
            // When nobody reads it there is nobody to tell.
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::from(1)
        }
    }
}

/// Flags and files; nothing if help is wanted.
fn given(verb: &Verb, args: &[String]) -> Result<Option<Given>, String> {
    let mut out = Given::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            out.files.extend(args.cloned());
            break;
        }
        if arg == "-h" || arg == "--help" {
            return Ok(None);
        }
        let (name, value) = if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            let flag = verb.flags.iter().find(|f| f.0 == name);
            (flag.ok_or_else(|| format!("unknown flag: --{name}"))?, value.map(str::to_owned))
        } else if let Some(short) = arg.strip_prefix('-').filter(|s| !s.is_empty()) {
            let name = short.chars().next().map(String::from).unwrap_or_default();
            let flag = verb.flags.iter().find(|f| f.1 == name);
            let unknown = || format!("unknown shorthand flag: '{name}' in -{short}");
            let rest = &short[name.len()..];
            let value = rest.strip_prefix('=').unwrap_or(rest);
            (flag.ok_or_else(unknown)?, (!rest.is_empty()).then(|| value.to_owned()))
        } else {
            out.files.push(arg.clone());
            continue;
        };
        let value = match value {
            Some(value) => value,
            None if !name.2 => String::new(),
            None => {
                let next = args.next().cloned();
                next.ok_or_else(|| format!("flag needs an argument: --{}", name.0))?
            }
        };
        out.flags.push((name.0, value));
    }
    Ok(Some(out))
}

fn merge(
    program: Program,
    given: &Given,
    document: Option<&String>,
    files: &[String],
) -> Result<String, MergeError> {
    let options = MergeOptions {
        json: given.has("json"),
        path: given.last("path").filter(|p| !p.is_empty()),
        select: given.all("select"),
        evaluate: given.last("evaluate").filter(|e| !e.is_empty()),
        split: given.has("split"),
        bindings: given.last("bindings").filter(|b| !b.is_empty()).map(Into::into),
        define: given.all("define"),
        tag: given.all("tag"),
        features: given.all("features"),
        interpolation: given.has("interpolation"),
        partial: given.has("partial"),
        preserve_escapes: given.has("preserve-escapes"),
        preserve_temporary: given.has("preserve-temporary"),
        state: given.last("state").filter(|s| !s.is_empty()).map(Into::into),
        no_exec: false,
    };
    let documents = Merge {
        template: files.first().map(String::as_str).unwrap_or_default(),
        stubs: files.get(1..).unwrap_or_default(),
        document: document.map(String::as_str),
        options,
        dialect: match program {
            Program::Spiff => Dialect::Spiff,
            Program::SpiffPlusPlus => Dialect::SpiffPlusPlus,
        },
        explain: None,
        lenient: true,
    };
    let world = HostWorld::new();
    let world = if given.has("allow-http") { world.fetching(fetch) } else { world };
    Ok(merge_documents(&world, &documents)?.text)
}

fn diff(program: Program, given: &Given) -> Result<String, MergeError> {
    let world = HostWorld::new();
    let left = data(&world, "a", &given.files[0])?;
    let right = data(&world, "b", &given.files[1])?;
    let format = Format {
        left: &given.files[0],
        right: &given.files[1],
        colours: Some(Colours::ANSI),
        wide: program == Program::SpiffPlusPlus,
        separator: &given.last("separator").unwrap_or_default(),
        places: None,
    };
    Ok(report(&compare_all(&left, &right), &format))
}

fn wanted(given: &Given) -> Wanted {
    Wanted {
        json: given.has("json"),
        path: given.last("path").filter(|p| !p.is_empty()),
        select: given.all("select"),
        split: given.has("split"),
    }
}

fn usage() -> String {
    let mut out = String::from("YAML in-domain templating processor\n\nUsage:\n");
    for verb in VERBS {
        out.push_str(&format!("  spiff {}\n", verb.usage));
    }
    out + "  spiff completion SHELL\n"
}

/// The command line is wrong: both programs say so on both streams.
fn refuse(what: &str, usage: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "Error: {what}\n{usage}\n");
    say(&format!("{what}\n"));
    ExitCode::from(1)
}

/// Writes to standard output. When nobody reads it there is nobody to tell.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// The time as Go's log has it, in UTC where the zone is not known.
fn time() -> String {
    let now = timestamp(SystemTime::now()).to_zoned(jiff::tz::TimeZone::system());
    now.strftime("%Y/%m/%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn flags_stand_anywhere_in_all_their_forms() {
        let args = ["a.yml", "--json", "-D", "x=1", "-Dy=2", "--path=a.b", "-"];
        let args: Vec<String> = args.map(String::from).to_vec();
        let found = given(&VERBS[0], &args).unwrap().unwrap();
        assert_eq!(found.files, ["a.yml", "-"]);
        assert!(found.has("json") && !found.has("split"));
        assert_eq!(found.all("define"), ["x=1", "y=2"]);
        assert_eq!(found.last("path").as_deref(), Some("a.b"));
    }

    #[test]
    fn unknown_flags_are_refused_in_the_words_of_the_program() {
        let error = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            given(&VERBS[0], &args).err().unwrap()
        };
        assert_eq!(error(&["--nope"]), "unknown flag: --nope");
        assert_eq!(error(&["-x"]), "unknown shorthand flag: 'x' in -x");
        assert_eq!(error(&["--path"]), "flag needs an argument: --path");
    }
}
