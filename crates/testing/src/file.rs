//! Test files: their settings, defaults and matrices.

use std::path::{Path, PathBuf};

use ordain_data::{Map, Value};
use ordain_source::{Diagnostic, SourceMap, Span, suggest};

use crate::document::{Document, Item};
use crate::expect::Expect;
use crate::fact_sets::fact_sets;

/// The settings of a source that a file sets for all its tests, or a test for itself.
const SETTINGS: [&str; 14] = [
    "source",
    "code",
    "node",
    "environment",
    "modulepath",
    "fact_set",
    "facts_file",
    "facts",
    "trusted",
    "classes",
    "parameters",
    "data",
    "stubs",
    "matrix",
];

/// The most tests that a matrix makes of one.
const MAX_MATRIX: usize = 10_000;

/// A test that was read.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name, with the values of the matrix.
    pub name: String,
    /// The values of the matrix.
    pub(crate) label: String,
    /// The test file.
    pub file: PathBuf,
    /// The place of the test.
    pub span: Option<Span>,
    pub(crate) settings: Settings,
    pub(crate) expect: Expect,
}

/// The inputs of a compile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// The source, relative to the test file.
    pub(crate) source: Option<String>,
    /// A manifest in place of the node's own.
    pub(crate) code: Option<String>,
    pub(crate) node: Option<String>,
    pub(crate) environment: Option<String>,
    pub(crate) modulepath: Vec<String>,
    pub(crate) fact_set: Option<String>,
    pub(crate) facts_file: Option<String>,
    pub(crate) facts: Map,
    pub(crate) trusted: Map,
    pub(crate) classes: Option<Value>,
    pub(crate) parameters: Map,
    /// Data of Hiera that wins over all other data.
    pub(crate) data: Map,
    pub(crate) stubs: Vec<String>,
}

/// The values of a matrix by setting.
type Matrix = Vec<(String, Vec<String>)>;

/// Reads the tests of a file.
///
/// # Errors
/// When the file cannot be read, or has an unknown setting.
pub fn read_tests(path: &Path, sources: &SourceMap) -> Result<Vec<Test>, Box<Diagnostic>> {
    let document = Document::read(path, sources)?;
    let root = document.root();
    let mut known = SETTINGS.to_vec();
    known.push("tests");
    root.check_keys(&known)?;
    let (defaults, matrix) = (Settings::default().with(&root)?, read_matrix(&root)?);
    let Some(list) = root.get("tests") else {
        return Err(root.error("the file has no `tests`"));
    };
    let mut tests = Vec::new();
    for item in list.items() {
        let mut known = SETTINGS.to_vec();
        known.extend(["name", "expect"]);
        item.check_keys(&known)?;
        let Some(name) = item.get("name") else {
            return Err(item.error("a test has a `name`"));
        };
        let expect = item.get("expect").map(|expect| Expect::read(&expect)).transpose()?;
        let test = Test {
            name: name.text()?.to_owned(),
            label: String::new(),
            file: path.to_path_buf(),
            span: name.span(),
            settings: defaults.clone().with(&item)?,
            expect: expect.unwrap_or_default(),
        };
        let own = read_matrix(&item)?;
        expand(&test, if own.is_empty() { &matrix } else { &own }, &item, &mut tests)?;
    }
    Ok(tests)
}

impl Settings {
    /// These settings with those of a map, which win. Maps are merged.
    fn with(mut self, item: &Item<'_>) -> Result<Self, Box<Diagnostic>> {
        let text = |name: &str, known: &mut Option<String>| -> Result<(), Box<Diagnostic>> {
            if let Some(item) = item.get(name) {
                *known = Some(item.text()?.to_owned());
            }
            Ok(())
        };
        text("source", &mut self.source)?;
        text("code", &mut self.code)?;
        text("node", &mut self.node)?;
        text("environment", &mut self.environment)?;
        text("fact_set", &mut self.fact_set)?;
        text("facts_file", &mut self.facts_file)?;
        if let Some(set) = item.get("fact_set") {
            check_fact_set(&set, set.text()?)?;
        }
        let maps = [
            ("facts", &mut self.facts),
            ("trusted", &mut self.trusted),
            ("parameters", &mut self.parameters),
            ("data", &mut self.data),
        ];
        for (name, known) in maps {
            if let Some(item) = item.get(name) {
                merge(known, &item.map()?);
            }
        }
        if let Some(classes) = item.get("classes") {
            self.classes = Some(classes.value.clone());
        }
        if let Some(dirs) = item.get("modulepath") {
            self.modulepath = dirs.texts()?;
        }
        if let Some(stubs) = item.get("stubs") {
            self.stubs = stubs.texts()?;
        }
        Ok(self)
    }
}

/// Merges maps; values that are maps on both sides are merged, too.
pub(crate) fn merge(into: &mut Map, from: &Map) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Map(known)), Value::Map(value)) => {
                merge(std::sync::Arc::make_mut(known), value);
            }
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

fn check_fact_set(item: &Item<'_>, name: &str) -> Result<(), Box<Diagnostic>> {
    if fact_sets().any(|known| known == name) {
        return Ok(());
    }
    let error = item.error(format!("there is no fact set `{name}`"));
    let help = match suggest::nearest(name, fact_sets()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`ordain test --list-fact-sets` lists them".to_owned(),
    };
    Err(Box::new(error.help(help)))
}

fn read_matrix(item: &Item<'_>) -> Result<Matrix, Box<Diagnostic>> {
    let Some(matrix) = item.get("matrix") else { return Ok(Vec::new()) };
    matrix.check_keys(&["fact_set", "node", "environment"])?;
    let mut rows = Vec::new();
    for (name, values) in matrix.entries()? {
        let texts = values.texts()?;
        if name == "fact_set" {
            for (item, text) in values.items().iter().zip(&texts) {
                check_fact_set(item, text)?;
            }
        }
        if texts.is_empty() {
            return Err(values.error(format!("`{name}` of a matrix needs a value")));
        }
        rows.push((name, texts));
    }
    Ok(rows)
}

/// Adds a test for each combination of the values of a matrix.
fn expand(
    test: &Test,
    matrix: &Matrix,
    item: &Item<'_>,
    tests: &mut Vec<Test>,
) -> Result<(), Box<Diagnostic>> {
    let number = matrix.iter().try_fold(1_usize, |n, (_, values)| n.checked_mul(values.len()));
    if number.is_none_or(|number| number > MAX_MATRIX) {
        return Err(item.error(format!("the matrix makes more than {MAX_MATRIX} tests")));
    }
    let mut all = vec![(test.clone(), Vec::<&str>::new())];
    for (name, values) in matrix {
        let mut next = Vec::new();
        for (test, labels) in &all {
            for value in values {
                let mut test = test.clone();
                let own = Some(value.clone());
                match name.as_str() {
                    "fact_set" => test.settings.fact_set = own,
                    "node" => test.settings.node = own,
                    _ => test.settings.environment = own,
                }
                let labels = labels.iter().copied().chain([value.as_str()]).collect();
                next.push((test, labels));
            }
        }
        all = next;
    }
    tests.extend(all.into_iter().map(|(mut test, labels)| {
        if !labels.is_empty() {
            test.label = labels.join(", ");
            test.name = format!("{} [{}]", test.name, test.label);
        }
        test
    }));
    Ok(())
}
