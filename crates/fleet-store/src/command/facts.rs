//! `replace_facts`.

use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

use super::check::{Object, add_missing, refuse, text_without_nul, without_nul};
use crate::canonical::{Keys, Sha1Hash, compare, sha1, write, write_string};
use crate::error::FleetStoreError;
use crate::time::{format_time, parse_lenient};

/// The facts of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The node.
    pub certname: String,
    /// Its environment.
    pub environment: Option<String>,
    /// When the facts were sent, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// The server that sent them.
    pub producer: Option<String>,
    /// The facts by name, as JSON.
    pub values: String,
    /// The leaves of `values`.
    pub leaves: Vec<FactLeaf>,
    /// The installed packages, if the node reports them.
    pub packages: Option<Vec<Package>>,
    /// The hash of the factset as PuppetDB computes it.
    pub hash: Sha1Hash,
}

/// A package that is installed on a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The package provider, such as `apt`.
    pub provider: String,
}

/// A leaf: a value in a fact that is neither an array nor an object.
#[derive(Debug, Clone, PartialEq)]
pub struct FactLeaf {
    /// The elements of the path in PuppetDB's form.
    pub path: String,
    /// The elements as a JSON array.
    pub path_array: String,
    /// The first element.
    pub name: String,
    /// The number of elements minus one.
    pub depth: i64,
    /// The value.
    pub value: FactValue,
}

/// The value of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum FactValue {
    /// A string.
    String(String),
    /// An integer.
    Integer(i64),
    /// An integer beyond 64 bits, as the nearest floating-point number.
    Large(f64),
    /// A floating-point number.
    Float(f64),
    /// A boolean.
    Boolean(bool),
    /// Null.
    Null,
}

impl FactValue {
    /// The name of its type in PuppetDB's API.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Integer(_) | Self::Large(_) => "integer",
            Self::Float(_) => "float",
            Self::Boolean(_) => "boolean",
            Self::Null => "null",
        }
    }
}

impl FactLeaf {
    /// Hashes the path and the type of the value.
    pub(crate) fn path_hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.value.type_name());
        hash.update([0]);
        hash.update(&self.path_array);
        hash.finalize().into()
    }
}

/// The separator of the elements of a path.
const DELIMITER: &str = "#~";

pub(super) fn read(mut map: Map<String, Json>, version: i64) -> Result<Facts, FleetStoreError> {
    if version < 5 {
        add_missing(&mut map, &["producer"]);
    }
    let mut object = Object::new(&mut map);
    let mut certname = object.string("certname");
    let mut environment = object.maybe_string("environment");
    let mut producer = object.maybe_string("producer");
    let timestamp = object.any("producer_timestamp");
    let mut values = Json::Object(object.map("values"));
    let (packages, problem) = match object.optional("package_inventory") {
        None | Some(Json::Null) => (None, None),
        Some(list) => match read_packages(&list) {
            Some(packages) => (Some(packages), None),
            None => (None, Some("(not an array of package tuples)".to_owned())),
        },
    };
    object.part("package_inventory", problem);
    let producer_timestamp = match &timestamp {
        Json::String(text) => parse_lenient(text),
        Json::Number(millis) => millis.as_i64().and_then(|millis| millis.checked_mul(1000)),
        _ => None,
    };
    if producer_timestamp.is_none() {
        object.part("producer_timestamp", Some("(not a timestamp)".to_owned()));
    }
    refuse("replace facts", object.problems())?;
    let hash = hash(&certname, environment.as_deref(), &values, packages.as_deref());
    for text in [Some(&mut certname), environment.as_mut(), producer.as_mut()].into_iter().flatten()
    {
        text_without_nul(text);
    }
    without_nul(&mut values);
    Ok(Facts {
        certname,
        environment,
        producer_timestamp: producer_timestamp.unwrap_or_default(),
        producer,
        leaves: leaves(&values),
        values: values.to_string(),
        packages: packages.map(distinct),
        hash,
    })
}

fn read_packages(list: &Json) -> Option<Vec<Package>> {
    let package = |item: &Json| match item.as_array()?.as_slice() {
        [Json::String(name), Json::String(version), Json::String(provider)] => Some(Package {
            name: name.replace('\0', "\u{fffd}"),
            version: version.replace('\0', "\u{fffd}"),
            provider: provider.replace('\0', "\u{fffd}"),
        }),
        _ => None,
    };
    list.as_array()?.iter().map(package).collect()
}

