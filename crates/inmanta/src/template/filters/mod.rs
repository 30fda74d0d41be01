//! The filters of templates.

use crate::diagnostics::Exception;
pub(super) mod html;
mod json;
mod numbers;
mod pretty;
mod sequences;
mod text;

use ecow::EcoString;

use super::arguments::{Arguments, BoundArguments};
use super::fault::{Fault, Res};
use super::runtime::Runtime;
use super::value::Val;

/// A filter: the name and the parameters of Python's function, the number of leading parameters
/// that the engine supplies, and the implementation.
struct Entry {
    name: &'static str,
    function: &'static str,
    parameters: &'static str,
    skipped: usize,
    run: fn(&mut Runtime<'_>, &BoundArguments, bool) -> Res<Val>,
}

const fn entry(
    name: &'static str,
    function: &'static str,
    parameters: &'static str,
    skipped: usize,
    run: fn(&mut Runtime<'_>, &BoundArguments, bool) -> Res<Val>,
) -> Entry {
    Entry { name, function, parameters, skipped, run }
}

const TABLE: &[Entry] = &[
    entry("attr", "do_attr", "obj, name", 1, sequences::attr),
    entry("batch", "do_batch", "value, linecount, fill_with=", 0, sequences::batch),
    entry("capitalize", "do_capitalize", "s", 0, text::capitalized),
    entry("center", "do_center", "value, width=", 0, text::center),
    entry("d", "do_default", "value, default_value=, boolean=", 0, sequences::default),
    entry("default", "do_default", "value, default_value=, boolean=", 0, sequences::default),
    entry(
        "dictsort",
        "do_dictsort",
        "value, case_sensitive=, by=, reverse=",
        0,
        sequences::dictsort,
    ),
    entry("filesizeformat", "do_filesizeformat", "value, binary=", 0, numbers::file_size),
    entry("first", "sync_do_first", "seq", 1, sequences::first),
    entry("float", "do_float", "value, default=", 0, numbers::float),
    entry("forceescape", "do_forceescape", "value", 0, html::force_escape),
    entry(
        "groupby",
        "sync_do_groupby",
        "value, attribute, default=, case_sensitive=",
        1,
        sequences::groupby,
    ),
    entry("indent", "do_indent", "s, width=, first=, blank=", 0, text::indent),
    entry("int", "do_int", "value, default=, base=", 0, numbers::int),
    entry("items", "do_items", "value", 0, sequences::items),
    entry("join", "sync_do_join", "value, d=, attribute=", 1, sequences::join),
    entry("last", "do_last", "seq", 1, sequences::last),
    entry("list", "sync_do_list", "value", 0, sequences::list),
    entry("lower", "do_lower", "s", 0, text::lower),
    entry("max", "do_max", "value, case_sensitive=, attribute=", 1, sequences::max),
    entry("min", "do_min", "value, case_sensitive=, attribute=", 1, sequences::min),
    entry("pprint", "do_pprint", "value", 0, pretty::pprint),
    entry("random", "do_random", "seq", 1, sequences::random),
    entry("replace", "do_replace", "s, old, new, count=", 1, text::replace),
    entry("reverse", "do_reverse", "value", 0, sequences::reverse),
    entry("round", "do_round", "value, precision=, method=", 0, numbers::round),
    entry("safe", "do_mark_safe", "value", 0, html::safe),
    entry("slice", "sync_do_slice", "value, slices, fill_with=", 0, sequences::slice),
    entry("sort", "do_sort", "value, reverse=, case_sensitive=, attribute=", 1, sequences::sort),
    entry("string", "soft_str", "s", 0, text::string),
    entry("striptags", "do_striptags", "value", 0, html::striptags),
    entry("sum", "sync_do_sum", "iterable, attribute=, start=", 1, sequences::sum),
    entry("title", "do_title", "s", 0, text::title),
    entry("tojson", "do_tojson", "value, indent=", 1, json::tojson),
    entry("trim", "do_trim", "value, chars=", 0, text::trim),
    entry("truncate", "do_truncate", "s, length=, killwords=, end=, leeway=", 1, text::truncate),
    entry("unique", "sync_do_unique", "value, case_sensitive=, attribute=", 1, sequences::unique),
    entry("upper", "do_upper", "s", 0, text::upper),
    entry("urlencode", "do_urlencode", "value", 0, html::urlencode),
    entry(
        "urlize",
        "do_urlize",
        "value, trim_url_limit=, nofollow=, target=, rel=, extra_schemes=",
        1,
        html::urlize,
    ),
    entry("wordcount", "do_wordcount", "s", 0, text::wordcount),
    entry(
        "wordwrap",
        "do_wordwrap",
        "s, width=, break_long_words=, wrapstring=, break_on_hyphens=",
        1,
        text::wordwrap,
    ),
    entry("xmlattr", "do_xmlattr", "d, autospace=", 1, html::xmlattr),
];

/// The filters that bind their arguments themselves.
const OTHERS: &[&str] = &[
    "abs",
    "count",
    "e",
    "escape",
    "format",
    "length",
    "map",
    "reject",
    "rejectattr",
    "select",
    "selectattr",
];

fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name == name)
}

