//! The contract of a resource kind.
//!
//! A kind parses the attributes of a resource once into an [`Instance`]. The instance observes the
//! machine, returns the differences ([`Change`]), and makes the changes on request. The engine
//! decides order, retries, noop and logging.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Graph, Resource, ResourceRef, ServedFiles};
use ordain_kinds::{AttributeSchema, KindSchema};

use crate::kind::change::Change;
use crate::kind::error::{AttributeError, KindError};
use crate::kind::log::LogLine;
use crate::kind::params::{reveal, scalar_text};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The graph and its environment, as kinds see them while they parse attributes.
pub struct ParseContext<'a> {
    /// Finds the file behind a `puppet:///modules/…` address or a similar one.
    pub resolve_source: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// The resource of this name in the graph.
    pub find: &'a dyn Fn(&ResourceRef) -> Option<&'a Resource>,
    /// The paths of all declared files.
    pub files: &'a dyn Fn() -> Arc<BTreeSet<PathBuf>>,
    /// The applied resources of a kind, by the declared name of the kind.
    pub of_kind: &'a dyn Fn(&str) -> Vec<&'a Resource>,
    /// All kinds.
    pub registry: &'a Arc<Registry>,
    /// The metadata of file sources from the time of the compile, if the graph has it.
    pub served: &'a ServedFiles,
    /// The graph.
    pub graph: &'a Graph,
    /// The number of the graph in this process.
    pub graph_number: u64,
    /// A resource without the attributes that are computed during the run.
    pub without_deferred: &'a dyn Fn(&'a Resource) -> Cow<'a, Resource>,
}

/// The order of a resource and one that it names, unless something written says the opposite.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relationship {
    /// The other comes before.
    Require,
    /// The other comes after.
    Before,
    /// The other comes before and notifies this one.
    Subscribe,
    /// The other comes after and is notified.
    Notify,
}

/// The result of one change of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeOutcome {
    /// The property.
    pub property: String,
    /// The line for the log, or why the change failed.
    pub result: Result<String, KindError>,
}

/// The part of a resource in the command of a transaction that changes several at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchCommand {
    /// The words that are the same for all members of a transaction: the command with its options.
    pub common: Vec<String>,
    /// The word for this resource alone, such as the name of a package.
    pub own: String,
}

/// Attributes with their values that undo a resource.
pub type ReversalAttributes = Vec<(&'static str, Value)>;

/// A parsed resource, or all errors of its attributes.
pub type ParseResult = Result<Box<dyn Instance>, Vec<AttributeError>>;

/// A kind of resource.
pub trait Kind: Send + Sync {
    /// Its name, its documentation and its attributes.
    fn schema(&self) -> &KindSchema;

    /// The name as it is declared, such as `file`.
    fn name(&self) -> &'static str {
        self.schema().name
    }

    /// The attributes except metaparameters. The first is the name attribute, whose default is the
    /// title.
    fn attributes(&self) -> &'static [AttributeSchema] {
        self.schema().attributes
    }

    /// Checks and parses the attributes of a resource.
    ///
    /// # Errors
    /// Every bad attribute of the resource, not only the first.
    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult;

    /// The identity of a resource among those of the kind, as [`Kind::instances`] names it: the
    /// name attribute, else the title.
    fn identity(&self, resource: &Resource) -> String {
        own_identity(self.schema(), resource)
    }

    /// The identity of a resource for purging: an instance of the machine that shares it with a
    /// declared resource is not purged.
    fn purged_as(&self, resource: &Resource) -> String {
        self.identity(resource)
    }

    /// Whether all instances on the machine can be listed.
    fn has_instances(&self) -> bool {
        false
    }

    /// All instances on the machine, each as a resource that is absent.
    ///
    /// # Errors
    /// When the machine could not be looked at.
    fn instances(&self, _host: &Host) -> Result<Vec<Resource>, KindError> {
        Ok(Vec::new())
    }

    /// The events after which [`Kind::instances`] may give others.
    fn instance_watches(&self, _host: &Host) -> Vec<Watch> {
        Vec::new()
    }

    /// How often [`Kind::instances`] is asked, if no events announce others.
    fn instance_poll_interval(&self, _host: &Host) -> Option<Duration> {
        None
    }
}

