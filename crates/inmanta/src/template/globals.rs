//! The global functions of templates.

use std::cell::{Cell, RefCell};

use ordain_functions::text::capitalize;

use super::arguments::{Arguments, unexpected};
use super::fault::{Fault, Res, type_error, value_error};
use super::runtime::Runtime;
use super::value::{Object, Val};
use crate::diagnostics::Exception;

/// The words of `lipsum`.
const WORDS: &[&str] = &[
    "ac", "ad", "amet", "ante", "arcu", "at", "auctor", "blandit", "commodo", "cras", "cum",
    "curae", "dapibus", "diam", "dolor", "donec", "dui", "egestas", "elit", "enim", "erat", "est",
    "et", "euismod", "facilisi", "fames", "felis", "fusce", "gravida", "hac", "iaculis", "id",
    "in", "ipsum", "justo", "lacus", "laoreet", "lectus", "leo", "libero", "ligula", "lorem",
    "luctus", "magna", "massa", "mattis", "mauris", "metus", "mi", "mollis", "morbi", "nam", "nec",
    "neque", "nibh", "nisi", "non", "nulla", "nunc", "odio", "orci", "ornare", "pede", "porta",
    "purus", "quam", "quis", "risus", "rutrum", "sapien", "sed", "sem", "sit", "sociis", "tellus",
    "tempor", "tortor", "turpis", "urna", "ut", "varius", "velit", "vitae", "vivamus",
];

impl Runtime<'_> {
    /// A random number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // The state changes even if the `World` always returns the same random number.
        let fresh = self.model.world().random() | 1;
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(fresh);
        ((self.random >> 33) % (limit.max(1) as u64)) as usize
    }

    pub(super) fn global(&mut self, name: &str, arguments: Arguments) -> Res<Val> {
        match name {
            "range" => {
                arguments.no_keywords("range")?;
                range(&arguments.between("range", 1, 3)?)
            }
            "dict" => self.new_dict("dict", arguments).map(Val::dict),
            "namespace" => {
                let entries = self.new_dict("dict", arguments)?;
                Ok(Val::object(Object::Namespace(RefCell::new(entries))))
            }
            "cycler" => {
                if let Some((name, _)) = arguments.named.first() {
                    return Err(unexpected("Cycler.__init__", name));
                }
                if arguments.positional.is_empty() {
                    let text = "at least one item has to be provided";
                    return Err(Fault::Raised(Exception::RuntimeError, text.into()));
                }
                let (items, position) = (arguments.positional, Cell::new(0));
                Ok(Val::object(Object::Cycler { items, position }))
            }
            "joiner" => {
                let bound = arguments.bind("Joiner.__init__", "sep=", 1)?;
                let separator = bound.get(0).cloned().unwrap_or_else(|| Val::str(", "));
                Ok(Val::object(Object::Joiner { separator, is_used: Cell::new(false) }))
            }
            _ => self.lipsum(arguments),
        }
    }

    fn lipsum(&mut self, arguments: Arguments) -> Res<Val> {
        let bound = arguments.bind("generate_lorem_ipsum", "n=, html=, min=, max=", 0)?;
        let number = |at: usize, default: i64| bound.get(at).map_or(Ok(default), Val::as_index);
        let (count, least, most) = (number(0, 5)?, number(2, 20)?, number(3, 100)?);
        let is_html = match bound.get(1) {
            Some(value) => self.truth(value)?,
            None => true,
        };
        if most <= least {
            return Err(value_error(format!("empty range in randrange({least}, {most})")));
        }
        let mut paragraphs = Vec::new();
        for _ in 0..count {
            let size = least.max(0) as usize + self.below((most - least) as usize);
            self.items_fit(size)?;
            self.step(size as u64)?;
            let paragraph = self.paragraph(size);
            self.text_fits(paragraph.len())?;
            paragraphs.push(paragraph);
        }
        if !is_html {
            return Ok(Val::str(paragraphs.join("\n\n")));
        }
        let paragraphs: Vec<String> =
            paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
        Ok(Val::Markup(paragraphs.join("\n").into()))
    }

    fn paragraph(&mut self, size: usize) -> String {
        let mut text = String::new();
        let mut is_first = true;
        let (mut comma, mut stop) = (0, 0);
        let mut last = "";
        for index in 0..size {
            let mut word = WORDS[self.below(WORDS.len())];
            while word == last {
                word = WORDS[self.below(WORDS.len())];
            }
            last = word;
            text.push_str(if index > 0 { " " } else { "" });
            text.push_str(&if is_first { capitalize(word) } else { word.to_owned() });
            is_first = false;
            if index > comma + 3 + self.below(5) {
                comma = index;
                stop += 2;
                text.push(',');
            }
            if index > stop + 10 + self.below(10) {
                (comma, stop) = (index, index);
                text.push('.');
                is_first = true;
            }
        }
        let text = text.trim_end_matches([',', '.']);
        format!("{text}.")
    }
}

fn range(arguments: &[Val]) -> Res<Val> {
    let number = |value: &Val| match value {
        Val::Big(_) => {
            let text = "Python int too large to convert to C ssize_t";
            Err(Fault::Raised(Exception::OverflowError, text.into()))
        }
        _ => value.as_small().ok_or_else(|| {
            let class = value.type_name();
            type_error(format!("'{class}' object cannot be interpreted as an integer"))
        }),
    };
    let numbers: Res<Vec<i64>> = arguments.iter().map(number).collect();
    let (start, stop, step) = match numbers?[..] {
        [stop] => (0, stop, 1),
        [start, stop] => (start, stop, 1),
        [start, stop, step, ..] => (start, stop, step),
        [] => (0, 0, 1),
    };
    if step == 0 {
        return Err(value_error("range() arg 3 must not be zero"));
    }
    Ok(Val::object(Object::Range { start, stop, step }))
}
