//! The command lines of `spiff` and `spiff++`, for callers that start this program by these names:
//! their flags, output formats and exit codes.

mod arguments;
mod completion;

use std::io::Write;
use std::process::ExitCode;
use std::time::SystemTime;

use ordain_dynaml::diff::{Colours, Format, compare_all, report};
use ordain_dynaml::eval::Dialect;
use ordain_engine::fetch::fetch;
use ordain_functions::time::timestamp;
use ordain_source::HostWorld;

use crate::commands::convert::{ConvertOptions, convert};
use crate::commands::encrypt::encrypt;
pub(crate) use arguments::Program;
use arguments::{Arguments, VERBS, parse, refuse, say, usage};
use ordain_driver::dynaml::merge::{
    Merge, MergeError, MergeOptions, data, merge as merge_documents,
};

/// Runs the command line of `spiff` or `spiff++`.
pub(crate) fn main(program: Program, args: &[String]) -> ExitCode {
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
        // spiff exits with 0 for an unknown command.
        let lenient = program == Program::Spiff && !name.starts_with('-');
        return if lenient { ExitCode::SUCCESS } else { code };
    };
    let arguments = match parse(verb, &args[1..]) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            say(&format!("Usage:\n  spiff {}\n", verb.usage));
            return ExitCode::SUCCESS;
        }
        Err(error) => return refuse(&error, &format!("Usage:\n  spiff {}", verb.usage)),
    };
    if !verb.files.contains(&arguments.files.len()) {
        return refuse(verb.refusal, &format!("Usage:\n  spiff {}", verb.usage));
    }
    match run(program, verb.names[0], &arguments) {
        Ok(text) => {
            say(&text);
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            let text = format!("{} {}", time(), trouble.text());
            // A closed stderr is no reason to fail.
            let _ = std::io::stderr().write_all(text.as_bytes());
            ExitCode::from(1)
        }
    }
}

/// Runs a verb and returns its output.
fn run(program: Program, verb: &str, arguments: &Arguments) -> Result<String, MergeError> {
    match verb {
        "merge" => merge(program, arguments, None, &arguments.files),
        "process" => merge(program, arguments, arguments.files.first(), &arguments.files[1..]),
        "diff" => diff(program, arguments),
        "convert" => convert(&arguments.files[0], &convert_options(arguments)),
        "encrypt" => {
            let words: Vec<&str> = arguments.files[1..].iter().map(String::as_str).collect();
            encrypt(&arguments.files[0], &words, arguments.has("decrypt"))
        }
        "version" if arguments.has("quiet") => Ok(program.version().into()),
        _ => Ok(format!("spiff version {}\n", program.version())),
    }
}

fn merge(
    program: Program,
    arguments: &Arguments,
    document: Option<&String>,
    files: &[String],
) -> Result<String, MergeError> {
    let options = MergeOptions {
        json: arguments.has("json"),
        path: arguments.last("path").filter(|p| !p.is_empty()),
        select: arguments.all("select"),
        evaluate: arguments.last("evaluate").filter(|e| !e.is_empty()),
        split: arguments.has("split"),
        bindings: arguments.last("bindings").filter(|b| !b.is_empty()).map(Into::into),
        define: arguments.all("define"),
        tag: arguments.all("tag"),
        features: arguments.all("features"),
        interpolation: arguments.has("interpolation"),
        partial: arguments.has("partial"),
        preserve_escapes: arguments.has("preserve-escapes"),
        preserve_temporary: arguments.has("preserve-temporary"),
        state: arguments.last("state").filter(|s| !s.is_empty()).map(Into::into),
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
    let world = if arguments.has("allow-http") { world.fetching(fetch) } else { world };
    Ok(merge_documents(&world, &documents)?.text)
}

fn diff(program: Program, arguments: &Arguments) -> Result<String, MergeError> {
    let world = HostWorld::new();
    let left = data(&world, "a", &arguments.files[0])?;
    let right = data(&world, "b", &arguments.files[1])?;
    let format = Format {
        left: &arguments.files[0],
        right: &arguments.files[1],
        colours: Some(Colours::ANSI),
        wide: program == Program::SpiffPlusPlus,
        separator: &arguments.last("separator").unwrap_or_default(),
        places: None,
    };
    Ok(report(&compare_all(&left, &right), &format))
}

fn convert_options(arguments: &Arguments) -> ConvertOptions {
    ConvertOptions {
        json: arguments.has("json"),
        path: arguments.last("path").filter(|p| !p.is_empty()),
        select: arguments.all("select"),
        split: arguments.has("split"),
    }
}

/// The time in the format of Go's log; in UTC if the time zone is unknown.
fn time() -> String {
    let now = timestamp(SystemTime::now()).to_zoned(jiff::tz::TimeZone::system());
    now.strftime("%Y/%m/%d %H:%M:%S").to_string()
}
