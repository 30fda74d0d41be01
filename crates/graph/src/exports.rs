//! Resources that nodes export for each other.

use ecow::EcoString;
use ordain_data::Value;

use crate::model::ResourceRef;
use crate::place::Place;

/// A resource as its node exported it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The name of the node.
    pub node: EcoString,
    /// Kind and title.
    pub id: ResourceRef,
    /// Its attributes in order, including secrets, because the collecting node applies them.
    pub attributes: Vec<(EcoString, Value)>,
    /// Its tags.
    pub tags: Vec<EcoString>,
    /// The file and the line it was declared in.
    pub place: Option<Place>,
}

/// The storage of exported resources.
pub trait Exports: std::fmt::Debug + Send + Sync {
    /// The exports of a kind of all nodes but one, in order of node and title.
    ///
    /// # Errors
    /// The reason why the store cannot be read.
    fn of_kind(&self, kind: &str, except: &str) -> Result<Vec<Exported>, String>;
}
