//! The contract of a resource kind.
//!
//! A kind parses the attributes of a resource once into an [`Instance`]; the instance observes the
//! machine and says what differs ([`Change`]), and makes the changes when told to. It never decides
//! order, retries, noop or logging: the engine does.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef, ServedFiles};

use crate::attributes::{reveal, scalar_text};
use crate::host::{Host, Invocation};
use crate::registry::Registry;
use crate::reversal;
use crate::watch::Bell;

/// An attribute that a kind knows, for checks, completion and the manual.
#[derive(Clone, Copy, Debug)]
pub struct AttributeDoc {
    /// The name.
    pub name: &'static str,
    /// One line: what it does, allowed values, default.
    pub doc: &'static str,
}

/// A bad attribute, found before anything is done.
#[derive(Clone, Debug)]
pub struct AttributeError {
    /// The attribute; `None` if the resource as a whole is at fault.
    pub attribute: Option<String>,
    /// What is wrong with it.
    pub message: String,
}

impl AttributeError {
    /// An error about one attribute.
    pub fn new(attribute: &str, message: impl Into<String>) -> Self {
        Self { attribute: Some(attribute.to_string()), message: message.into() }
    }
}

/// Why observing or acting failed. `command` output and paths belong into the message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct KindError(pub String, Weight);

/// What an error means for the resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weight {
    Failure,
    Skip,
}

impl KindError {
    /// An error with this text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into(), Weight::Failure)
    }

    /// An error that is none: the resource is skipped, and with it what depends on it.
    pub fn skip(message: impl Into<String>) -> Self {
        Self(message.into(), Weight::Skip)
    }

    /// Whether the resource is only skipped.
    pub fn is_skip(&self) -> bool {
        self.1 == Weight::Skip
    }
}

/// What a change does to the resource as a whole, for the sign in front of it and the counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// It did not exist.
    Create,
    /// It exists and differs.
    Modify,
    /// It exists and shall not.
    Remove,
    /// Something is run that has no state, such as a command.
    Run,
}

/// One difference between what is and what shall be.
#[derive(Clone, Debug)]
pub struct Change {
    /// What it does to the resource.
    pub action: Action,
    /// The property that differs, such as `mode`; `ensure` for creation and removal.
    pub property: String,
    /// What is; `Null` if absent. A secret is [`Value::Secret`].
    pub before: Value,
    /// What shall be.
    pub after: Value,
    /// Both texts when the property is the content of a file, for a line diff.
    /// `None` if it is secret, too large, not text, or not to be shown.
    pub text: Option<TextChange>,
    /// The one line that a log says once it is done, such as `mode changed '0600' to '0644'`.
    pub message: String,
}

/// The content of a file before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextChange {
    /// What is there.
    pub before: String,
    /// What shall be there.
    pub after: String,
}

/// What kinds know of the graph and its surroundings while they parse attributes.
pub struct ParseContext<'a> {
    /// Finds the file behind a `puppet:///modules/…` address or a similar one.
    pub resolve_source: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// The resource of this name in the graph.
    pub find: &'a dyn Fn(&ResourceRef) -> Option<&'a Resource>,
    /// The paths of all declared files.
    pub files: &'a dyn Fn() -> Arc<BTreeSet<PathBuf>>,
    /// The resources of a kind that are applied, by the name of the kind as it is declared.
    pub of_kind: &'a dyn Fn(&str) -> Vec<&'a Resource>,
    /// All kinds.
    pub registry: &'a Arc<Registry>,
    /// What the sources of files were when the graph was compiled, if it says.
    pub served: &'a ServedFiles,
}

/// How important a line of the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// For finding faults.
    Debug,
    /// What was considered.
    Info,
    /// What was done.
    Notice,
    /// What may be wrong.
    Warning,
    /// What is wrong.
    Error,
    /// What has to be seen to at once.
    Alert,
    /// What makes the machine unusable.
    Emergency,
    /// What is wrong with much more than one resource.
    Critical,
}

/// What a line of the log is said about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogSource {
    /// Nothing: only the text is shown.
    Bare,
    /// The resource.
    Resource,
    /// A property of it, such as `returns`.
    Property(&'static str),
}

