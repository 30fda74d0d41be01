//! The expectations of a test.

use ordain_data::Value;
use ordain_source::{Diagnostic, Span};
use regex::Regex;

use crate::document::Item;

/// The settings of `expect`.
const SETTINGS: [&str; 8] =
    ["resources", "absent", "count", "order", "values", "error", "warnings", "snapshot"];

/// A condition on a value.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// It equals this value.
    Equal(Value),
    /// It is not set.
    Absent,
    /// It is set.
    Present,
    /// The text matches.
    Matches(Regex),
    /// The text contains this one, or the list this item.
    Contains(Value),
    /// The text has these lines, in any order.
    Lines(Vec<String>),
    /// It equals one of these.
    OneOf(Vec<Value>),
    /// Another condition does not hold.
    Not(Box<Matcher>),
}

/// A resource that has to be there.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedResource {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, Matcher, Option<Span>)>,
    pub(crate) span: Option<Span>,
}

/// A chain such as `Package[a] -> File[b] ~> Service[c]`.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedOrder {
    pub(crate) first: String,
    /// The further resources, each with whether the one before notifies it.
    pub(crate) rest: Vec<(bool, String)>,
    pub(crate) span: Option<Span>,
}

/// All expectations of a test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expect {
    pub(crate) resources: Vec<ExpectedResource>,
    pub(crate) absent: Vec<(String, Option<Span>)>,
    /// The number of resources of a kind.
    pub(crate) count: Vec<(String, i64, Option<Span>)>,
    pub(crate) order: Vec<ExpectedOrder>,
    /// Values of a merged document, by path.
    pub(crate) values: Vec<(String, Matcher, Option<Span>)>,
    pub(crate) error: Option<(Matcher, Option<Span>)>,
    pub(crate) warnings: Vec<(Matcher, Option<Span>)>,
    /// The name of the snapshot.
    pub(crate) snapshot: Option<(String, Option<Span>)>,
}

impl Expect {
    /// Reads `expect`.
    pub(crate) fn read(item: &Item<'_>) -> Result<Self, Box<Diagnostic>> {
        item.check_keys(&SETTINGS)?;
        let mut expect = Self::default();
        if let Some(resources) = item.get("resources") {
            expect.resources = read_resources(&resources)?;
        }
        for name in item.get("absent").iter().flat_map(Item::items) {
            expect.absent.push((reference(&name, name.text()?)?, name.span()));
        }
        if let Some(count) = item.get("count") {
            for (kind, number) in count.entries()? {
                let wrong = || number.error(format!("the number of {kind} has to be an integer"));
                let wanted = number.value.as_int().ok_or_else(wrong)?;
                expect.count.push((kind, wanted, number.span()));
            }
        }
        for chain in item.get("order").iter().flat_map(Item::items) {
            expect.order.push(read_order(&chain)?);
        }
        if let Some(values) = item.get("values") {
            for (path, value) in values.entries()? {
                expect.values.push((path, read_matcher(&value)?, value.span()));
            }
        }
        if let Some(error) = item.get("error") {
            expect.error = Some((read_message(&error)?, error.span()));
        }
        for warning in item.get("warnings").iter().flat_map(Item::items) {
            expect.warnings.push((read_message(&warning)?, warning.span()));
        }
        if let Some(name) = item.get("snapshot") {
            let text = name.text()?;
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            if text.is_empty() || text.starts_with('.') || !text.chars().all(is_name) {
                return Err(name.error("the name of a snapshot has letters, digits, `-`, `_`, `.`"));
            }
            expect.snapshot = Some((text.to_owned(), name.span()));
        }
        Ok(expect)
    }

    /// Whether nothing is expected, so the test only says that the source compiles.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let resources = self.resources.iter().map(|resource| resource.name.as_str());
        let orders = self.order.iter().flat_map(|order| {
            std::iter::once(order.first.as_str()).chain(order.rest.iter().map(|(_, n)| n.as_str()))
        });
        resources.chain(orders)
    }
}

