//! Types that are written in the language, `type T { attr … }`, as plain data.
//!
//! A [`TypeModel`] describes a type: its features, how many values each has, and the checks. It
//! holds no code of the evaluator and no other type, only names, so that it can be exported, made
//! from other forms and written out as text ([`write()`]). [`models`] reads those of a program.
//!
//! ```
//! use ordain_puppet_syntax::parse;
//! use ordain_puppet_types::types::models;
//! use ordain_source::FileId;
//!
//! let program = parse(FileId(0), "type Role { attr gid, String { min => 1 } }").program;
//! let models = models::models(&program);
//! assert_eq!(models[0].features[0].multiplicity.lower, 1);
//! ```

pub(crate) mod data;
mod definition;
mod document;
mod instance;
pub mod layout;
mod read;
mod write;

pub use data::{PREF, PTYPE};
pub use definition::{
    Annotations, Feature, FeatureKind, Function, Invariant, Logic, Multiplicity, TypeModel,
    ValueType,
};
pub use document::{document, to_data};
pub use instance::Instance;
pub use instance::{Document, Links, State};
pub use layout::LoadedModel;
pub use layout::{Code, Layout, Method, Rule, Slot};
pub use read::models;
pub use read::{annotations, check_of, feature, integer, literal, model, title_patterns};
pub use write::write;
