//! `ini_subsetting`: an item in the value of a setting of an ini file.

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::ini::document::{Document, Indent, Syntax};
use crate::kinds::ini::file::{IniFile, ValueDisplay};
use crate::kinds::ini::items::{Insertion, ItemSyntax, Items};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind `ini_subsetting`.
#[derive(Clone, Copy, Debug, Default)]
pub struct IniSubsetting;

impl Kind for IniSubsetting {
    fn schema(&self) -> &KindSchema {
        &modules::INI_SUBSETTING
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["ruby"], &[]);
        let present = p.choice("ensure") != Some("absent");
        let path = p.path();
        let separator = p.text_or("key_val_separator", " = ");
        let syntax = Syntax::new(&separator, "[", "]");
        let syntax = syntax.map_err(|e| p.error("key_val_separator", e));
        let items = item_syntax(&mut p);
        let setting = required(&mut p, "setting");
        let subsetting = required(&mut p, "subsetting");
        let value = p.text("value");
        if value.as_ref().is_some_and(|value| value.contains('\n')) {
            p.error("value", "value must be one line");
        }
        let (section, exact) =
            (p.text_or("section", ""), p.choice("use_exact_match") == Some("true"));
        let (place, shown) = (insertion(&mut p), ValueDisplay::of(&mut p));
        let secrets = p.secrets();
        let (Ok(syntax), Some(items)) = (syntax, items) else {
            return Err(p.finish(()).err().unwrap_or_default());
        };
        let file = IniFile { path, syntax };
        let instance = IniSubsettingInstance {
            file,
            items,
            present,
            section,
            setting,
            subsetting,
            value,
            exact,
            place,
            shown,
            secrets,
        };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }
}

fn required(p: &mut Params<'_>, name: &str) -> String {
    let text = p.text(name);
    if text.is_none() {
        p.error(name, format!("{name} is a required attribute"));
    }
    text.unwrap_or_default()
}

fn item_syntax(p: &mut Params<'_>) -> Option<ItemSyntax> {
    let separator = p.text("subsetting_separator").unwrap_or_else(|| " ".into());
    let assign = p.text("subsetting_key_val_separator").unwrap_or_default();
    let quote = p.text("quote_char").unwrap_or_default();
    if !["", "\"", "'"].contains(&quote.as_str()) {
        p.error("quote_char", r#":quote_char valid values are '', '"' and "'""#);
    }
    let syntax = ItemSyntax::new(&separator, &assign, &quote);
    syntax.map_err(|e| p.error("subsetting_separator", e)).ok()
}

fn insertion(p: &mut Params<'_>) -> Insertion {
    let value = p.text("insert_value");
    let kind = p.choice("insert_type").unwrap_or("end");
    let number = value.as_deref().and_then(|value| value.trim().parse().ok()).unwrap_or(0);
    let name = || value.clone().unwrap_or_default();
    match kind {
        "start" => Insertion::Start,
        "before" => Insertion::Before(name()),
        "after" => Insertion::After(name()),
        "index" => Insertion::Index(number),
        _ => Insertion::End,
    }
}

struct IniSubsettingInstance {
    file: IniFile,
    items: ItemSyntax,
    present: bool,
    section: String,
    setting: String,
    subsetting: String,
    value: Option<String>,
    exact: bool,
    place: Insertion,
    shown: ValueDisplay,
    secrets: Vec<String>,
}

impl IniSubsettingInstance {
    fn read(&self, document: &Document<'_>) -> Result<Items<'_>, KindError> {
        let values = document.values(&self.section, &self.setting)?;
        Items::parse(&self.items, values.first().map(String::as_str), self.exact)
    }
}

impl Instance for IniSubsettingInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.file.path.clone())]
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let items = self.read(&self.file.read(host)?)?;
        let mut to = Differences::new(&self.secrets);
        let exists = items.has(&self.subsetting).then(|| items.get(&self.subsetting));
        if let Some(now) = to.ensure(exists, self.present)
            && let Some(wanted) = self.value.as_deref().filter(|wanted| Some(*wanted) != now)
        {
            let now = now.map_or(Value::Null, Value::str);
            self.shown.differ(&mut to, now, Value::str(wanted));
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.file.edit(host, |document| {
            let mut items = self.read(document)?;
            if self.present {
                let value = self.value.as_deref().unwrap_or_default();
                items.set(&self.subsetting, value, &self.place)?;
            } else {
                items.remove(&self.subsetting);
            }
            let text = items.text();
            // The provider does so whatever `delete_if_empty` says.
            if !self.present && text.is_empty() {
                return document.remove(&self.section, &self.setting);
            }
            let indent = Indent { unit: " ".into(), width: None };
            document.set(&self.section, Some((&self.setting, &[text])), &indent)
        })
    }
}
