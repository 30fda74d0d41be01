//! `concat_fragment`: a part of a file, which is not changed by itself.

use ordain_data::Value;
use ordain_graph::Resource;
use ordain_kinds::{KindSchema, modules};

use crate::kind::params::reveal;
use crate::kind::params::{Params, scalar};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;

/// The kind `concat_fragment`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConcatFragment;

impl Kind for ConcatFragment {
    fn schema(&self) -> &KindSchema {
        &modules::CONCAT_FRAGMENT
    }

    fn parse(&self, resource: &Resource, context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        check(&mut p);
        let files = (context.of_kind)(modules::CONCAT_FILE.name);
        let is_collected = files.iter().any(|file| collects(file, resource));
        let target = p.text("target").unwrap_or_default();
        // Puppet's own sentence, which does not close the quotes.
        let tag = p.raw("tag").and_then(scalar).map(|tag| format!("or tag '{tag} "));
        let remark = format!(
            "Target Concat_file with path or title '{target}' {}not found in the catalog",
            tag.unwrap_or_default()
        );
        let remark = (!is_collected).then_some(remark);
        p.finish(Box::new(Fragment { remark }) as Box<dyn Instance>)
    }
}

fn check(p: &mut Params<'_>) {
    let is_text = |value: Option<&Value>| matches!(value, None | Some(Value::Str(_)));
    if !is_text(p.raw("target")) {
        p.error("target", "Target must be a String");
    }
    if !is_text(p.raw("content")) && !matches!(p.raw("content"), Some(Value::Bytes(_))) {
        p.error("content", "Content must be a String");
    }
    if !is_text(p.raw("source")) && !matches!(p.raw("source"), Some(Value::List(_))) {
        p.error("source", "Content must be a String or Array");
    }
    match p.raw("order") {
        None | Some(Value::Int(_)) => {}
        Some(Value::Str(order)) if order.contains(['/', ':', '\n']) => {
            p.error("order", "Order cannot contain '/', ':', or '\\n'.");
        }
        Some(Value::Str(_)) => {}
        Some(_) => p.error("order", "$order is not a string or integer."),
    }
    if !p.has("target") && !p.has("tag") {
        p.error_of_all("No 'target' or 'tag' set");
    }
    match (p.has("source"), p.has("content")) {
        (false, false) => p.error_of_all("Set either 'source' or 'content'"),
        (true, true) => p.error_of_all("Can't use 'source' and 'content' at the same time"),
        _ => {}
    }
}

/// Whether a `concat_file` takes a fragment: the fragment names its path or its title, or they have
/// a tag in common.
pub(super) fn collects(file: &Resource, fragment: &Resource) -> bool {
    let value = |of: &Resource, name: &str| of.value(name).map(|value| reveal(value).0.clone());
    let target = value(fragment, "target").and_then(|target| scalar(&target));
    let path = value(file, "path").and_then(|path| scalar(&path));
    let title = file.id.title.as_str();
    let named = target
        .as_deref()
        .is_some_and(|target| target == path.as_deref().unwrap_or(title) || target == title);
    let tagged = || {
        let (own, theirs) = (value(file, "tag")?, value(fragment, "tag")?);
        let has = own.as_list().is_some_and(|all| all.contains(&theirs));
        Some(!theirs.is_null() && (own == theirs || has))
    };
    named || tagged().unwrap_or(false)
}

struct Fragment {
    /// That no file takes it.
    remark: Option<String>,
}

impl Instance for Fragment {
    fn context_fingerprint(&self) -> Option<u64> {
        Some(self.remark.is_some().into())
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remark.iter().cloned().collect()
    }

    fn compare(&self, _: &Host) -> Result<Vec<Change>, KindError> {
        Ok(Vec::new())
    }

    fn apply(&self, _: &Host, _: &[Change]) -> Result<(), KindError> {
        Ok(())
    }
}
