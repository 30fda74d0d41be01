//! The languages that the verbs know.

use ordain_dynaml::Dynaml;
use ordain_graph::language::Language;
use ordain_inmanta::Inmanta;
use ordain_mcl::Mcl;
use ordain_puppet::Puppet;

/// All of them. Where several claim a file, the first one has it.
pub const ALL: &[&dyn Language] = &[&Dynaml, &Mcl::WIDE, &Puppet, &Inmanta];

/// The one of a name on the command line.
///
/// # Errors
/// With what can be said instead.
pub fn find(name: &str) -> Result<&'static dyn Language, String> {
    let found = ALL.iter().find(|language| language.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|language| language.name()).collect();
        format!("one of {}", names.join(", "))
    })
}
