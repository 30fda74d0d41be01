//! The state of one compile.
//!
//! [`Compiler`] holds the parts. A part is a type with methods of its own, in the module that owns it,
//! and knows nothing of the evaluator:
//!
//! | part | |
//! | --- | --- |
//! | [`scope`] | variables |
//! | [`log`] | messages and warnings |
//! | [`budget`] | steps, nesting, and the size of values |
//! | [`settings`], [`node`] | the caller's options and description of the node |
//! | `types`, `models` | types, and the definitions that are being evaluated |
//! | `programs` | signatures, regular expressions and inline texts |
//! | `defaults` | defaults for the attributes of resource types |
//! | `used::UsedCode` | branches and keys of data, for coverage |
//! | `templates` | output of EPP, variables of ERB |
//! | `catalog::Catalog` | the resources so far |
//! | `load::Environment` | the files of the environment, shared by compiles |
//! | `hiera::Cache` | the hierarchies and data that were read |
//! | `plugins::State` | the conversation with the `ruby` process |

pub(crate) mod annotations;
pub mod budget;
pub(crate) mod declare;
mod defaults;
pub mod evaluate;
pub mod frame;
pub mod log;
mod messages;
pub(crate) mod models;
pub mod node;
mod node_paths;
pub(crate) mod node_values;
pub(crate) mod programs;
mod resources;
pub mod scope;
pub(crate) mod setting_values;
pub mod settings;
pub(crate) mod templates;
pub(crate) mod types;
pub mod used;
mod variables;

use crate::catalog::Catalog;
use crate::load::Environment;
use crate::state::log::Log;
use crate::state::node_paths::PathInProgress;
use crate::state::scope::{Scope, Scopes};
use crate::state::settings::Settings;
use ecow::EcoString;
use ordain_data::Decrypted;
use std::cell::OnceCell;

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
    /// The settings as variables, once one was read.
    pub(crate) setting_values: OnceCell<Scope>,
    pub(crate) types: types::TypeState,
    pub(crate) models: models::ModelState,
    pub(crate) programs: programs::Programs,
    pub(crate) templates: templates::Templates,
    pub(crate) defaults: defaults::ResourceDefaults,
    /// The path of a value of the node that is being read.
    pub(crate) path_in_progress: PathInProgress,
    /// A buffer that interpolations reuse.
    pub(crate) text_buffer: String,
    /// The contents of encrypted data.
    pub(crate) decrypted: Decrypted,
    pub(crate) budget: budget::Budget,
    pub(crate) ruby: crate::plugins::State<'e>,
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
            setting_values: OnceCell::new(),
            types: types::TypeState::default(),
            models: models::ModelState::default(),
            programs: programs::Programs::default(),
            templates: templates::Templates::default(),
            defaults: defaults::ResourceDefaults::default(),
            path_in_progress: PathInProgress::default(),
            text_buffer: String::new(),
            decrypted: Decrypted::default(),
            ruby: crate::plugins::State::default(),
        }
    }
}