/// The value of the name attribute of a resource, else its title.
pub(crate) fn own_identity(schema: &KindSchema, resource: &Resource) -> String {
    let name = resource.value(schema.name_attribute());
    let name = name.and_then(|value| scalar_text(reveal(value).0));
    name.unwrap_or_else(|| resource.id.title.to_string())
}

/// A parsed resource.
pub trait Instance: Send + Sync {
    /// Resources that come before this one if they are declared, unless explicit relationships say
    /// the opposite.
    fn autorequires(&self) -> Vec<ResourceRef> {
        Vec::new()
    }

    /// Relationships with resources which, where they are declared, hold unless something written
    /// says the opposite.
    fn automatic_relationships(&self) -> Vec<(Relationship, ResourceRef)> {
        Vec::new()
    }

    /// Other names by which [`Instance::autorequires`] of other resources find this one, such as a
    /// group by its id.
    fn second_names(&self) -> Vec<ResourceRef> {
        Vec::new()
    }

    /// The events after which the resource may have changed. Without any, it is checked at
    /// intervals only.
    fn watches(&self, _host: &Host) -> Vec<Watch> {
        Vec::new()
    }

    /// Whether the result of [`Instance::watches`] may change with the machine, such as the home of
    /// a user that is created later.
    fn watches_move(&self) -> bool {
        false
    }

    /// The interval of checks if no events announce changes.
    fn poll_interval(&self, _host: &Host) -> Option<Duration> {
        None
    }

    /// The longest interval of checks: while nothing changes, the interval grows from that of
    /// [`Instance::poll_interval`] to this one.
    fn max_poll_interval(&self, _host: &Host) -> Option<Duration> {
        None
    }

    /// A fingerprint of the context from the graph besides [`Instance::autorequires`]: instances
    /// with equal attributes and equal fingerprints are equal. `None` if the attributes alone
    /// determine the instance.
    fn context_fingerprint(&self) -> Option<u64> {
        None
    }

    /// Warnings for each check, such as attributes that the provider cannot manage.
    fn remarks(&self, _host: &Host) -> Vec<String> {
        Vec::new()
    }

    /// Observes the machine and returns the differences, without side effects.
    ///
    /// # Errors
    /// When the state cannot be found out.
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError>;

    /// Announces that [`Instance::compare`] follows, for this resource and others of its group, so
    /// that one look at the machine may serve all of them.
    fn expect_comparison(&self, _host: &Host) {}

    /// Makes the changes that [`Instance::compare`] returned. After a failure the machine has
    /// either the old state or the new one, never a mixture.
    ///
    /// # Errors
    /// When a change could not be made.
    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError>;

    /// Whether [`Instance::apply`] is called in each run, also without a difference: the changes are
    /// known only afterwards, from [`Instance::take_outcomes`].
    fn acts_always(&self) -> bool {
        false
    }

    /// The result of each change that the last call of [`Instance::apply`] tried, if the kind tells
    /// them apart; taking them empties the list.
    fn take_outcomes(&self) -> Vec<ChangeOutcome> {
        Vec::new()
    }

    /// Whether it is compared again after a change, to find differences that remain.
    fn is_verified(&self) -> bool {
        true
    }

