//! The version of a catalog: the output of the command `config_version` in `environment.conf`.

use std::path::Path;
use std::sync::OnceLock;

use ecow::EcoString;
use ordain_source::{ProcessRequest, World};

/// The command of an environment and its output, which all compiles share.
#[derive(Default, Debug)]
pub struct ConfigVersion {
    command: Option<String>,
    version: OnceLock<Result<EcoString, String>>,
}

/// The program of a command that needs no shell.
fn plain_program(command: &str) -> Option<&str> {
    let is_special = |c: char| "*?{}[]<>()~&|\\$;'`\"\n#=%".contains(c);
    command.split_whitespace().next().filter(|_| !command.contains(is_special))
}

/// Runs a command in a shell; returns both outputs.
///
/// # Errors
/// When it fails, in the words of upstream.
fn run(world: &dyn World, command: &str) -> Result<EcoString, String> {
    let failed = |status: i32, said: &str| {
        format!(
            "Execution of config_version command `{command}` failed: Execution of '{command}' \
             returned {status}: {}",
            said.trim_end()
        )
    };
    let program = plain_program(command).filter(|program| program.starts_with('/'));
    if let Some(program) = program.filter(|program| world.kind(Path::new(program)).is_none()) {
        let missing =
            format!("Could not execute posix command: No such file or directory - {program}");
        return Err(failed(1, &missing));
    }
    let c_locale = |name: &str| (name.to_owned(), "C".to_owned());
    let output = world.run(&ProcessRequest {
        argv: vec!["/bin/sh".into(), "-c".into(), format!("exec 2>&1; {command}")],
        cwd: None,
        env: ["LANG", "LC_ALL"].map(c_locale).to_vec(),
        stdin: Vec::new(),
        timeout: None,
    });
    let output = output.map_err(|error| {
        format!("Execution of config_version command `{command}` failed: {error}")
    })?;
    // A shell reports wrong syntax before the outputs are joined.
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    match output.status {
        Some(0) => Ok(said.trim().into()),
        status => Err(failed(status.unwrap_or(1), &said)),
    }
}

impl ConfigVersion {
    /// The version that a command prints. The command runs when the first catalog is compiled.
    pub fn of(command: String) -> Self {
        Self { command: Some(command).filter(|c| !c.is_empty()), version: OnceLock::new() }
    }

    /// The version; `None` if there is no command for it.
    ///
    /// # Errors
    /// When the command fails, in the words of upstream.
    pub fn get(&self, world: &dyn World) -> Result<Option<EcoString>, String> {
        let Some(command) = &self.command else { return Ok(None) };
        self.version.get_or_init(|| run(world, command)).clone().map(Some)
    }
}
