//! `audit`: properties that are watched for changes, managed or not.
//!
//! The values that a run finds are saved until the next run, which reports those that differ. The
//! messages are those of `puppet apply`.

use ordain_data::Value;
use ordain_graph::Resource;

use crate::kind::Level;
use crate::kind::params::scalar_text;
use crate::kind::report::{ResourceReport, Status};
use crate::run::observer::Observer;

/// The properties of a resource that are watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Audit {
    /// All attributes that the kind can read.
    All,
    /// These.
    Named(Vec<String>),
}

impl Audit {
    /// The audit that a resource asks for.
    pub(crate) fn of(resource: &Resource) -> Option<Self> {
        let names: Vec<String> = match resource.value("audit")? {
            Value::List(items) => items.iter().filter_map(scalar_text).collect(),
            one => scalar_text(one).into_iter().collect(),
        };
        if names.iter().any(|name| name == "all") {
            return Some(Self::All);
        }
        (!names.is_empty()).then_some(Self::Named(names))
    }

    fn has(&self, property: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name == property),
        }
    }
}

/// The properties of a resource before it was changed, with their values as texts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct AuditSnapshot(Vec<AuditedProperty>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct AuditedProperty {
    name: &'static str,
    /// The saved value; of a secret its digest.
    kept: String,
    /// The value in messages.
    shown: String,
}

impl AuditSnapshot {
    /// The watched properties among those that a kind observed.
    pub(crate) fn new(
        audit: &Audit,
        observed: Vec<(&'static str, Value)>,
        observer: &dyn Observer,
    ) -> Self {
        let observed = observed.into_iter().filter(|(name, _)| audit.has(name));
        Self(
            observed
                .map(|(name, value)| match value {
                    Value::Secret(secret) => AuditedProperty {
                        name,
                        kept: observer.secret_digest(&shown(&secret)),
                        shown: "[redacted]".into(),
                    },
                    value => AuditedProperty { name, kept: shown(&value), shown: shown(&value) },
                })
                .collect(),
        )
    }

    /// Reports attributes that are new or changed since the previous run, and stores their values.
    pub(crate) fn report_to(self, report: &mut ResourceReport, observer: &dyn Observer) {
        let before = observer.audited(&report.resource);
        for seen in &self.0 {
            let known = before.iter().find(|(name, _)| name == seen.name).map(|(_, value)| value);
            let Some(known) = known else {
                let text = format!("audit change: newly-recorded value {}", seen.shown);
                report.add_line(Level::Notice, Some(seen.name), text);
                continue;
            };
            if *known == seen.kept {
                continue;
            }
            let is_secret = seen.kept != seen.shown;
            let known = if is_secret { "[redacted]" } else { known };
            if report.status == Status::Changed
                && let Some(line) = report.line_of_change(seen.name)
            {
                line.push_str(&format!(" (previously recorded value was '{known}')"));
                continue;
            }
            let text = format!(
                "audit change: previously recorded value '{known}' has been changed to '{}'",
                seen.shown
            );
            report.add_line(Level::Notice, Some(seen.name), text);
        }
        let values: Vec<(String, String)> =
            self.0.into_iter().map(|seen| (seen.name.to_string(), seen.kept)).collect();
        observer.note_audited(&report.resource, &values);
    }
}

/// A value in Puppet's notation.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "absent".into(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => scalar_text(other).unwrap_or_default(),
    }
}