    /// The group of resources that may be changed in one transaction with this one; `None` if it is
    /// always changed alone.
    fn group(&self, _host: &Host) -> Option<&'static str> {
        None
    }

    /// Whether it is only compared together with others of its group, and changed alone.
    fn is_changed_alone(&self) -> bool {
        false
    }

    /// Its part of the command of a transaction that makes these changes; `None` if no transaction
    /// can make them.
    ///
    /// # Errors
    /// When the command cannot be determined.
    fn batch_command(
        &self,
        _host: &Host,
        _changes: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        Ok(None)
    }

    /// Makes the changes of a batch by its common words and the word of each resource. Resources that
    /// still differ afterwards are applied alone.
    ///
    /// # Errors
    /// When the transaction failed.
    fn transact(&self, _host: &Host, _common: &[String], _own: &[&str]) -> Result<(), KindError> {
        Ok(())
    }

    /// The attributes of a resource with the same name that would restore the present state; `None`
    /// if the kind cannot be undone.
    ///
    /// # Errors
    /// When the present state cannot be read or restored.
    fn reversal(&self, _host: &Host) -> Result<Option<ReversalAttributes>, KindError> {
        Ok(None)
    }

    /// The current values of all properties, managed or not, for `audit`; `Null` is absent, and a
    /// secret is [`Value::Secret`]. `None` if the kind cannot read them.
    ///
    /// # Errors
    /// When the values cannot be read.
    fn observed(&self, _host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        Ok(None)
    }

    /// Removes leftovers of a run that was killed while it worked on this resource.
    ///
    /// # Errors
    /// When the leftovers cannot be removed.
    fn recover(&self, _host: &Host) -> Result<(), KindError> {
        Ok(())
    }

    /// Whether it acts on a notification.
    fn refreshable(&self) -> bool {
        false
    }

    /// Acts on a notification, or ignores it.
    ///
    /// # Errors
    /// When the action failed.
    fn refresh(&self, _host: &Host) -> Result<(), KindError> {
        Ok(())
    }

    /// Whether its own changes cause a refresh, too, unless they remove it.
    fn refreshes_itself(&self) -> bool {
        false
    }

    /// Whether these changes make a refresh unnecessary: a service that just started has read its
    /// new configuration.
    fn is_fresh_after(&self, _changes: &[Change]) -> bool {
        false
    }

    /// The values that it sends to its receivers, by name, once it is in place.
    ///
    /// # Errors
    /// When the values cannot be read.
    fn sent(&self, _host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        Ok(Vec::new())
    }

    /// The log lines of the last call of [`Instance::compare`], [`Instance::apply`] or
    /// [`Instance::refresh`]; taking them empties the list.
    fn take_log(&self) -> Vec<LogLine> {
        Vec::new()
    }

    /// Resources that this one generates, such as the files of a copied directory. They are
    /// contained in it and inherit its edges.
    ///
    /// # Errors
    /// When the machine could not be looked at.
    fn generate(&self, _host: &Host) -> Result<Vec<Resource>, KindError> {
        Ok(Vec::new())
    }

    /// The paths of the files that this one generates, as far as they are known before the run. A purge
    /// of their directory does not remove them.
    fn generated_files(&self) -> &[PathBuf] {
        &[]
    }

    /// Whether it passes on one event for any number of changes in its members, as a container
    /// does.
    fn is_container(&self) -> bool {
        false
    }
}

/// The kinds that an engine knows.
#[derive(Clone)]
pub struct Registry {
    kinds: BTreeMap<&'static str, Arc<dyn Kind>>,
}

impl Registry {
    /// A registry without kinds.
    pub(crate) fn empty() -> Self {
        Self { kinds: BTreeMap::new() }
    }

    /// Adds a kind, in place of one of the same name.
    pub fn add(&mut self, kind: Box<dyn Kind>) {
        self.kinds.insert(kind.name(), Arc::from(kind));
    }

    /// The kind with this name, as in a graph (`File`) or in a declaration (`file`).
    pub fn get(&self, name: &str) -> Option<&dyn Kind> {
        self.kinds.get(name.to_ascii_lowercase().as_str()).map(|k| &**k)
    }

    /// The same, to be shared.
    pub fn shared(&self, name: &str) -> Option<Arc<dyn Kind>> {
        self.kinds.get(name.to_ascii_lowercase().as_str()).map(Arc::clone)
    }

    /// All kinds in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Kind> {
        self.kinds.values().map(|k| &**k)
    }
}