/// A line for the log that is neither a change nor an error, such as a line that a command wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogLine {
    /// How important it is; nothing if the resource says that of all its changes.
    pub level: Option<Level>,
    /// What the log names as its source.
    pub source: LogSource,
    /// The text.
    pub message: String,
}

/// What tells that a resource may have changed. Paths are those of the machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Watch {
    /// What stands at a path: that it comes and goes, its content and attributes.
    Path(PathBuf),
    /// The same, and all that is below.
    Tree(PathBuf),
    /// A unit of systemd.
    Unit(String),
    /// Interfaces of the network, their addresses and routes.
    Network,
    /// Something in this process, which rings.
    Bell(Bell),
    /// A program that writes a line when something may have changed. It runs as long as it is
    /// watched; the resource fails when it ends by itself.
    Program(Arc<Program>),
}

/// A program that is started to hear from it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Program {
    /// What messages call it, such as `The watch command '/bin/tail -f /log'`.
    pub name: String,
    /// What is started; input text and time limit do not count.
    pub invocation: Invocation,
    /// Whether messages must not say what it wrote.
    pub is_secret: bool,
}

/// What a resource adds to a transaction that changes several at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// What all of one transaction have in common, such as the command with its options.
    pub common: Vec<String>,
    /// What is this resource's own, such as the name of a package.
    pub own: String,
}

/// A kind of resource.
pub trait Kind: Send + Sync {
    /// The name as it is declared, such as `file`.
    fn name(&self) -> &'static str;

    /// One line for the manual.
    fn doc(&self) -> &'static str;

    /// What can be declared, metaparameters left out. The first is the name attribute, for which
    /// the title stands in.
    fn attributes(&self) -> &'static [AttributeDoc];

    /// Whether other attributes can be declared, too.
    fn takes_any(&self) -> bool {
        false
    }

    /// Checks and parses the attributes of a resource.
    ///
    /// # Errors
    /// Every bad attribute of the resource, not only the first.
    fn parse(
        &self,
        resource: &Resource,
        context: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>>;

    /// What tells a resource from others of the kind, as [`Kind::instances`] names it: the name
    /// attribute, else the title.
    fn identity(&self, resource: &Resource) -> String {
        let name = self.attributes().first().map_or("name", |attribute| attribute.name);
        let name = resource.value(name).and_then(|value| scalar_text(reveal(value).0));
        name.unwrap_or_else(|| resource.id.title.to_string())
    }

    /// What a resource is called when all of the kind are held against what is declared: what is
    /// called the same as anything declared is not purged.
    fn purged_as(&self, resource: &Resource) -> String {
        self.identity(resource)
    }

    /// Whether the machine can be asked for all that it has of the kind.
    fn has_instances(&self) -> bool {
        false
    }

    /// All that the machine has of the kind, each as a resource that says that it shall be gone.
    ///
    /// # Errors
    /// When the machine could not be looked at.
    fn instances(&self, _host: &Host) -> Result<Vec<Resource>, KindError> {
        Ok(Vec::new())
    }

    /// What tells that [`Kind::instances`] may give others.
    fn instance_watches(&self, _host: &Host) -> Vec<Watch> {
        Vec::new()
    }
}

/// A parsed resource.
pub trait Instance: Send + Sync {
    /// Resources which, where they are declared, come before this one unless something written
    /// says the opposite.
    fn autorequires(&self) -> Vec<ResourceRef> {
        Vec::new()
    }

    /// Other names by which the wishes of [`Instance::autorequires`] find this resource, such as
    /// a group by its number.
    fn second_names(&self) -> Vec<ResourceRef> {
        Vec::new()
    }

    /// What tells that the resource may have changed. Without any it is looked at when its graph
    /// says so, and from time to time.
    fn watches(&self, _host: &Host) -> Vec<Watch> {
        Vec::new()
    }

    /// Whether [`Instance::watches`] may give others once the machine has changed, such as the home
    /// of a user who is only made.
    fn watches_move(&self) -> bool {
        false
    }

