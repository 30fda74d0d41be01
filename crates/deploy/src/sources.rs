//! The places that the files of environments and modules come from.

use ordain_source::SourceMap;

use crate::forge::Forge;
use crate::git::Mirrors;
use crate::settings::Settings;

/// The places that a deploy reads sources from.
pub(crate) struct Sources<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) mirrors: Mirrors<'s>,
    pub(crate) forge: Forge<'s>,
    pub(crate) texts: &'s SourceMap,
    /// The branch for modules whose desired branch is missing.
    pub(crate) default_branch_override: Option<&'s str>,
}

impl<'s> Sources<'s> {
    /// The sources with these settings. `texts` receives the files that diagnostics refer to.
    pub(crate) fn new(
        settings: &'s Settings,
        default_branch_override: Option<&'s str>,
        texts: &'s SourceMap,
    ) -> Self {
        let mirrors = Mirrors::new(&settings.cache, &settings.git);
        Self { settings, mirrors, forge: Forge::new(settings), texts, default_branch_override }
    }
}
