//! The diagnostic of this crate.

use ordain_source::CodeDoc;

/// Environments or modules cannot be deployed.
pub const DEPLOY: &str = "ordain::deploy";

/// The documentation of the code.
pub const DOCS: &[CodeDoc] = &[CodeDoc {
    code: DEPLOY,
    summary: "environments or modules cannot be deployed, or a setting has no effect",
    details: "As an error: a setting or a declaration is wrong, such as `mod 'ntp', :git => URL` \
              without a `:ref`; git or the Forge reports an error; or the Puppetfile needs more \
              of Ruby than Ordain runs. The message has the file and the line. The environment \
              keeps its revision, others are deployed. If a control repository cannot be read, \
              nothing is changed at all. As a warning: a setting is unknown or has no effect, a \
              branch was renamed or left out, or `ordain deploy puppetfile` leaves a module as it \
              is, because somebody edited it.",
}];