fn distinct(mut packages: Vec<Package>) -> Vec<Package> {
    packages.sort();
    packages.dedup();
    packages
}

/// Hashes certname, environment, packages and values (`fact-identity-hash`).
fn hash(
    certname: &str,
    environment: Option<&str>,
    values: &Json,
    packages: Option<&[Package]>,
) -> Sha1Hash {
    let mut text = String::from("{\"certname\":");
    write_string(&mut text, certname);
    text.push_str(",\"environment\":");
    match environment {
        Some(name) => write_string(&mut text, name),
        None => text.push_str("null"),
    }
    if let Some(packages) = packages.filter(|packages| !packages.is_empty()) {
        let mut packages: Vec<&Package> = packages.iter().collect();
        // PuppetDB removes duplicates before it computes the hash.
        packages.sort_by(|a, b| {
            compare(&a.name, &b.name)
                .then_with(|| compare(&a.version, &b.version))
                .then_with(|| compare(&a.provider, &b.provider))
        });
        packages.dedup();
        text.push_str(",\"package_inventory\":[");
        for (i, package) in packages.into_iter().enumerate() {
            text.push_str(if i > 0 { ",[" } else { "[" });
            for (j, part) in
                [&package.name, &package.version, &package.provider].into_iter().enumerate()
            {
                if j > 0 {
                    text.push(',');
                }
                write_string(&mut text, part);
            }
            text.push(']');
        }
        text.push(']');
    }
    text.push_str(",\"values\":");
    write(&mut text, values, Keys::Strings);
    text.push('}');
    sha1(&text)
}

/// An element of a path.
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

fn leaves(values: &Json) -> Vec<FactLeaf> {
    let mut found = Vec::new();
    if let Json::Object(map) = values {
        for (name, value) in map {
            collect(value, &mut vec![Step::Name(name)], &mut found);
        }
    }
    found
}

fn collect<'a>(value: &'a Json, path: &mut Vec<Step<'a>>, found: &mut Vec<FactLeaf>) {
    let value = match value {
        Json::Object(map) => {
            for (name, value) in map {
                path.push(Step::Name(name));
                collect(value, path, found);
                path.pop();
            }
            return;
        }
        Json::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(Step::Index(index));
                collect(value, path, found);
                path.pop();
            }
            return;
        }
        Json::String(text) => FactValue::String(text.clone()),
        Json::Bool(flag) => FactValue::Boolean(*flag),
        Json::Null => FactValue::Null,
        Json::Number(number) => match number.as_i64() {
            Some(integer) => FactValue::Integer(integer),
            None if number.is_u64() => FactValue::Large(number.as_f64().unwrap_or_default()),
            None => FactValue::Float(number.as_f64().unwrap_or_default()),
        },
    };
    found.push(leaf(path, value));
}

fn leaf(path: &[Step<'_>], value: FactValue) -> FactLeaf {
    let mut text = String::new();
    let mut array = String::from("[");
    for (i, step) in path.iter().enumerate() {
        if i > 0 {
            text.push_str(DELIMITER);
            array.push(',');
        }
        match step {
            Step::Name(name) => {
                text.push_str(&encode(name));
                write_string(&mut array, name);
            }
            Step::Index(index) => {
                text.push_str(&index.to_string());
                array.push_str(&index.to_string());
            }
        }
    }
    array.push(']');
    let name = match path.first() {
        Some(Step::Name(name)) => (*name).to_owned(),
        _ => String::new(),
    };
    FactLeaf { path: text, path_array: array, name, depth: path.len() as i64 - 1, value }
}

/// Encodes a name as an element of a path: names that consist of digits get quotes, and a backslash
/// precedes each character of a delimiter in the name.
fn encode(name: &str) -> String {
    let is_number = name.bytes().all(|b| b.is_ascii_digit());
    if is_number {
        return format!("\"{name}\"");
    }
    name.replace(DELIMITER, "\\#\\~")
}

impl Facts {
    /// The hash of the packages; `None` if there are none.
    pub(crate) fn package_hash(&self) -> Option<[u8; 32]> {
        let packages = self.packages.as_ref().filter(|packages| !packages.is_empty())?;
        let mut hash = Sha256::new();
        for package in packages {
            for part in [&package.name, &package.version, &package.provider] {
                hash.update(part);
                hash.update([0]);
            }
        }
        Some(hash.finalize().into())
    }
}

impl std::fmt::Display for Facts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "facts of {} at {}", self.certname, format_time(self.producer_timestamp))
    }
}
