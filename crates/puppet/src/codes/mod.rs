//! The documentation of the diagnostic codes of parsing, validation, evaluation and lookup. Those of
//! the static checks are documented in the crate of the tools.

mod data;
mod evaluation;
mod models;
mod validation;

use ordain_source::CodeDoc;

const LISTS: [&[CodeDoc]; 5] = [
    ordain_puppet_syntax::codes::DOCS,
    validation::DOCS,
    evaluation::DOCS,
    models::DOCS,
    data::DOCS,
];

const COUNT: usize =
    LISTS[0].len() + LISTS[1].len() + LISTS[2].len() + LISTS[3].len() + LISTS[4].len();

/// All codes with their meaning.
pub const CODES: &[CodeDoc] = &joined();

const fn joined() -> [CodeDoc; COUNT] {
    let mut all = [LISTS[0][0]; COUNT];
    let (mut list, mut from, mut to) = (0, 0, 0);
    while list < LISTS.len() {
        while from < LISTS[list].len() {
            all[to] = LISTS[list][from];
            (from, to) = (from + 1, to + 1);
        }
        (list, from) = (list + 1, 0);
    }
    all
}

/// Whether an issue is one of types with features or of invariants.
pub(crate) fn is_of_model(issue: &str) -> bool {
    let code = crate::syntax::code_of(issue);
    models::DOCS.iter().any(|doc| doc.code == code)
}