/// The name of the original's wrapper of plugins, for errors.
const WRAPPER: &str = "_get_template_engine.<locals>.curywrapper.<locals>.safewrapper";

/// Whether Jinja has a filter of this name.
pub(super) fn is_own(name: &str) -> bool {
    find(name).is_some() || OTHERS.contains(&name)
}

impl Runtime<'_> {
    pub(super) fn has_filter(&self, name: &str) -> bool {
        is_own(name) || self.plugins.contains_key(name)
    }

    /// Applies a filter whose name is a value.
    pub(super) fn named_filter(
        &mut self,
        name: &Val,
        value: Val,
        arguments: Arguments,
        autoescape: bool,
    ) -> Res<Val> {
        match name.as_text().filter(|name| self.has_filter(name)).cloned() {
            Some(known) => self.filter(&known, value, arguments, autoescape),
            None => {
                let name = self.repr(name)?;
                Err(Fault::Raised(Exception::TemplateRuntime, format!("No filter named {name}.")))
            }
        }
    }

    /// Applies a filter.
    pub(super) fn filter(
        &mut self,
        name: &EcoString,
        value: Val,
        arguments: Arguments,
        autoescape: bool,
    ) -> Res<Val> {
        self.step(4)?;
        if let Some(text) = value.as_text() {
            self.step(text.len() as u64 / 16)?;
        }
        // Plugins replace filters with the same name.
        if let Some(plugin) = self.plugins.get(name).cloned() {
            if let Some((name, _)) = arguments.named.first() {
                return Err(super::arguments::unexpected(WRAPPER, name));
            }
            let arguments = Arguments::before(value, arguments);
            for value in &arguments.positional {
                if let Val::Undefined(found) = value
                    && found.is_strict
                {
                    return Err(found.fault(self));
                }
            }
            return self.plugin(&plugin, arguments);
        }
        match name.as_str() {
            "abs" => {
                let value = Arguments::before(value, arguments).only("abs")?;
                numbers::absolute(&value)
            }
            "count" | "length" => {
                let value = Arguments::before(value, arguments).only("len")?;
                self.length(&value).map(Val::size)
            }
            "e" | "escape" => {
                let value = Arguments::before(value, arguments).only("escape")?;
                self.escaped(&value).map(Val::Markup)
            }
            "format" => text::format(self, value, arguments),
            "map" => self.mapped(value, arguments, autoescape),
            "select" | "reject" | "selectattr" | "rejectattr" => {
                self.selected(name, value, arguments)
            }
            _ => {
                let Some(entry) = find(name) else {
                    let name = crate::value::string_repr(name);
                    let text = format!("No filter named {name} found.");
                    return Err(Fault::Raised(Exception::TemplateRuntime, text));
                };
                let arguments = Arguments::before(value, arguments);
                let bound = arguments.bind(entry.function, entry.parameters, entry.skipped)?;
                (entry.run)(self, &bound, autoescape)
            }
        }
    }
}
