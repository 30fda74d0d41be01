//! The verbs and flags of `spiff` and `spiff++`, and its messages about wrong arguments.

use std::io::Write;
use std::process::ExitCode;

/// One of the two programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// spiff, in the version of its document.
    Spiff,
    /// spiff++.
    SpiffPlusPlus,
}

impl Program {
    /// Finds a program by its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "spiff" => Some(Self::Spiff),
            "spiff++" => Some(Self::SpiffPlusPlus),
            _ => None,
        }
    }

    /// The name of the program.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Spiff => "spiff",
            Self::SpiffPlusPlus => "spiff++",
        }
    }

    pub(super) fn version(self) -> &'static str {
        match self {
            Self::Spiff => "1.0.8-ms.5",
            Self::SpiffPlusPlus => "v1.7.0-beta-8",
        }
    }
}

/// A flag: its long and short name, whether it takes a value, and its help text.
pub(super) struct Flag(pub &'static str, pub &'static str, pub bool, pub &'static str);

/// A verb: its names, its flags, the number of files that it takes, and the error about another
/// number.
pub(super) struct Verb {
    pub names: [&'static str; 2],
    pub about: &'static str,
    pub flags: &'static [Flag],
    pub files: std::ops::RangeInclusive<usize>,
    pub refusal: &'static str,
    pub usage: &'static str,
}

const SELECTION: [Flag; 4] =
    [JSON, PATH, SELECT, Flag("split", "", false, "Print a list as documents of their own")];

// Flags of several commands.
const ALLOW_HTTP: Flag =
    Flag("allow-http", "", false, "Fetch files that are named by http: or https:");
const DEBUG: Flag = Flag("debug", "", false, "Accepted, without effect");
const JSON: Flag = Flag("json", "", false, "Print JSON");
const PARTIAL: Flag = Flag("partial", "", false, "Print also what cannot be resolved");
const PATH: Flag = Flag("path", "", true, "Print only the node at a path");
const PRESERVE_ESCAPES: Flag =
    Flag("preserve-escapes", "", false, "Keep escaped expressions escaped");
const PRESERVE_TEMPORARY: Flag = Flag("preserve-temporary", "", false, "Keep temporary nodes");
const SELECT: Flag = Flag("select", "", true, "Print only some nodes");
const STATE: Flag = Flag("state", "", true, "A file of values kept from run to run");

pub(super) const VERBS: &[Verb] = &[
    Verb {
        names: ["merge", "m"],
        about: "Merge a template with stubs",
        flags: &[
            ALLOW_HTTP,
            Flag("bindings", "", true, "A YAML file with names that are known everywhere"),
            DEBUG,
            Flag("define", "D", true, "A name and value that are known everywhere"),
            Flag("evaluate", "", true, "Print the value of an expression on the result"),
            Flag("features", "", true, "Switch on language features"),
            Flag("interpolation", "", false, "Switch on interpolation in texts"),
            JSON,
            PARTIAL,
            PATH,
            PRESERVE_ESCAPES,
            PRESERVE_TEMPORARY,
            SELECT,
            Flag("split", "", false, "Print a list as documents of their own"),
            STATE,
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
            ALLOW_HTTP,
            DEBUG,
            JSON,
            PARTIAL,
            PATH,
            PRESERVE_ESCAPES,
            PRESERVE_TEMPORARY,
            SELECT,
            STATE,
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

/// The arguments behind the verb.
#[derive(Default)]
pub(super) struct Arguments {
    pub flags: Vec<(&'static str, String)>,
    pub files: Vec<String>,
}

impl Arguments {
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|f| f.0 == name && f.1 != "false")
    }

    pub(super) fn last(&self, name: &str) -> Option<String> {
        self.flags.iter().rev().find(|f| f.0 == name).map(|f| f.1.clone())
    }

    pub(super) fn all(&self, name: &str) -> Vec<String> {
        self.flags.iter().filter(|f| f.0 == name).map(|f| f.1.clone()).collect()
    }
}

/// Parses flags and files; `None` if help is requested.
pub(super) fn parse(verb: &Verb, args: &[String]) -> Result<Option<Arguments>, String> {
    let mut out = Arguments::default();
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

pub(super) fn usage() -> String {
    let mut out = String::from("YAML in-domain templating processor\n\nUsage:\n");
    for verb in VERBS {
        out.push_str(&format!("  spiff {}\n", verb.usage));
    }
    out + "  spiff completion SHELL\n"
}

/// Reports a usage error. Both programs print it on both streams.
pub(super) fn refuse(what: &str, usage: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "Error: {what}\n{usage}\n");
    say(&format!("{what}\n"));
    ExitCode::from(1)
}

/// Writes to standard output. Ignores a closed stream.
pub(super) fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn flags_stand_anywhere_in_all_their_forms() {
        let args = ["a.yml", "--json", "-D", "x=1", "-Dy=2", "--path=a.b", "-"];
        let args: Vec<String> = args.map(String::from).to_vec();
        let found = parse(&VERBS[0], &args).unwrap().unwrap();
        assert_eq!(found.files, ["a.yml", "-"]);
        assert!(found.has("json") && !found.has("split"));
        assert_eq!(found.all("define"), ["x=1", "y=2"]);
        assert_eq!(found.last("path").as_deref(), Some("a.b"));
    }

    #[test]
    fn unknown_flags_are_refused_in_the_words_of_the_program() {
        let error = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            parse(&VERBS[0], &args).err().unwrap()
        };
        assert_eq!(error(&["--nope"]), "unknown flag: --nope");
        assert_eq!(error(&["-x"]), "unknown shorthand flag: 'x' in -x");
        assert_eq!(error(&["--path"]), "flag needs an argument: --path");
    }
}
