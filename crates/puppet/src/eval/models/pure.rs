//! The functions that code of a type may call: those that do nothing but give a value.

/// In order.
const PURE: &[&str] = &[
    "abs",
    "all",
    "any",
    "assert_type",
    "break",
    "call",
    "camelcase",
    "capitalize",
    "ceiling",
    "chomp",
    "chop",
    "collect",
    "compare",
    "convert_to",
    "dig",
    "downcase",
    "each",
    "empty",
    "fail",
    "filter",
    "flatten",
    "floor",
    "get",
    "group_by",
    "index",
    "is_set",
    "join",
    "keys",
    "length",
    "lest",
    "lstrip",
    "map",
    "match",
    "max",
    "md5",
    "min",
    "new",
    "next",
    "not",
    "partition",
    "reduce",
    "regsubst",
    "reject",
    "return",
    "reverse_each",
    "round",
    "rstrip",
    "scanf",
    "select",
    "sha1",
    "sha256",
    "shellquote",
    "size",
    "slice",
    "sort",
    "split",
    "sprintf",
    "step",
    "strip",
    "then",
    "tree_each",
    "type",
    "unique",
    "unwrap",
    "upcase",
    "values",
    "versioncmp",
    "with",
];

/// Old names of functions that iterate, which only code of types has.
pub(crate) const ALIASES: [(&str, &str); 2] = [("collect", "map"), ("select", "filter")];

/// Whether code of a type may call a function.
pub(crate) fn is_pure(name: &str) -> bool {
    PURE.binary_search(&name.strip_prefix("::").unwrap_or(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(PURE.is_sorted());
        assert!(is_pure("map") && !is_pure("notice"));
    }
}
