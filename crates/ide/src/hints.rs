//! Texts that editors show in lines: values for the chosen node, and inferred types.

use ordain_mcl::language::bind_types;
use ordain_source::TextRange;

use crate::file::File;
use crate::language::Language;
use crate::puppet::values;
use crate::snapshot::Analysis;
use crate::types::InlayHint;

/// The hints in a range of a file.
pub(crate) fn hints(analysis: &Analysis, file: &File, range: TextRange) -> Vec<InlayHint> {
    match file.language {
        Some(Language::Puppet) => values::hints(analysis, file, range),
        Some(Language::Mcl) => {
            let report = file.checked.as_ref().map(|checked| &checked.report);
            let types = report.map(bind_types).unwrap_or_default().iter();
            let shown = types.filter(|bind| range.start <= bind.at && bind.at <= range.end);
            let hint = |bind: &ordain_mcl::language::BindType| InlayHint {
                offset: bind.at,
                label: ordain_source::shortened(&bind.text).into_owned(),
                tooltip: String::new(),
                is_type: true,
            };
            shown.map(hint).collect()
        }
        _ => Vec::new(),
    }
}