/// The resources: a map from names to attributes, or a list of names.
fn read_resources(item: &Item<'_>) -> Result<Vec<ExpectedResource>, Box<Diagnostic>> {
    if item.value.as_map().is_none() {
        let one = |name: &Item<'_>| {
            let (attributes, span) = (Vec::new(), name.span());
            Ok(ExpectedResource { name: reference(name, name.text()?)?, attributes, span })
        };
        return item.items().iter().map(one).collect();
    }
    let one = |(name, attributes): (String, Item<'_>)| {
        let span = attributes.span();
        let name = reference(&attributes, &name)?;
        let attribute =
            |(name, value): (String, Item<'_>)| Ok((name, read_matcher(&value)?, value.span()));
        let attributes = attributes.entries()?.into_iter().map(attribute);
        let attributes = attributes.collect::<Result<_, Box<Diagnostic>>>()?;
        Ok(ExpectedResource { name, attributes, span })
    };
    item.entries()?.into_iter().map(one).collect()
}

/// Checks the form of a resource's name.
fn reference(item: &Item<'_>, text: &str) -> Result<String, Box<Diagnostic>> {
    let is_name = text
        .split_once('[')
        .is_some_and(|(kind, rest)| !kind.is_empty() && rest.len() > 1 && rest.ends_with(']'));
    match is_name {
        true => Ok(text.to_owned()),
        false => Err(item.error(format!("`{text}` is no resource: it has to be Kind[title]"))),
    }
}

fn read_order(item: &Item<'_>) -> Result<ExpectedOrder, Box<Diagnostic>> {
    let text = item.text()?;
    let wrong =
        || item.error(format!("`{text}` is no order: it has to be Kind[title] -> Kind[title]"));
    // An arrow inside of a title has no bracket before it.
    let mut rest = text;
    let mut next = || {
        let arrow = ["] -> ", "] ~> "].into_iter().filter_map(|arrow| rest.find(arrow)).min();
        let (name, other) = match arrow {
            Some(at) => (&rest[..=at], Some((&rest[at + 2..at + 4] == "~>", &rest[at + 5..]))),
            None => (rest, None),
        };
        rest = other.map_or("", |(_, after)| after);
        (name, other.map(|(notifies, _)| notifies))
    };
    let (first, mut arrow) = next();
    let first = reference(item, first.trim())?;
    let mut names = Vec::new();
    while let Some(notifies) = arrow {
        let (name, following) = next();
        names.push((notifies, reference(item, name.trim())?));
        arrow = following;
    }
    if names.is_empty() {
        return Err(wrong());
    }
    Ok(ExpectedOrder { first, rest: names, span: item.span() })
}

/// A condition on a value: the value itself, or a map with the name of a condition.
fn read_matcher(item: &Item<'_>) -> Result<Matcher, Box<Diagnostic>> {
    let Some(map) = item.value.as_map().filter(|map| map.len() == 1) else {
        return Ok(match item.value {
            Value::Null => Matcher::Absent,
            value => Matcher::Equal(value.clone()),
        });
    };
    let Some(name) = map.keys().next().and_then(Value::as_str) else {
        return Ok(Matcher::Equal(item.value.clone()));
    };
    let Some(inner) = item.get(name) else {
        return Ok(Matcher::Equal(item.value.clone()));
    };
    let truth = || {
        let wrong = || inner.error(format!("`{name}` has to be true or false"));
        inner.value.as_bool().ok_or_else(wrong)
    };
    Ok(match name {
        "equals" => Matcher::Equal(inner.value.clone()),
        "absent" => {
            if truth()? {
                Matcher::Absent
            } else {
                Matcher::Present
            }
        }
        "present" => {
            if truth()? {
                Matcher::Present
            } else {
                Matcher::Absent
            }
        }
        "matches" => Matcher::Matches(regex(&inner)?),
        "contains" => Matcher::Contains(inner.value.clone()),
        "lines" => Matcher::Lines(inner.texts()?),
        "one_of" => Matcher::OneOf(inner.items().iter().map(|item| item.value.clone()).collect()),
        "not" => Matcher::Not(Box::new(read_matcher(&inner)?)),
        _ => Matcher::Equal(item.value.clone()),
    })
}

/// A condition on a message: a part of it, or a map with the name of a condition.
fn read_message(item: &Item<'_>) -> Result<Matcher, Box<Diagnostic>> {
    match item.value {
        Value::Str(_) => Ok(Matcher::Contains(item.value.clone())),
        _ => read_matcher(item),
    }
}

fn regex(item: &Item<'_>) -> Result<Regex, Box<Diagnostic>> {
    Regex::new(item.text()?).map_err(|error| item.error(format!("this is no pattern: {error}")))
}
