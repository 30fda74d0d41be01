//! The supported languages.

use ordain_dynaml::Dynaml;
use ordain_graph::language::Language;
use ordain_inmanta::Inmanta;
use ordain_mcl::Mcl;
use ordain_puppet_tools::Puppet;

/// All languages. If several claim a file, the first one wins.
pub const ALL: &[&dyn Language] = &[&Dynaml, &Mcl::WIDE, &Puppet, &Inmanta];

/// Finds a language by its name on the command line.
///
/// # Errors
/// With the list of known names.
pub fn find(name: &str) -> Result<&'static dyn Language, String> {
    let found = ALL.iter().find(|language| language.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|language| language.name()).collect();
        format!("one of {}", names.join(", "))
    })
}
