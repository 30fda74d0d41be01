//! Parsed templates of a run.

use std::collections::HashMap;
use std::rc::Rc;

use ecow::EcoString;

use super::value::{LoadedTemplate, Val};

/// The state of rendering that lasts for a run.
#[derive(Default)]
pub(super) struct Cache {
    /// The parsed templates, by their names.
    pub(super) templates: HashMap<EcoString, LoadedTemplate>,
    /// The exports of templates that were imported without a context, by their addresses.
    pub(super) modules: HashMap<usize, Val>,
    /// The plugins by their names as filters.
    pub(super) plugins: Option<Rc<HashMap<EcoString, EcoString>>>,
    /// The number of templates that are being rendered.
    pub(super) nested: usize,
}
