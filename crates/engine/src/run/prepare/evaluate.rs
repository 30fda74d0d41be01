//! Creates the items of resources: before a run, and during it with the values of deferred
//! attributes.

use std::borrow::Cow;
use std::sync::Arc;

use ordain_data::Value;
use ordain_graph::{Containment, Graph, Resource, ResourceId};

use super::model::{Item, Options, Prepared, Ready, RetryPolicy};
use crate::kind::report::ResourceReport;
use crate::kind::{Action, AttributeError, Change, Instance, KindError, Level, LogLine};
use crate::kinds::file::set_digest;
use crate::run::deferred::{DeferredValues, holds_deferred};
use crate::system::host::Host;

impl Prepared {
    pub(crate) fn item(&self, id: ResourceId, resource: &Resource) -> Item {
        if resource.is_virtual {
            Item::Virtual
        } else if self.holds[id.0 as usize] || resource.containment != Containment::Leaf {
            Item::Container
        } else if self.is_filtered(resource) {
            Item::Filtered
        } else {
            let resource = with_served(resource, &self.graph);
            let ready = self.before_evaluation(&resource).map_or_else(|| self.parse(&resource), Ok);
            ready.map_or_else(Item::Bad, |ready| Item::Ready(Arc::new(ready)))
        }
    }

    fn is_filtered(&self, resource: &Resource) -> bool {
        let has = |tags: &[String]| {
            tags.iter().any(|t| resource.tags.iter().any(|own| own.eq_ignore_ascii_case(t)))
        };
        let Options { tags, skip_tags, .. } = &self.options;
        !tags.is_empty() && !has(tags) || has(skip_tags)
    }

    /// A resource before its deferred values are computed: its other attributes determine edges and
    /// watches.
    pub(crate) fn before_evaluation(&self, resource: &Resource) -> Option<Ready> {
        let Cow::Owned(known) = self.without_deferred(resource) else { return None };
        let mut ready = self.parse_known(&known);
        // The functions may differ in another graph.
        ready.digest = self.serial;
        ready.is_deferred = true;
        Some(ready)
    }

    /// A resource without its deferred attributes, of which it may need one.
    fn parse_known(&self, known: &Resource) -> Ready {
        self.parse(known).unwrap_or_else(|_| Ready {
            instance: Box::new(UnknownInstance),
            noop: self.options().noop,
            level: Level::Notice,
            retry_policy: RetryPolicy::of(known),
            digest: 0,
            schedule: None,
            audit: None,
            is_deferred: true,
        })
    }

    /// A resource without the attributes that are computed during the run, if it has any.
    pub(super) fn without_deferred<'r>(&self, resource: &'r Resource) -> Cow<'r, Resource> {
        let is_deferred = |attribute: &ordain_graph::Attribute| holds_deferred(&attribute.value);
        if self.deferred.is_none() || !resource.attributes.iter().any(is_deferred) {
            return Cow::Borrowed(resource);
        }
        let mut known = resource.clone();
        known.attributes.retain(|attribute| !is_deferred(attribute));
        Cow::Owned(known)
    }

    /// A resource with the current values of its deferred attributes. In a plan, functions may fail
    /// that succeed once earlier resources are changed; the values then stay open.
    ///
    /// # Errors
    /// The errors of the values.
    pub(crate) fn evaluate(
        &self,
        resource: &Resource,
        is_plan: bool,
        report: &mut ResourceReport,
    ) -> Result<Ready, Vec<AttributeError>> {
        let evaluated = self.deferred.as_ref().map(|deferred| deferred.evaluate(&resource.id));
        let DeferredValues { values, log } = evaluated.unwrap_or_default();
        for (level, text) in log {
            report.add_line(level, None, text);
        }
        let mut whole = with_served(resource, &self.graph).into_owned();
        let mut errors = Vec::new();
        for (name, value) in values {
            match value {
                Ok(value) => {
                    let attribute = whole.attributes.iter_mut().find(|a| a.name == name);
                    if let Some(attribute) = attribute {
                        attribute.value = value;
                    }
                }
                Err(message) => errors.push(AttributeError::new(&name, message)),
            }
        }
        match errors.is_empty() {
            true => self.parse(&whole),
            false if is_plan => Ok(self.with_open_values(whole, &errors, report)),
            false => Err(errors),
        }
    }

    /// A resource of which some values are not known in a plan.
    fn with_open_values(
        &self,
        mut resource: Resource,
        errors: &[AttributeError],
        report: &mut ResourceReport,
    ) -> Ready {
        let mut open = Vec::new();
        for error in errors {
            let Some(name) = &error.attribute else { continue };
            report.add_line(Level::Info, Some(name), format!("{OPEN_VALUE}: {}", error.message));
            open.push(name.clone());
        }
        resource.attributes.retain(|attribute| !open.iter().any(|name| attribute.name == *name));
        let mut ready = self.parse_known(&resource);
        ready.instance = Box::new(InstanceWithOpenValues { known: ready.instance, open });
        ready
    }
}

/// The value that a plan shows in place of one that is not known yet.
const OPEN_VALUE: &str = "(resolved at apply)";

/// A resource in a plan, some of whose values are not known yet.
struct InstanceWithOpenValues {
    known: Box<dyn Instance>,
    /// The attributes with such values.
    open: Vec<String>,
}

impl Instance for InstanceWithOpenValues {
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        // Without those values it may be incomplete.
        let mut changes = self.known.compare(host).unwrap_or_default();
        let open = self.open.iter().map(|name| Change {
            action: changes.first().map_or(Action::Modify, |change| change.action),
            property: name.clone(),
            before: Value::Null,
            after: Value::str(OPEN_VALUE),
            text: None,
            message: format!("{name} is resolved at apply"),
        });
        let open: Vec<Change> = open.collect();
        changes.extend(open);
        Ok(changes)
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Err(KindError::new("its deferred values are not known yet"))
    }

    fn take_log(&self) -> Vec<LogLine> {
        self.known.take_log()
    }
}

/// A resource that cannot be parsed without its deferred values.
struct UnknownInstance;

impl Instance for UnknownInstance {
    fn compare(&self, _host: &Host) -> Result<Vec<Change>, KindError> {
        Err(KindError::new("its deferred values are not known yet"))
    }

    fn apply(&self, host: &Host, _changes: &[Change]) -> Result<(), KindError> {
        self.compare(host).map(drop)
    }
}

/// A file of a static catalog: it takes the source from the compile, and requires the content of
/// that time.
pub(crate) fn with_served<'r>(resource: &'r Resource, graph: &Graph) -> Cow<'r, Resource> {
    let file = match resource.id.kind.as_str() {
        "File" => graph.served.file(&resource.id.title),
        _ => None,
    };
    let Some(file) = file else { return Cow::Borrowed(resource) };
    let mut resource = resource.clone();
    if let (Some(source), Some(at)) =
        (&file.source, resource.attributes.iter_mut().find(|a| a.name == "source"))
    {
        at.value = Value::str(source.as_str());
    }
    if let Some(digest) = file.digest() {
        set_digest(&mut resource, digest);
    }
    Cow::Owned(resource)
}
