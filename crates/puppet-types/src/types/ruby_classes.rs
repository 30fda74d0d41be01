//! The classes of Ruby that types of the runtime name, with their ancestors.

use ecow::EcoString;

use crate::value::RuntimeObject;

/// The module of everything that the language iterates over.
const ITERABLE: &str = "Puppet::Pops::Types::Iterable";

/// Classes and modules with all that they inherit from, apart from [`ALL`].
const CLASSES: &[(&str, &[&str])] = &[
    ("ArgumentError", &["StandardError", "Exception"]),
    ("Array", &["Enumerable"]),
    ("BigDecimal", &["Numeric", "Comparable"]),
    ("Binding", &[]),
    ("Class", &["Module"]),
    ("Complex", &["Numeric", "Comparable"]),
    ("Date", &["Comparable"]),
    ("DateTime", &["Date", "Comparable"]),
    ("Dir", &["Enumerable"]),
    ("Encoding", &[]),
    ("Enumerator", &["Enumerable"]),
    ("Enumerator::Lazy", &["Enumerator", "Enumerable"]),
    ("Exception", &[]),
    ("FalseClass", &[]),
    ("File", &["IO", "File::Constants", "Enumerable"]),
    ("File::Stat", &["Comparable"]),
    ("Float", &["Numeric", "Comparable"]),
    ("Hash", &["Enumerable"]),
    ("IO", &["File::Constants", "Enumerable"]),
    ("IPAddr", &["Comparable"]),
    ("IndexError", &["StandardError", "Exception"]),
    ("Integer", &["Numeric", "Comparable"]),
    ("KeyError", &["IndexError", "StandardError", "Exception"]),
    ("MatchData", &[]),
    ("Method", &[]),
    ("Module", &[]),
    ("NameError", &["StandardError", "Exception"]),
    ("NilClass", &[]),
    ("NoMethodError", &["NameError", "StandardError", "Exception"]),
    ("Numeric", &["Comparable"]),
    ("Object", &[]),
    ("Pathname", &[]),
    ("Proc", &[]),
    ("Puppet::Error", &["RuntimeError", "StandardError", "Exception"]),
    (
        "Puppet::ParseError",
        &[
            "Puppet::ExternalFileError",
            "Puppet::Error",
            "RuntimeError",
            "StandardError",
            "Exception",
        ],
    ),
    ("Puppet::Pops::Types::HashIterator", &["Puppet::Pops::Types::Iterator", ITERABLE]),
    (
        "Puppet::Pops::Types::IntegerRangeIterator",
        &["Enumerable", "Puppet::Pops::Types::Iterator", ITERABLE],
    ),
    (
        "Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator",
        &["Puppet::Pops::Types::Iterable::TreeIterator", ITERABLE],
    ),
    (
        "Puppet::Pops::Types::Iterable::DepthFirstTreeIterator",
        &["Puppet::Pops::Types::Iterable::TreeIterator", ITERABLE],
    ),
    ("Puppet::Pops::Types::Iterable::TreeIterator", &[ITERABLE]),
    ("Puppet::Pops::Types::Iterator", &[ITERABLE]),
    (
        "Puppet::Pops::Types::StepIterator",
        &["Enumerable", "Puppet::Pops::Types::Iterator", ITERABLE],
    ),
    ("Random", &[]),
    ("Range", &["Enumerable"]),
    ("RangeError", &["StandardError", "Exception"]),
    ("Rational", &["Numeric", "Comparable"]),
    ("Regexp", &[]),
    ("RuntimeError", &["StandardError", "Exception"]),
    ("Set", &["Enumerable"]),
    ("StandardError", &["Exception"]),
    ("String", &["Comparable"]),
    ("StringIO", &["Enumerable"]),
    ("Struct", &["Enumerable"]),
    ("Symbol", &["Comparable"]),
    ("Thread", &[]),
    ("Time", &["Comparable"]),
    ("TrueClass", &[]),
    ("TypeError", &["StandardError", "Exception"]),
    ("UnboundMethod", &[]),
];

/// The ancestors of every class.
const ALL: [&str; 3] = ["Object", "Kernel", "BasicObject"];

/// Whether a class is another or inherits from it; false of classes that are not known.
pub(super) fn inherits(class: &str, from: &str) -> bool {
    if class == from {
        return true;
    }
    let Ok(found) = CLASSES.binary_search_by_key(&class, |(name, _)| name) else { return false };
    ALL.contains(&from) || CLASSES[found].1.contains(&from)
}

/// Whether an object is an instance of a class or module.
#[inline]
pub fn is_a(object: &RuntimeObject, class: &str) -> bool {
    let is = |name: &EcoString| name == class;
    object.class.as_deref().is_some_and(|own| inherits(own, class))
        || object.ancestors.iter().any(is)
}

/// Whether types take instances of a class for something to iterate over.
pub(super) fn is_iterable(class: &str) -> bool {
    class != ITERABLE && inherits(class, ITERABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_sorted_by_name() {
        assert!(CLASSES.is_sorted_by_key(|(name, _)| name));
    }

    #[test]
    fn inheritance() {
        assert!(inherits("Rational", "Numeric") && inherits("Rational", "Object"));
        assert!(!inherits("Numeric", "Rational") && !inherits("Unknown", "Object"));
        assert!(is_iterable("Puppet::Pops::Types::Iterator") && !is_iterable(ITERABLE));
    }
}
