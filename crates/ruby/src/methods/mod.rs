//! The methods of the built-in classes, one file with a table per class.

mod arrange;
mod array;
mod array_edit;
mod class;
mod convert;
mod enumerable;
mod fold;
mod hash;
mod kernel;
mod number;
mod object;
mod range;
mod regexp;
mod string;
mod string_edit;
mod symbol;
mod time;

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::class::Class;
use crate::eval::interp::{Library, Method};
use crate::value::Value;

type Table = FxHashMap<&'static str, &'static Method>;

/// The tables of a class in the order of the search.
fn tables(class: Class) -> Vec<&'static [Method]> {
    let mut all: Vec<&'static [Method]> = match class {
        Class::NIL => vec![object::NIL],
        Class::TRUE | Class::FALSE => vec![object::BOOLEAN],
        Class::INTEGER => vec![number::INTEGER, number::NUMERIC, object::COMPARABLE],
        Class::FLOAT => vec![number::FLOAT, number::NUMERIC, object::COMPARABLE],
        Class::STRING => vec![string::TABLE, string_edit::TABLE, object::COMPARABLE],
        Class::SYMBOL => vec![symbol::TABLE],
        Class::ARRAY => {
            vec![array::TABLE, arrange::TABLE, array_edit::TABLE, enumerable::TABLE, fold::TABLE]
        }
        Class::HASH => vec![hash::TABLE, enumerable::TABLE, fold::TABLE],
        Class::RANGE => vec![range::TABLE, enumerable::TABLE, fold::TABLE],
        Class::ENUMERATOR => vec![range::ENUMERATOR, enumerable::TABLE, fold::TABLE],
        Class::REGEXP => vec![regexp::TABLE],
        Class::MATCH_DATA => vec![regexp::MATCH],
        Class::PROC => vec![object::PROC],
        Class::CLASS | Class::MODULE => vec![class::TABLE],
        Class::TIME => vec![time::TABLE, object::COMPARABLE],
        class if class.is_a(Class::EXCEPTION) => vec![object::EXCEPTION],
        _ => vec![],
    };
    all.extend([convert::TABLE, object::TABLE]);
    all
}

fn by_class() -> &'static [Table] {
    static ALL: OnceLock<Vec<Table>> = OnceLock::new();
    ALL.get_or_init(|| {
        let table = |index| {
            let mut map = Table::default();
            for method in tables(Class::nth(index)).into_iter().flatten() {
                map.entry(method.name).or_insert(method);
            }
            map
        };
        (0..Class::COUNT).map(table).collect()
    })
}

/// Methods of Ruby that the interpreter lacks, one class with its methods per line.
const MISSING: &str = include_str!("missing.txt");

/// All methods of the built-in classes.
pub(crate) struct BuiltIn;

impl Library for BuiltIn {
    fn method(&self, class: Class, name: &str) -> Option<&'static Method> {
        by_class()[class.index()].get(name).copied()
    }

    fn function(&self, name: &str) -> Option<&'static Method> {
        static ALL: OnceLock<Table> = OnceLock::new();
        let all = ALL.get_or_init(|| kernel::TABLE.iter().map(|m| (m.name, m)).collect());
        all.get(name).copied()
    }

    fn class_method(&self, class: Class, name: &str) -> Option<&'static Method> {
        static ALL: OnceLock<FxHashMap<(Class, &'static str), &'static Method>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let methods = class::tables().flat_map(|(class, table)| {
                table.iter().map(move |method| ((class, method.name), method))
            });
            methods.collect()
        });
        all.get(&(class, name)).copied()
    }

    fn is_missing(&self, receiver: &Value, name: &str) -> bool {
        static ALL: OnceLock<FxHashMap<&'static str, FxHashSet<&'static str>>> = OnceLock::new();
        let all = ALL.get_or_init(|| {
            let lines = MISSING.lines().filter_map(|line| line.split_once(':'));
            lines.map(|(class, names)| (class, names.split_whitespace().collect())).collect()
        });
        if matches!(receiver, Value::Foreign(_)) {
            return true;
        }
        let mut class = Some(receiver.class());
        while let Some(this) = class {
            if all.get(this.name()).is_some_and(|names| names.contains(name)) {
                return true;
            }
            class = this.parent();
        }
        false
    }

    fn is_missing_function(&self, name: &str) -> bool {
        let line = MISSING.lines().find_map(|line| line.strip_prefix("Kernel:"));
        line.is_some_and(|names| names.split_whitespace().any(|other| other == name))
    }
}

/// The names of the methods of a class, for the test for completeness.
#[cfg(test)]
pub(crate) fn names(class: Class) -> Vec<&'static str> {
    by_class()[class.index()].keys().copied().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    const SCRIPT: &str = r##"
        %w[erb json yaml shellwords digest base64 cgi uri pathname].each { |name| require name }
        own = Object.instance_methods
        puts "BasicObject:#{own.sort.join(' ')}"
        [String, Array, Hash, Integer, Float, Symbol, Range, Regexp, MatchData, Proc, Time, Enumerator,
         NilClass, TrueClass, FalseClass, Exception, Module, Class].each do |c|
          puts "#{c}:#{(c.instance_methods - own).sort.join(' ')}"
        end
        puts "Kernel:#{(Object.private_instance_methods - BasicObject.private_instance_methods).sort.join(' ')}"
    "##;

    fn missing_by(ruby: &str) -> String {
        let mut out = String::new();
        for line in ruby.lines() {
            let (name, all) = line.split_once(':').unwrap();
            let known: Vec<&str> = match name {
                "Kernel" => kernel::TABLE.iter().map(|m| m.name).collect(),
                "BasicObject" => names(Class::OBJECT),
                name => names(Class::find(name).unwrap()),
            };
            let special = ["block_given?", "proc", "lambda", "initialize", "nonzero?"];
            let missing = all.split(' ').filter(|m| !known.contains(m) && !special.contains(m));
            out.push_str(&format!("{name}:{}\n", missing.collect::<Vec<_>>().join(" ")));
        }
        out
    }

    /// A method that Ruby has is known here or listed as missing; `ORDAIN_BLESS=1` writes the list.
    #[test]
    fn every_method_of_ruby_is_known_or_listed() {
        let output = std::process::Command::new("ruby").args(["-e", SCRIPT]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let missing = missing_by(&String::from_utf8(output.stdout).unwrap());
        if std::env::var_os("ORDAIN_BLESS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/methods/missing.txt");
            std::fs::write(path, missing).unwrap();
        } else {
            assert_eq!(MISSING, missing);
        }
    }
}
