//! Binds arguments of calls to parameters, with Python's errors.

use ecow::EcoString;

use super::fault::{Fault, Res, type_error};
use super::value::Val;

/// The arguments of a call.
#[derive(Clone, Default)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Val>,
    pub(super) named: Vec<(EcoString, Val)>,
}

/// The arguments of a call by parameter; `None` if there is none.
pub(super) struct BoundArguments {
    values: Vec<Option<Val>>,
}

impl BoundArguments {
    pub(super) fn get(&self, index: usize) -> Option<&Val> {
        self.values.get(index).and_then(Option::as_ref)
    }

    /// A required argument; `bind` has checked that it is there.
    pub(super) fn at(&self, index: usize) -> Val {
        self.get(index).cloned().unwrap_or(Val::None)
    }

    /// An argument, unless it is missing or `None`.
    pub(super) fn some(&self, index: usize) -> Option<&Val> {
        self.get(index).filter(|value| !matches!(value, Val::None))
    }
}

fn shown(name: &str) -> String {
    crate::value::string_repr(name)
}

/// Names as Python lists them: `'a', 'b', and 'c'`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| shown(name)).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [init @ .., last] => format!("{}, and {last}", init.join(", ")),
    }
}

impl Arguments {
    pub(super) fn of(positional: Vec<Val>) -> Self {
        Self { positional, named: Vec::new() }
    }

    /// Adds a first argument.
    pub(super) fn before(first: Val, rest: Self) -> Self {
        let mut positional = Vec::with_capacity(rest.positional.len() + 1);
        positional.push(first);
        positional.extend(rest.positional);
        Self { positional, named: rest.named }
    }

    /// Binds the arguments to the parameters of a Python function: `a, b, c=`, where `=` marks a
    /// default. `skipped` is the number of leading parameters that the engine supplies.
    pub(super) fn bind(
        self,
        function: &str,
        parameters: &str,
        skipped: usize,
    ) -> Res<BoundArguments> {
        let parameters: Vec<(&str, bool)> = parameters
            .split(", ")
            .filter(|name| !name.is_empty())
            .map(|name| match name.strip_suffix('=') {
                Some(name) => (name, true),
                None => (name, false),
            })
            .collect();
        let required = parameters.iter().filter(|(_, has_default)| !has_default).count();
        let given = self.positional.len();
        let mut values: Vec<Option<Val>> = self.positional.into_iter().map(Some).collect();
        let is_too_many = given > parameters.len();
        values.resize_with(parameters.len().max(given), || None);
        for (name, value) in self.named {
            let Some(at) = parameters.iter().position(|(other, _)| *other == name) else {
                let name = shown(&name);
                let text = format!("{function}() got an unexpected keyword argument {name}");
                return Err(type_error(text));
            };
            if values[at].is_some() {
                let name = shown(&name);
                let text = format!("{function}() got multiple values for argument {name}");
                return Err(type_error(text));
            }
            values[at] = Some(value);
        }
        if is_too_many {
            let bounds = (required + skipped, parameters.len() + skipped);
            return Err(too_many(function, bounds, given + skipped));
        }
        let missing: Vec<&str> = parameters
            .iter()
            .zip(&values)
            .filter(|((_, has_default), value)| !has_default && value.is_none())
            .map(|((name, _), _)| *name)
            .collect();
        if !missing.is_empty() {
            let count = missing.len();
            let plural = if count == 1 { "" } else { "s" };
            let text = format!(
                "{function}() missing {count} required positional argument{plural}: {}",
                listed(&missing)
            );
            return Err(type_error(text));
        }
        Ok(BoundArguments { values })
    }

    /// The only argument of a function written in C: `len() takes exactly one argument (2 given)`.
    pub(super) fn only(mut self, function: &str) -> Res<Val> {
        self.no_keywords(function)?;
        match (self.positional.len(), self.positional.pop()) {
            (1, Some(value)) => Ok(value),
            (count, _) => {
                Err(type_error(format!("{function}() takes exactly one argument ({count} given)")))
            }
        }
    }

    /// Checks that there are no arguments.
    pub(super) fn none(&self, function: &str) -> Res<()> {
        self.no_keywords(function)?;
        match self.positional.len() {
            0 => Ok(()),
            count => Err(type_error(format!("{function}() takes no arguments ({count} given)"))),
        }
    }

    pub(super) fn no_keywords(&self, function: &str) -> Res<()> {
        if self.named.is_empty() {
            Ok(())
        } else {
            Err(type_error(format!("{function}() takes no keyword arguments")))
        }
    }

    /// Checks the number of arguments of a function written in C. `name` has no class.
    pub(super) fn between(self, name: &str, least: usize, most: usize) -> Res<Vec<Val>> {
        let count = self.positional.len();
        let (bound, wanted) = if count < least {
            ("at least", least)
        } else if count > most {
            ("at most", most)
        } else {
            return Ok(self.positional);
        };
        let bound = if least == most { "" } else { bound };
        let plural = if wanted == 1 { "" } else { "s" };
        let space = if bound.is_empty() { "" } else { " " };
        Err(type_error(format!(
            "{name} expected {bound}{space}{wanted} argument{plural}, got {count}"
        )))
    }
}

/// The error about too many positional arguments. `bounds` are the allowed numbers.
fn too_many(function: &str, bounds: (usize, usize), count: usize) -> Fault {
    let takes = match bounds {
        (required, all) if required != all => {
            format!("from {required} to {all} positional arguments")
        }
        (_, 1) => "1 positional argument".to_owned(),
        (_, all) => format!("{all} positional arguments"),
    };
    let were = if count == 1 { "was" } else { "were" };
    type_error(format!("{function}() takes {takes} but {count} {were} given"))
}

/// The error about an unexpected keyword argument.
pub(super) fn unexpected(function: &str, name: &str) -> Fault {
    type_error(format!("{function}() got an unexpected keyword argument {}", shown(name)))
}
