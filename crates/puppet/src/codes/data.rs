//! Findings of Hiera in its configuration and data.

use ordain_source::CodeDoc;

pub(super) const DOCS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::hiera-unsupported-version",
        "The version of a `hiera.yaml` is not known",
        "Write `version: 5`; versions 3 and 4 are no longer read.",
    ),
    CodeDoc::new(
        "puppet::hiera-unsupported-version-in-global",
        "The version of the global `hiera.yaml` is not known",
        "Write `version: 5`, and `hierarchy` as a list of levels.",
    ),
    CodeDoc::new(
        "puppet::hiera-hierarchy-name-multiply-defined",
        "Two levels have one name",
        "Two entries of `hierarchy` in `hiera.yaml` have the same `name`. Names show where a value came from: rename one.",
    ),
    CodeDoc::new(
        "puppet::hiera-multiple-data-provider-functions",
        "A level names several functions",
        "A level has one of `data_hash`, `lookup_key`, `data_dig` and `hiera3_backend`. Split it into two levels.",
    ),
    CodeDoc::new(
        "puppet::hiera-multiple-data-provider-functions-in-default",
        "The defaults name several functions",
        "`defaults` has one of `data_hash`, `lookup_key` and `data_dig`.",
    ),
    CodeDoc::new(
        "puppet::hiera-missing-data-provider-function",
        "A level does not say how it is read",
        "Add `data_hash: yaml_data` to the level or to `defaults`.",
    ),
    CodeDoc::new(
        "puppet::hiera-multiple-location-specs",
        "A level names its files twice",
        "A level has one of `path`, `paths`, `glob`, `globs`, `uri`, `uris` and `mapped_paths`.",
    ),
    CodeDoc::new(
        "puppet::hiera-option-reserved-by-puppet",
        "An option of a level has a reserved name",
        "`path` and `uri` are set by Hiera itself. Rename the option.",
    ),
    CodeDoc::new(
        "puppet::hiera-default-option-reserved-by-puppet",
        "An option of the defaults has a reserved name",
        "`path` and `uri` are set by Hiera itself. Rename the option.",
    ),
    CodeDoc::new(
        "puppet::hiera-default-hierarchy-not-in-module",
        "`default_hierarchy` outside of a module",
        "Only a module's `hiera.yaml` has it. Put the levels at the end of `hierarchy`.",
    ),
    CodeDoc::new(
        "puppet::hiera-data-provider-function-not-found",
        "The function that a level names does not exist",
        "`data_hash: site::data` in `hiera.yaml` needs a function of this name. Check the spelling, and that its module is on the module path.",
    ),
    CodeDoc::new(
        "puppet::hiera-no-provider-for-backend",
        "A backend of version 3 is not known",
        "Use version 5 and `data_hash: yaml_data` or `json_data`.",
    ),
    CodeDoc::new(
        "puppet::hiera-backend-multiply-defined",
        "A backend is configured twice",
        "A `hiera.yaml` of version 3 lists `:yaml` twice under `:backends`. One entry is enough: remove the other.",
    ),
    CodeDoc::new(
        "puppet::hiera-undefined-variable",
        "A variable in a path or value has no value",
        "`%{facts.os.name}`: check the spelling. In data, an unknown variable becomes empty text or, with `strict`, an error.",
    ),
    CodeDoc::new(
        "puppet::hiera-interpolation-unknown-interpolation-method",
        "An interpolation calls an unknown method",
        "The methods are `lookup`, `hiera`, `alias`, `literal` and `scope`: `%{lookup('key')}`.",
    ),
    CodeDoc::new(
        "puppet::hiera-interpolation-method-syntax-not-allowed",
        "An interpolation calls a method where only variables are known",
        "In `hiera.yaml` write `%{facts.os.name}`; methods are for data files.",
    ),
    CodeDoc::new(
        "puppet::hiera-interpolation-alias-not-entire-string",
        "`alias` is not the whole value",
        r#"`"%{alias('key')}"` is the value of the key itself, so it must be the whole text. Use `lookup` inside other text."#,
    ),
    CodeDoc::new(
        "puppet::hiera-v3-backend-not-global",
        "A backend of version 3 outside of the global layer",
        "`hiera3_backend` works in the global `hiera.yaml` only. Use `data_hash` or `lookup_key`.",
    ),
    CodeDoc::new(
        "puppet::hiera-v3-backend-replaced-by-data-hash",
        "A backend of version 3 that has a successor",
        "Instead of `hiera3_backend: yaml` write `data_hash: yaml_data`; for JSON `json_data`.",
    ),
    CodeDoc::new(
        "puppet::hiera-version-3-not-global",
        "A `hiera.yaml` of version 3 outside of the global layer",
        "Environments and modules have version 5: write `version: 5` and a `hierarchy`.",
    ),
];
