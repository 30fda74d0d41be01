//! The places of values in data files.

use crate::catalog::DataPlace;
use crate::error::Step;
use crate::hiera::text::read_text;
use crate::state::Compiler;
use ordain_data::yaml::Tree;
use ordain_source::Span;
use std::path::Path;

impl Compiler<'_> {
    /// The place of a value in data. The file is read again, because only errors need the place.
    pub(crate) fn data_place(&self, place: &DataPlace) -> Option<Span> {
        self.data_part(place, &[])
    }

    /// As [`Compiler::data_place`], for the part of the value at a path.
    pub(crate) fn data_part(&self, place: &DataPlace, steps: &[Step]) -> Option<Span> {
        let path = Path::new(place.file.as_str());
        let text = read_text(self.env.world.as_ref(), path).ok()?;
        let tree = Tree::parse(&text).ok()?;
        let steps = steps.iter().map(|step| match step {
            Step::Item(item) => item.to_string(),
            Step::Value(key) | Step::Key(key) => key.to_string(),
        });
        let keys: Vec<String> = std::iter::once(place.key.to_string()).chain(steps).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        // The value may be merged from several files, or be missing there.
        let range = (1..=keys.len()).rev().find_map(|count| tree.find(&keys[..count]))?;
        Some(range.in_file(self.env.sources.add(path, text)))
    }
}
