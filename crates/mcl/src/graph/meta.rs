//! Meta parameters.

use rustc_hash::FxHashSet;

use crate::check::init::META;
use crate::failure::{Failure, Phase};
use crate::ir::{EntryStepKind, IrKind, Program, ResourceStep, Step};
use crate::value::Value;

/// A meta parameter that a struct sets again.
pub fn repeated(program: &Program) -> Option<Failure> {
    program.steps.iter().find_map(|(_, step)| {
        let Step::Resource(step) = step else { return None };
        let name = repeated_in(program, step)?;
        let text = format!("resource has duplicate meta entry of: {name}");
        Some(Failure::new(Phase::Graph, text, step.span))
    })
}

fn repeated_in(program: &Program, step: &ResourceStep) -> Option<String> {
    // The last of several entries with one name wins, if the edition accepts them.
    let mut plain: FxHashSet<&str> = FxHashSet::default();
    let mut of_structs: FxHashSet<&str> = FxHashSet::default();
    for entry in &step.entries {
        let names: Vec<&str> = match &entry.kind {
            EntryStepKind::Meta(name, _) => {
                plain.insert(name);
                if of_structs.contains(name.as_str()) {
                    return Some(name.to_string());
                }
                continue;
            }
            EntryStepKind::MetaStruct(value) => match &program.ir[*value].kind {
                IrKind::Struct(names, _) => names.iter().map(AsRef::as_ref).collect(),
                _ => META.to_vec(),
            },
            _ => continue,
        };
        for name in names {
            if plain.contains(name) || !of_structs.insert(name) {
                return Some(name.to_owned());
            }
        }
    }
    None
}

/// The parameters that every resource has besides the fields of its kind.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of the language")]
pub struct Meta {
    pub noop: bool,
    pub retry: i16,
    pub retryreset: bool,
    pub delay: u64,
    pub timeout: u64,
    pub poll: i32,
    pub limit: f64,
    pub burst: i64,
    pub reset: bool,
    pub sema: Vec<String>,
    pub rewatch: bool,
    pub realize: bool,
    pub dollar: bool,
    pub hidden: bool,
    pub export: Vec<String>,
    pub reverse: bool,
    pub autoedge: bool,
    pub autogroup: bool,
}

impl Default for Meta {
    fn default() -> Self {
        Self {
            noop: false,
            retry: 0,
            retryreset: false,
            delay: 0,
            timeout: 0,
            poll: 0,
            limit: f64::INFINITY,
            burst: 0,
            reset: false,
            sema: Vec::new(),
            rewatch: false,
            realize: false,
            dollar: false,
            hidden: false,
            export: Vec::new(),
            reverse: false,
            autoedge: true,
            autogroup: true,
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_list().unwrap_or_default();
    items.iter().filter_map(|v| v.as_str()).map(|text| text.to_string()).collect()
}

impl Meta {
    /// Sets one by its name.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let flag = value.as_bool().unwrap_or(false);
        let number = value.as_int().unwrap_or(0);
        let ranged = |name: &str| {
            u64::try_from(number).map_err(|_| format!("{name} value {number} is negative"))
        };
        match name {
            "noop" => self.noop = flag,
            "retry" => {
                let range = |_| format!("retry value {number} overflows int16");
                self.retry = i16::try_from(number).map_err(range)?;
            }
            "retryreset" => self.retryreset = flag,
            "delay" => self.delay = ranged("delay")?,
            "timeout" => self.timeout = ranged("timeout")?,
            "poll" => {
                let range = |_| format!("poll value {number} overflows int32");
                self.poll = i32::try_from(number).map_err(range)?;
            }
            "limit" => self.limit = value.as_float().unwrap_or(f64::INFINITY),
            "burst" => self.burst = number,
            "reset" => self.reset = flag,
            "sema" => self.sema = texts(value),
            "rewatch" => self.rewatch = flag,
            "realize" => self.realize = flag,
            "dollar" => self.dollar = flag,
            "hidden" => self.hidden = flag,
            "export" => self.export = texts(value),
            "reverse" => self.reverse = flag,
            "autoedge" => self.autoedge = flag,
            "autogroup" => self.autogroup = flag,
            _ => return Err(format!("unknown property: {name}")),
        }
        Ok(())
    }

    /// The error in the parameters.
    pub fn problem(&self) -> Option<&'static str> {
        if self.burst == 0 && self.limit.is_finite() {
            return Some("permanently limited (rate != Inf, burst = 0)");
        }
        for sema in &self.sema {
            if sema.is_empty() {
                return Some("semaphore is empty");
            }
            if sema.parse::<i64>().is_ok() {
                return Some("semaphore format is invalid");
            }
        }
        if self.export.iter().any(String::is_empty) {
            return Some("export is empty");
        }
        None
    }

    /// The name of the first one that differs, as in messages.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        let differs = [
            ("Noop", self.noop != other.noop),
            ("Retry", self.retry != other.retry),
            ("RetryReset", self.retryreset != other.retryreset),
            ("Delay", self.delay != other.delay),
            ("Timeout", self.timeout != other.timeout),
            ("Poll", self.poll != other.poll),
            ("Limit", self.limit.to_bits() != other.limit.to_bits()),
            ("Burst", self.burst != other.burst),
            ("Reset", self.reset != other.reset),
            ("Sema", sorted(&self.sema) != sorted(&other.sema)),
            ("Rewatch", self.rewatch != other.rewatch),
            ("Realize", self.realize != other.realize),
            ("Dollar", self.dollar != other.dollar),
            ("Hidden", self.hidden != other.hidden),
            ("Export", sorted(&self.export) != sorted(&other.export)),
            ("Reverse", self.reverse != other.reverse),
            ("AutoEdge", self.autoedge != other.autoedge),
            ("AutoGroup", self.autogroup != other.autogroup),
        ];
        differs.into_iter().find(|(_, differs)| *differs).map(|(name, _)| name)
    }

    /// Those that differ from their defaults, with the names of the language.
    pub fn given(&self) -> Vec<(&'static str, Value)> {
        let list = |items: &[String]| Value::list(items.iter().map(|s| s.as_str().into()));
        let of = |meta: &Self| {
            let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
            [
                ("noop", Value::Bool(meta.noop)),
                ("retry", Value::Int(meta.retry.into())),
                ("retryreset", Value::Bool(meta.retryreset)),
                ("delay", number(meta.delay)),
                ("timeout", number(meta.timeout)),
                ("poll", Value::Int(meta.poll.into())),
                ("limit", Value::Float(meta.limit)),
                ("burst", Value::Int(meta.burst)),
                ("reset", Value::Bool(meta.reset)),
                ("sema", list(&meta.sema)),
                ("rewatch", Value::Bool(meta.rewatch)),
                ("realize", Value::Bool(meta.realize)),
                ("dollar", Value::Bool(meta.dollar)),
                ("hidden", Value::Bool(meta.hidden)),
                ("export", list(&meta.export)),
                ("reverse", Value::Bool(meta.reverse)),
                ("autoedge", Value::Bool(meta.autoedge)),
                ("autogroup", Value::Bool(meta.autogroup)),
            ]
        };
        if *self == Self::default() {
            return Vec::new();
        }
        let (own, plain) = (of(self), of(&Self::default()));
        own.into_iter().zip(plain).filter(|(a, b)| !a.1.is_same(&b.1)).map(|(a, _)| a).collect()
    }
}
