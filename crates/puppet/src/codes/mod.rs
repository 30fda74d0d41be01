//! The documentation of every diagnostic code of the language.

mod data;
mod evaluation;
mod modelled;
mod repository;
mod validation;

use ordain_source::CodeDoc;

const LISTS: [&[CodeDoc]; 6] = [
    ordain_puppet_syntax::codes::DOCS,
    validation::DOCS,
    evaluation::DOCS,
    modelled::DOCS,
    data::DOCS,
    repository::DOCS,
];

const COUNT: usize = LISTS[0].len()
    + LISTS[1].len()
    + LISTS[2].len()
    + LISTS[3].len()
    + LISTS[4].len()
    + LISTS[5].len();

/// All codes with what they mean.
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
    modelled::DOCS.iter().any(|doc| doc.code == code)
}
