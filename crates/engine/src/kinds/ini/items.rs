//! The value of a setting as a list of items, such as the options of a command line.

use ordain_functions::regex::{Dialect, Regex, compile};

use crate::kind::KindError;
use crate::kinds::ini::document::strip;

/// The notation of the items.
pub(super) struct ItemSyntax {
    separator: String,
    /// Between the name of an item and its value.
    assign: String,
    quote: String,
    item: Regex,
}

impl ItemSyntax {
    /// The notation with these texts.
    ///
    /// # Errors
    /// When the separator makes no regular expression, of which it is a part.
    pub(super) fn new(separator: &str, assign: &str, quote: &str) -> Result<Self, String> {
        let item = compile(Dialect::Ruby, &format!(r"(?:(?:[^\{separator}]|\.)+)"));
        let item = item.map_err(|e| e.to_string())?;
        let (separator, assign, quote) = (separator.into(), assign.into(), quote.into());
        Ok(Self { separator, assign, quote, item })
    }
}

/// The place of a new item.
pub(super) enum Insertion {
    Start,
    End,
    Before(String),
    After(String),
    Index(i64),
}

/// The items of a value.
pub(super) struct Items<'s> {
    syntax: &'s ItemSyntax,
    quote: String,
    items: Vec<String>,
    /// Whether an item has to be equal to its name.
    exact: bool,
}

impl<'s> Items<'s> {
    /// The items of a value; none of a setting that is missing.
    pub(super) fn parse(
        syntax: &'s ItemSyntax,
        value: Option<&str>,
        exact: bool,
    ) -> Result<Self, KindError> {
        let mut items = Self { syntax, quote: syntax.quote.clone(), items: Vec::new(), exact };
        // A carriage return ends the line; with it a quoted value would not be seen as quoted.
        let Some(value) = value.map(|value| value.trim_end_matches('\r')) else {
            return Ok(items);
        };
        let is_quoted = |quote: &str| value.starts_with(quote) && value.ends_with(quote);
        let mut bare = value;
        if let Some(quote) = ["\"", "'"].into_iter().find(|quote| is_quoted(quote)) {
            items.quote = quote.into();
            bare = value.get(1..value.len() - 1).unwrap_or_default();
        }
        for found in syntax.item.captures_iter(bare) {
            let found = found.map_err(|e| KindError::new(e.to_string()))?;
            items.items.push(strip(&bare[found.whole()]).to_string());
        }
        Ok(items)
    }

    /// The whole value.
    pub(super) fn text(&self) -> String {
        let Self { quote, items, .. } = self;
        format!("{quote}{}{quote}", items.join(&self.syntax.separator))
    }

    fn is(&self, item: &str, name: &str, exact: bool) -> bool {
        let assign = &self.syntax.assign;
        match exact {
            true => item == name,
            false => item.strip_prefix(name).is_some_and(|rest| rest.starts_with(assign.as_str())),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.items.iter().position(|item| self.is(item, name, self.exact))
    }

    /// Whether there is an item of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The value of the first item that begins with this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let item = self.items.iter().find(|item| self.is(item, name, false))?;
        item.get(name.len() + self.syntax.assign.len()..)
    }

    /// Gives all items of this name a value, or adds one.
    pub(super) fn set(
        &mut self,
        name: &str,
        value: &str,
        place: &Insertion,
    ) -> Result<(), KindError> {
        let new = format!("{name}{}{value}", self.syntax.assign);
        if self.has(name) {
            for at in 0..self.items.len() {
                if self.is(&self.items[at], name, self.exact) {
                    self.items[at].clone_from(&new);
                }
            }
            return Ok(());
        }
        let len = self.items.len();
        let at = match place {
            Insertion::Start => 0,
            Insertion::End => len,
            Insertion::Before(other) => self.position(other).unwrap_or(len),
            Insertion::After(other) => self.position(other).map_or(len, |at| at + 1),
            Insertion::Index(at) => place_of(*at, len)?,
        };
        self.items.insert(at, new);
        Ok(())
    }

    /// Takes all items of this name out.
    pub(super) fn remove(&mut self, name: &str) {
        let gone: Vec<bool> =
            self.items.iter().map(|item| self.is(item, name, self.exact)).collect();
        let mut gone = gone.into_iter();
        self.items.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// The place for a number; negative ones count from the end.
fn place_of(number: i64, len: usize) -> Result<usize, KindError> {
    if let Ok(at) = usize::try_from(number) {
        return Ok(at.min(len));
    }
    let from_end = usize::try_from(number.unsigned_abs() - 1).ok();
    let at = from_end.and_then(|back| len.checked_sub(back));
    at.ok_or_else(|| KindError::new(format!("index {number} too small; there are {len} items")))
}
