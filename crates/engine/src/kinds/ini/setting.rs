//! `ini_setting`: a setting of an ini file.

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, modules};

use crate::kind::differences::{Differences, texts};
use crate::kind::params::Params;
use crate::kind::params::reveal;
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::ini::document::{Indent, Syntax, strip};
use crate::kinds::ini::file::{IniFile, ValueDisplay};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind `ini_setting`.
#[derive(Clone, Copy, Debug, Default)]
pub struct IniSetting;

impl Kind for IniSetting {
    fn schema(&self) -> &KindSchema {
        &modules::INI_SETTING
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["ruby"], &[]);
        let present = p.choice("ensure") != Some("absent");
        let path = p.path();
        let separator = p.text_or("key_val_separator", " = ");
        let (prefix, suffix) = (p.text_or("section_prefix", "["), p.text_or("section_suffix", "]"));
        let syntax = Syntax::new(&separator, &prefix, &suffix);
        let syntax = syntax.map_err(|e| p.error("key_val_separator", e));
        let setting = p.text("setting");
        let values = values(&mut p);
        if setting.is_none() && values.is_some() {
            p.error("value", "value needs setting");
        }
        let width = p.text("indent_width").map(|width| leading_number(&width));
        let indent = Indent { unit: p.text_or("indent_char", " "), width };
        let padded = setting.as_ref().is_some_and(|setting| strip(setting) != setting);
        let is_whole_section = setting.is_none() && !present;
        let (creates_section, refresh_only) =
            (p.boolean_or("force_new_section_creation", true), p.boolean_or("refreshonly", false));
        let (section, shown) = (p.text_or("section", ""), ValueDisplay::of(&mut p));
        let secrets = p.secrets();
        let Ok(syntax) = syntax else { return Err(p.finish(()).err().unwrap_or_default()) };
        let instance = IniSettingInstance {
            file: IniFile { path, syntax },
            present,
            section,
            setting: setting.map(|setting| strip(&setting).to_string()),
            values,
            creates_section,
            indent,
            shown,
            refresh_only,
            padded,
            is_whole_section,
            secrets,
        };
        p.finish(Box::new(instance) as Box<dyn Instance>)
    }
}

/// The values, as the type keeps them.
fn values(p: &mut Params<'_>) -> Option<Vec<String>> {
    let is_text = |p: &Params<'_>| match p.raw("value") {
        Some(Value::List(items)) => items.iter().all(|item| reveal(item).0.as_str().is_some()),
        other => other.and_then(Value::as_str).is_some(),
    };
    let blanks = is_text(p);
    let values = p.list("value")?;
    if values.iter().any(|value| value.contains('\n')) {
        p.error("value", "value must be one line");
    }
    let value = |value: String| if blanks { strip(&value).to_string() } else { value };
    Some(values.into_iter().map(value).collect())
}

/// The number that a text begins with, as Ruby reads it; at most a thousand.
pub(super) fn leading_number(text: &str) -> usize {
    let digits: String = strip(text).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0).min(1000)
}

struct IniSettingInstance {
    file: IniFile,
    present: bool,
    section: String,
    setting: Option<String>,
    values: Option<Vec<String>>,
    creates_section: bool,
    indent: Indent,
    shown: ValueDisplay,
    refresh_only: bool,
    /// Whether the name of the setting was written with blanks around it.
    padded: bool,
    /// Whether a section shall be removed, which the type cannot do.
    is_whole_section: bool,
    secrets: Vec<String>,
}

impl IniSettingInstance {
    fn set(&self, host: &Host) -> Result<(), KindError> {
        // A setting without a value is an empty one.
        let empty = [String::new()];
        let values = self.values.as_deref().unwrap_or(&empty);
        let setting = self.setting.as_deref().map(|setting| (setting, values));
        self.file.edit(host, |document| document.set(&self.section, setting, &self.indent))
    }

    fn remove(&self, host: &Host) -> Result<(), KindError> {
        let Some(setting) = &self.setting else { return Ok(()) };
        self.file.edit(host, |document| document.remove(&self.section, setting))
    }
}

impl Instance for IniSettingInstance {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let parent = self.file.path.parent().unwrap_or(&self.file.path).to_string_lossy();
        vec![ResourceRef { kind: "File".into(), title: parent.as_ref().into() }]
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.file.path.clone())]
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        let padded = "Settings should not have spaces in the value, we are going to strip the \
                      whitespace";
        let section = "A section cannot be removed as a whole; name its settings";
        let all = [(self.padded, padded), (self.is_whole_section, section)];
        all.iter().filter(|(is, _)| *is).map(|(_, text)| (*text).to_string()).collect()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        if self.refresh_only || self.is_whole_section {
            return Ok(Vec::new());
        }
        let document = self.file.read(host)?;
        let has_section = document.has_section(&self.section);
        let now = match &self.setting {
            Some(setting) => document.values(&self.section, setting)?,
            None => Vec::new(),
        };
        let is_there = if self.setting.is_some() { !now.is_empty() } else { has_section };
        let mut to = Differences::new(&self.secrets);
        match (is_there, self.present) {
            (true, false) => to.remove(Value::str("present"), "absent", "removed"),
            (false, true) if has_section || self.creates_section || self.setting.is_none() => {
                to.create("absent", Value::str("present"));
            }
            (true, true) => {
                let wanted = self.values.as_ref().filter(|wanted| **wanted != now);
                let value = |values: &[String]| match values {
                    [one] => Value::str(one.as_str()),
                    all => texts(all),
                };
                if let Some(wanted) = wanted {
                    self.shown.differ(&mut to, value(&now), value(wanted));
                }
            }
            _ => {}
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        match (changes.is_empty(), self.present) {
            (true, _) => Ok(()),
            (false, true) => self.set(host),
            (false, false) => self.remove(host),
        }
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        match (self.refresh_only, self.present) {
            (false, _) => Ok(()),
            (true, true) => self.set(host),
            (true, false) => self.remove(host),
        }
    }
}
