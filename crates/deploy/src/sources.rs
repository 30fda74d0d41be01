//! The places that the files of environments and modules come from.

use ordain_source::SourceMap;

use crate::forge::Forge;
use crate::git::Mirrors;
use crate::settings::Settings;

/// The places that a deploy reads sources from.
pub(crate) struct Sources<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) mirrors: &'s Mirrors<'s>,
    pub(crate) forge: &'s Forge<'s>,
    pub(crate) texts: &'s SourceMap,
    /// The branch for modules whose desired branch is missing.
    pub(crate) default_branch_override: Option<&'s str>,
}
