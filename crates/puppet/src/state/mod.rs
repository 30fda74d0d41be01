//! The state of one compile.
//!
//! [`Compiler`] holds the parts. A part is a type with methods of its own, in the module that owns it,
//! and knows nothing of the evaluator:
//!
//! | part | |
//! | --- | --- |
//! | [`scope`] | variables |
//! | [`log`] | messages and warnings |
//! | [`budget`] | steps, and the size of values |
//! | [`settings`], [`node`] | what the caller says about the compile and the node |
//! | `types`, `models` | definitions of types that are under way |
//! | `catalog::Catalog` | the resources so far |
//! | `load::Environment` | the files of the environment, shared by compiles |
//! | `hiera::Cache` | the hierarchies and data that were read |
//! | `plugins::State` | the conversation with the `ruby` process |

pub(crate) mod annotations;
pub mod budget;
pub mod evaluate;
pub mod frame;
pub mod log;
mod messages;
pub(crate) mod models;
pub mod node;
mod resources;
pub mod scope;
pub(crate) mod setting_values;
pub mod settings;
pub(crate) mod templates;
pub(crate) mod types;
mod variables;

use crate::catalog::Catalog;
use crate::catalog::resource::KnownKind;
use crate::load::{Environment, LoadedFile};
use crate::state::frame::MAX_DEPTH;
use crate::state::log::Log;
use crate::state::scope::{Scope, Scopes};
use crate::state::settings::Settings;
use crate::syntax::ExprId;
use crate::types::signature::Signature;
use crate::types::{Regexp, TypeAlias};
use crate::value::closure::ScopeId;
use ecow::EcoString;
use ordain_data::Decrypted;
use ordain_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

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
    /// Messages and warnings.
    pub log: Log,
    /// Hierarchies and data that were read.
    pub hiera: crate::hiera::Cache,
    /// The catalog so far.
    pub catalog: Catalog,
    pub(crate) node_scope: Option<ScopeId>,
    pub(crate) class_scopes: FxHashMap<EcoString, ScopeId>,
    /// The settings as variables, once one was read.
    pub(crate) setting_values: OnceCell<Scope>,
    pub(crate) signatures: FxHashMap<(usize, u32), Arc<Signature>>,
    pub(crate) aliases: FxHashMap<EcoString, Arc<TypeAlias>>,
    pub(crate) types: types::TypeState,
    pub(crate) models: models::ModelState,
    pub(crate) regexes: FxHashMap<(usize, ExprId), Arc<Regexp>>,
    pub(crate) inline: FxHashMap<(Inline, EcoString), Arc<LoadedFile>>,
    pub(crate) defaults: FxHashMap<(ScopeId, EcoString), Vec<crate::catalog::Param>>,
    pub(crate) kinds: FxHashMap<EcoString, Arc<KnownKind>>,
    /// Memory for the interpolation that is being made.
    pub(crate) text_buffer: String,
    pub(crate) output: Vec<String>,
    pub(crate) output_sensitive: bool,
    /// The contents of encrypted data.
    pub(crate) decrypted: Decrypted,
    /// The texts whose classes and defines have the types of their parameters.
    pub(crate) typed: FxHashSet<usize>,
    /// The class or define whose parameters get their types.
    pub(crate) typing: Option<Span>,
    /// How many scopes have parameters without a value.
    pub(crate) pending: u32,
    pub(crate) budget: budget::Budget,
    /// The objects that links between resources mean.
    pub(crate) linked: models::Linked,
    pub(crate) ruby: crate::plugins::State<'e>,
    /// Variables that templates set: the objects themselves, which later ones may change.
    pub(crate) template_objects: FxHashMap<(ScopeId, EcoString), templates::TemplateObject>,
    pub(crate) depth: u32,
}

/// The kind of a text in a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Inline {
    /// An EPP template.
    Template,
    /// A type.
    Type,
}

impl<'e> Compiler<'e> {
    /// A compile that has done nothing yet.
    pub fn new(env: &'e Environment, settings: Settings, node: &str) -> Self {
        Self {
            env,
            budget: budget::Budget::new(settings.max_steps),
            settings,
            node: node.into(),
            scopes: Scopes::default(),
            log: Log::default(),
            hiera: crate::hiera::Cache::default(),
            catalog: Catalog::default(),
            node_scope: None,
            class_scopes: FxHashMap::default(),
            setting_values: OnceCell::new(),
            signatures: FxHashMap::default(),
            aliases: FxHashMap::default(),
            types: types::TypeState::default(),
            models: models::ModelState::default(),
            regexes: FxHashMap::default(),
            inline: FxHashMap::default(),
            defaults: FxHashMap::default(),
            kinds: FxHashMap::default(),
            text_buffer: String::new(),
            output: Vec::new(),
            output_sensitive: false,
            decrypted: Decrypted::default(),
            typed: FxHashSet::default(),
            typing: None,
            pending: 0,
            linked: models::Linked::default(),
            ruby: crate::plugins::State::default(),
            template_objects: FxHashMap::default(),
            depth: 0,
        }
    }

    /// Goes this many levels deeper; false where that is too deep.
    pub(crate) fn descend(&mut self, levels: u32) -> bool {
        let is_allowed = self.depth + levels < MAX_DEPTH;
        self.depth += if is_allowed { levels } else { 0 };
        is_allowed
    }

    /// Comes back from there.
    pub(crate) fn ascend(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// A text that stands in a manifest, such as a template or a type, parsed once. It stays to the
    /// end of the compile, since what is known of programs is found by their addresses.
    pub(crate) fn inline(&mut self, text: &str, form: Inline) -> Arc<LoadedFile> {
        let key = (form, EcoString::from(text));
        let parsed = self.inline.entry(key).or_insert_with(|| match form {
            Inline::Template => self.env.parse_template(Path::new(""), text),
            Inline::Type => self.env.parse_code(Path::new(""), text),
        });
        Arc::clone(parsed)
    }
}
