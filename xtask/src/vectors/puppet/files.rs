//! Puppet cases with files (modules, Hiera data and Ruby code), which the `ordain` program
//! compiles.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use serde_json::{Value as Json, json};

use super::compare::{self, Fault, RunOutput};
use crate::vectors::Disagreement;

/// The path of the program, or the build error: the one that the variable `ORDAIN` names, else one that
/// is built with this profile.
static PROGRAM: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    if let Some(program) = std::env::var_os("ORDAIN") {
        return Ok(program.into());
    }
    let release = !cfg!(debug_assertions);
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    build.args(["build", "--quiet", "--locked", "--package", "ordain-cli"]);
    build.args(release.then_some("--release"));
    let built = build.status().map_err(|e| format!("cargo: {e}"))?;
    if !built.success() {
        return Err("the program cannot be built".into());
    }
    let here = std::env::current_exe().map_err(|e| e.to_string())?;
    Ok(here.with_file_name("ordain"))
});

/// Compares a catalog that the program compiles from files, and its messages.
pub(crate) fn compile(case: &Json) -> Disagreement {
    match run(case) {
        Ok(difference) => difference,
        Err(error) => Some(format!("{error:#}")),
    }
}

/// The directory of a case, removed on drop.
struct Directory(PathBuf);

impl Directory {
    fn new() -> anyhow::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ordain-case-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("modules"))?;
        Ok(Self(path))
    }

    fn write(&self, path: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().context("no directory")?)?;
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A directory that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(case: &Json) -> anyhow::Result<Disagreement> {
    let program = PROGRAM.as_ref().map_err(|why| anyhow::anyhow!("{why}"))?;
    let (inputs, env) = (Directory::new()?, Directory::new()?);
    let mut command = Command::new(program);
    command.arg("compile");
    arguments(&mut command, case, &inputs, &env)?;
    let output = command.stdin(Stdio::null()).output()?;
    // Paths are recorded without the directory, and objects without their addresses.
    let root = env.0.display().to_string();
    let masked = |bytes: &[u8]| {
        compare::without_addresses(&String::from_utf8_lossy(bytes).replace(&root, "<env>"))
    };
    let lines = masked(&output.stderr);
    let messages = read(&lines).with_context(|| lines.clone())?;
    let expect = &case["expect"];
    Ok(match (expect["ok"].as_bool(), output.status.success()) {
        // A case about logs has no catalog.
        (Some(true), true) if expect["catalog"].is_null() => compare::logs(case, &messages),
        (Some(true), true) => {
            let mut actual: Json = serde_json::from_str(&masked(&output.stdout))?;
            let mut expected = expect["catalog"].clone();
            name_files(&mut expected);
            name_files(&mut actual);
            compare::catalogs(&expected, &actual).or_else(|| compare::logs(case, &messages))
        }
        (Some(true), false) => {
            Some(format!("expected a catalog\n     got error {}", messages.message()))
        }
        (_, true) => Some(format!("expected error {}\n     got a catalog", expect["error"])),
        (_, false) => compare::failure(case, &messages),
    })
}

/// Makes file names relative to the environment. The manifest of the case itself has no file name.
fn name_files(catalog: &mut Json) {
    let resources = catalog["resources"].as_array_mut().into_iter().flatten();
    for resource in resources.filter_map(Json::as_object_mut) {
        let Some(file) = resource.get("file").and_then(Json::as_str) else { continue };
        // Recorded below `/tmp/oracle…/env…/`.
        let recorded = file.strip_prefix("/tmp/oracle").and_then(|rest| rest.splitn(3, '/').nth(2));
        let below = recorded.or(file.strip_prefix("<env>/"));
        match below {
            Some(below) if below != "manifests/site.pp" => {
                let named = format!("<env>/{below}");
                resource.insert("file".into(), named.into());
            }
            _ => drop(resource.remove("file")),
        }
    }
}

/// Writes the files of a case and builds the arguments of the program.
fn arguments(
    command: &mut Command,
    case: &Json,
    inputs: &Directory,
    env: &Directory,
) -> anyhow::Result<()> {
    let text = |key: &str| case[key].as_str().unwrap_or("");
    let files = case["files"].as_object().into_iter().flatten();
    for (path, text) in files.clone() {
        let text = text.as_str().unwrap_or("").replace("<env>", &env.0.display().to_string());
        env.write(path, &text)?;
    }
    let has = |path: &str| case["files"].get(path).is_some();
    if has("hiera.yaml") {
        let conf = case["files"]["environment.conf"].as_str().unwrap_or("");
        env.write("environment.conf", &format!("{conf}\nmodulepath = modules\n"))?;
        env.write("manifests/site.pp", text("code"))?;
        command.arg(&env.0);
    } else {
        command.arg(inputs.write("code", text("code"))?).arg("--modulepath");
        command.arg(env.0.join("modules"));
    }
    if has("global/hiera.yaml") {
        command.arg("--hiera").arg(env.0.join("global/hiera.yaml"));
    }
    let facts = case.get("facts").filter(|facts| facts.is_object());
    let facts = facts.cloned().unwrap_or_else(|| json!({}));
    command.arg("--facts").arg(inputs.write("facts.json", &facts.to_string())?);
    let node = json!({ "parameters": case["params"], "classes": case["classes"] });
    let given = |key: &str| case[key].as_object().is_some_and(|map| !map.is_empty());
    if given("params") || given("classes") {
        command.arg("--node-data").arg(inputs.write("node.yaml", &node.to_string())?);
    }
    let setting = |key: &str, default: &str| -> String {
        case["settings"][key].as_str().unwrap_or(default).to_owned()
    };
    command.args(["--node", text("node"), "--format", "puppet-catalog"]);
    command.args(["--diagnostics", "json", "-v", "--strict", &setting("strict", "error")]);
    command.arg(format!("--strict-variables={}", setting("strict_variables", "true")));
    Ok(())
}

/// Parses the program's messages, one JSON object per line.
fn read(lines: &str) -> anyhow::Result<RunOutput> {
    let mut messages = RunOutput::default();
    for line in lines.lines().filter(|line| line.starts_with('{')) {
        let line: Json = serde_json::from_str(line)?;
        let text = |key: &str| line[key].as_str().map(str::to_owned);
        let message = text("message").unwrap_or_default();
        match (text("log"), text("severity").as_deref()) {
            (Some(level), _) => messages.logs.push(format!("{level}: {message}")),
            (None, Some("error")) => messages.errors.push(Fault {
                issue: text("issue"),
                file: text("file"),
                line: line["line"].as_u64(),
                column: line["column"].as_u64(),
                message,
            }),
            // The real program does not log Ordain's own warnings.
            (None, Some("warning")) if !line["issue"].is_null() => {
                messages.logs.push(format!("warning: {message}"));
            }
            _ => {}
        }
    }
    Ok(messages)
}
