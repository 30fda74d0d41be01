//! The classifier of nodes: a program that prints the classes of a node.

use std::path::Path;

use ecow::EcoString;
use ordain_ca::Certname;
use ordain_data::Value as Data;
use ordain_data::yaml::Schema;
use ordain_source::{HostWorld, ProcessRequest, World};

/// The longest time that the program may take.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

/// The classification of a node.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Classification {
    /// The environment that the node must have.
    pub(crate) environment: Option<String>,
    pub(crate) parameters: Vec<(EcoString, Data)>,
    /// Classes with their parameters, a map or null.
    pub(crate) classes: Vec<(EcoString, Data)>,
}

/// Asks the program about a node. It blocks.
///
/// # Errors
/// The message when it fails or prints something else.
pub(crate) fn classify(program: &Path, node: &Certname) -> Result<Classification, String> {
    let shown = program.display();
    let output = HostWorld::new().run(&ProcessRequest {
        argv: vec![program.display().to_string(), node.to_string()],
        cwd: None,
        env: Vec::new(),
        stdin: Vec::new(),
        timeout: Some(LIMIT),
    });
    let output = output.map_err(|error| format!("{shown} {node}: {error}"))?;
    if output.status != Some(0) {
        let text = String::from_utf8_lossy(&output.stderr);
        let status = output.status.unwrap_or(-1);
        return Err(format!("Execution of '{shown} {node}' returned {status}: {}", text.trim()));
    }
    let text = String::from_utf8(output.stdout)
        .map_err(|_| format!("the output of {shown} for {node} is not UTF-8"))?;
    read(&text).map_err(|error| format!("the output of {shown} for {node}: {error}"))
}

/// Reads the output of a classifier.
fn read(text: &str) -> Result<Classification, String> {
    let data = ordain_data::yaml::read(text, Schema::Psych).map_err(|error| error.to_string())?;
    let Some(map) = data.as_map() else {
        return Err(format!("it is not a map, but {}", data.kind()));
    };
    let mut out = Classification::default();
    for (key, value) in map.iter() {
        match key.as_str() {
            Some("environment") => out.environment = value.as_str().map(str::to_string),
            Some("parameters") => out.parameters = entries(value),
            Some("classes") => out.classes = entries(value),
            // Upstream ignores other keys, such as `name`.
            _ => {}
        }
    }
    Ok(out)
}

/// The entries of a map, or the names of a list without values.
pub(crate) fn entries(data: &Data) -> Vec<(EcoString, Data)> {
    if let Some(names) = data.as_list() {
        let names = names.iter().filter_map(Data::as_str);
        return names.map(|name| (name.into(), Data::Null)).collect();
    }
    let entries = data.as_map().into_iter().flat_map(|map| map.iter());
    entries.filter_map(|(key, value)| Some((key.as_str()?.into(), value.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_a_map_or_a_list() {
        let found = read("environment: test\nclasses: [a, b]\nparameters: {x: 1}\n").unwrap();
        assert_eq!(found.environment.as_deref(), Some("test"));
        assert_eq!(found.classes, [("a".into(), Data::Null), ("b".into(), Data::Null)]);
        assert_eq!(found.parameters, [("x".into(), Data::Int(1))]);
        let found = read("classes:\n  a:\n    p: 1\n").unwrap();
        assert_eq!(found.classes, [("a".into(), Data::map([("p", Data::Int(1))]))]);
        assert!(read("- a").is_err());
    }
}