    /// How often it has to be looked at, because what may happen to it is not told.
    fn pause(&self, _host: &Host) -> Option<Duration> {
        None
    }

    /// What it took from the graph around it besides what [`Instance::autorequires`] gives: equal for
    /// two instances of equal attributes if they took the same. Nothing if its attributes are all
    /// that it is made of.
    fn surroundings(&self) -> Option<u64> {
        None
    }

    /// What is said each time it is looked at, such as which attributes the provider cannot manage.
    fn remarks(&self, _host: &Host) -> Vec<String> {
        Vec::new()
    }

    /// Looks at the machine and says what differs. No side effect.
    ///
    /// # Errors
    /// When the state cannot be found out.
    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError>;

    /// Makes the changes that [`Instance::compare`] gave. When it fails, what was there is still
    /// there or was completely replaced, never half of each.
    ///
    /// # Errors
    /// When a change could not be made.
    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError>;

    /// The resources among which some may be changed in one transaction with this one; none if it is
    /// always changed alone.
    fn group(&self, _host: &Host) -> Option<&'static str> {
        None
    }

    /// What it adds to a transaction that makes these changes, if they can be made in one.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn share(&self, _host: &Host, _changes: &[Change]) -> Result<Option<Share>, KindError> {
        Ok(None)
    }

    /// Makes the changes of all whose shares have this in common, each with its own. Whoever still
    /// differs afterwards is applied alone.
    ///
    /// # Errors
    /// When the transaction failed.
    fn transact(&self, _host: &Host, _common: &[String], _own: &[&str]) -> Result<(), KindError> {
        Ok(())
    }

    /// The attributes of the resource of the same name that would bring back what is there now;
    /// nothing if the kind cannot be undone.
    ///
    /// # Errors
    /// When what is there cannot be found out, or not be brought back.
    fn reversal(&self, _host: &Host) -> Result<Option<reversal::Attributes>, KindError> {
        Ok(None)
    }

    /// What is there of each property that can be found out, managed or not, for `audit`; `Null` is
    /// absent, and a secret is [`Value::Secret`]. Nothing if the kind cannot tell.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn observed(&self, _host: &Host) -> Result<Option<Vec<(&'static str, Value)>>, KindError> {
        Ok(None)
    }

    /// Clears what a run left that was killed while it worked on this resource.
    ///
    /// # Errors
    /// When it cannot be cleared.
    fn recover(&self, _host: &Host) -> Result<(), KindError> {
        Ok(())
    }

    /// Whether a change of something this resource is subscribed to makes it act.
    fn refreshable(&self) -> bool {
        false
    }

    /// Acts on such a change, or chooses not to.
    ///
    /// # Errors
    /// When the action failed.
    fn refresh(&self, _host: &Host) -> Result<(), KindError> {
        Ok(())
    }

    /// Whether its own changes are followed by a refresh, too, unless they remove it.
    fn refreshes_itself(&self) -> bool {
        false
    }

    /// Whether these changes, once made, leave nothing to do for a refresh: what was just started
    /// has read what is new.
    fn is_fresh_after(&self, _changes: &[Change]) -> bool {
        false
    }

    /// What it hands on to resources that receive from it, by name, once it is as it shall be.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn sent(&self, _host: &Host) -> Result<Vec<(&'static str, Value)>, KindError> {
        Ok(Vec::new())
    }

    /// Lines for the log that the last call of [`Instance::compare`], [`Instance::apply`] or
    /// [`Instance::refresh`] gave; taking them empties the list.
    fn take_log(&self) -> Vec<LogLine> {
        Vec::new()
    }

    /// More resources that this one stands for and that are not declared, such as the files of a
    /// directory that is copied. They are contained in it and inherit its relations.
    ///
    /// # Errors
    /// When the machine could not be looked at.
    fn generate(&self, _host: &Host) -> Result<Vec<Resource>, KindError> {
        Ok(Vec::new())
    }

    /// Whether it passes on one event, as a container does, however many of what it stands for have
    /// changed.
    fn is_container(&self) -> bool {
        false
    }
}
