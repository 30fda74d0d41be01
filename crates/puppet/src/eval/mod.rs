//! Evaluation: from a program and a node to values and a catalog. A file a construct.

pub mod call;
pub mod closure;
pub mod error;
pub mod interface;
pub mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Diagnostic, Span};

use crate::eval::scope::{ScopeId, Scopes};
use crate::load::Environment;
use crate::value::Value;

/// The levels of Puppet's logging functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LogLevel {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `err`
    Err,
    /// `alert`
    Alert,
    /// `emerg`
    Emerg,
    /// `crit`
    Crit,
}

impl LogLevel {
    /// The word that stands for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Err => "err",
            Self::Alert => "alert",
            Self::Emerg => "emerg",
            Self::Crit => "crit",
        }
    }
}

/// A message of a logging function, or a warning of the compile.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// Its level.
    pub level: LogLevel,
    /// Its text.
    pub message: String,
    /// The scope that it came from, as Puppet prints it: `Scope(Class[main])`.
    pub source: String,
    /// Where it was written.
    pub span: Option<Span>,
}

/// What a setting does to questionable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strict {
    /// Nothing is said.
    Off,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// Settings that change what a compile does.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What questionable code gives.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// Whether facts have their old flat names as variables, too.
    pub include_legacy_facts: bool,
    /// Further settings that manifests read as `$settings::name`.
    pub values: BTreeMap<String, Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: Strict::Error,
            strict_variables: true,
            include_legacy_facts: false,
            values: BTreeMap::new(),
        }
    }
}

/// One compile for one node.
pub struct Compiler<'e> {
    /// Modules, site program, outside world: shared with other compiles.
    pub env: &'e Environment,
    /// Settings.
    pub settings: Settings,
    /// The node's name.
    pub node: EcoString,
    /// All scopes.
    pub scopes: Scopes,
    /// What was logged, in order.
    pub logs: Vec<LogEntry>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What Hiera keeps during a compile.
    pub hiera: Arc<crate::hiera::Cache>,
}

/// A scope for code without one of its own.
pub const TOP: ScopeId = ScopeId::TOP;
