//! The checks of puppet-lint and of its plug-ins, by their names.

mod arrows;
mod classes;
mod comments;
mod documented;
mod indent;
mod layout;
mod parameters;
mod plugins;
mod resources;
mod strings;
mod variable_scope;
mod whitespace;

use super::pass::Pass;

/// A check.
pub struct Check {
    /// Its name in puppet-lint.
    pub name: &'static str,
    /// The code of its findings.
    pub code: &'static str,
    /// Whether puppet-lint runs it without being asked.
    pub is_default: bool,
    /// The gem that brings it; `None` for puppet-lint itself.
    pub gem: Option<&'static str>,
    pub(super) run: fn(&mut Pass<'_, '_>),
}

const fn check(name: &'static str, code: &'static str, run: fn(&mut Pass<'_, '_>)) -> Check {
    Check { name, code, is_default: true, gem: None, run }
}

const fn off(name: &'static str, code: &'static str, run: fn(&mut Pass<'_, '_>)) -> Check {
    Check { name, code, is_default: false, gem: None, run }
}

const fn plugin(
    gem: &'static str,
    name: &'static str,
    code: &'static str,
    run: fn(&mut Pass<'_, '_>),
) -> Check {
    Check { name, code, is_default: false, gem: Some(gem), run }
}

/// The gem with the checks of blanks.
const LAYOUT: &str = "puppet-lint-manifest_whitespace-check";
/// The gem with the checks of references to resources.
const REFERENCES: &str = "puppet-lint-resource_reference_syntax";

/// All checks, in the order in which puppet-lint runs them.
pub const CHECKS: &[Check] = &[
    check("arrow_on_right_operand_line", "lint::arrow-on-right-operand-line", arrows::operand_line),
    check("autoloader_layout", "lint::autoloader-layout", classes::autoloader_layout),
    off(
        "class_inherits_from_params_class",
        "lint::class-inherits-from-params-class",
        classes::inherits_params,
    ),
    off("code_on_top_scope", "lint::code-on-top-scope", classes::code_on_top_scope),
    check("inherits_across_namespaces", "lint::inherits-across-namespaces", classes::inherits),
    check("names_containing_dash", "lint::names-containing-dash", classes::dash),
    check("names_containing_uppercase", "lint::names-containing-uppercase", classes::uppercase),
    check("nested_classes_or_defines", "lint::nested-classes-or-defines", classes::nested),
    check("parameter_order", "lint::parameter-order", classes::parameter_order),
    check("right_to_left_relationship", "lint::right-to-left-relationship", arrows::right_to_left),
    check("variable_scope", "lint::variable-scope", variable_scope::check),
    check("slash_comments", "lint::slash-comments", comments::slash),
    check("star_comments", "lint::star-comments", comments::star),
    check("case_without_default", "lint::case-without-default", classes::case_without_default),
    check("selector_inside_resource", "lint::selector-inside-resource", resources::selector),
    check("documentation", "lint::documentation", comments::documentation),
    check("unquoted_node_name", "lint::unquoted-node-name", classes::node_name),
    check("duplicate_params", "lint::duplicate-params", resources::duplicate_params),
    check("ensure_first_param", "lint::ensure-first-param", resources::ensure_first),
    check(
        "ensure_not_symlink_target",
        "lint::ensure-not-symlink-target",
        resources::symlink_target,
    ),
    check("file_mode", "lint::file-mode", resources::file_mode),
    check("unquoted_file_mode", "lint::unquoted-file-mode", resources::unquoted_mode),
    check("unquoted_resource_title", "lint::unquoted-resource-title", resources::unquoted_title),
    check("double_quoted_strings", "lint::double-quoted-strings", strings::double_quoted),
    check("only_variable_string", "lint::only-variable-string", strings::only_variable),
    check("puppet_url_without_modules", "lint::puppet-url-without-modules", strings::puppet_url),
    off("quoted_booleans", "lint::quoted-booleans", strings::quoted_booleans),
    check(
        "single_quote_string_with_variables",
        "lint::single-quote-string-with-variables",
        strings::single_quoted,
    ),
    check("variables_not_enclosed", "lint::variables-not-enclosed", strings::not_enclosed),
    check("variable_contains_dash", "lint::variable-contains-dash", strings::variable_dash),
    check("variable_is_lowercase", "lint::variable-is-lowercase", strings::variable_uppercase),
    check("140chars", "lint::140chars", |pass| whitespace::line_length(pass, 140)),
    check("2sp_soft_tabs", "lint::2sp-soft-tabs", whitespace::soft_tabs),
    off("80chars", "lint::80chars", |pass| whitespace::line_length(pass, 80)),
    check("arrow_alignment", "lint::arrow-alignment", arrows::alignment),
    check("hard_tabs", "lint::hard-tabs", whitespace::hard_tabs),
    check("trailing_whitespace", "lint::trailing-whitespace", whitespace::trailing),
    plugin(
        "puppet-lint-absolute_classname-check",
        "relative_classname_inclusion",
        "lint::relative-classname-inclusion",
        plugins::absolute_inclusion,
    ),
    plugin(
        "puppet-lint-absolute_classname-check",
        "relative_classname_reference",
        "lint::relative-classname-reference",
        plugins::absolute_reference,
    ),
    plugin("puppet-lint-anchor-check", "anchor_resource", "lint::anchor-resource", plugins::anchor),
    plugin(
        "puppet-lint-exec_idempotency-check",
        "exec_idempotency",
        "lint::exec-idempotency",
        plugins::exec_idempotency,
    ),
    plugin(
        "puppet-lint-file_ensure-check",
        "file_ensure",
        "lint::file-ensure",
        plugins::file_ensure,
    ),
    plugin(
        "puppet-lint-leading_zero-check",
        "leading_zero",
        "lint::leading-zero",
        plugins::leading_zero,
    ),
    plugin(
        "puppet-lint-lookup_in_parameter-check",
        "lookup_in_parameter",
        "lint::lookup-in-parameter",
        parameters::lookup,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_arrows_single_space_after",
        "lint::manifest-whitespace-arrows-single-space-after",
        layout::arrow_after,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_inherits_name_single_space_before",
        "lint::manifest-whitespace-inherits-name-single-space-before",
        layout::inherits_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_class_name_single_space_before",
        "lint::manifest-whitespace-class-name-single-space-before",
        layout::class_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_class_name_single_space_after",
        "lint::manifest-whitespace-class-name-single-space-after",
        layout::class_after,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_closing_brace_before",
        "lint::manifest-whitespace-closing-brace-before",
        layout::closing_brace_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_closing_brace_after",
        "lint::manifest-whitespace-closing-brace-after",
        layout::closing_brace_after,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_closing_bracket_before",
        "lint::manifest-whitespace-closing-bracket-before",
        layout::closing_bracket_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_closing_bracket_after",
        "lint::manifest-whitespace-closing-bracket-after",
        layout::closing_bracket_after,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_two_empty_lines",
        "lint::manifest-whitespace-two-empty-lines",
        layout::two_empty_lines,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_newline_beginning_of_file",
        "lint::manifest-whitespace-newline-beginning-of-file",
        layout::line_end_first,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_missing_newline_end_of_file",
        "lint::manifest-whitespace-missing-newline-end-of-file",
        layout::no_line_end_last,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_double_newline_end_of_file",
        "lint::manifest-whitespace-double-newline-end-of-file",
        layout::line_ends_last,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_opening_brace_before",
        "lint::manifest-whitespace-opening-brace-before",
        layout::opening_brace_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_opening_brace_after",
        "lint::manifest-whitespace-opening-brace-after",
        layout::opening_brace_after,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_opening_bracket_before",
        "lint::manifest-whitespace-opening-bracket-before",
        layout::opening_bracket_before,
    ),
    plugin(
        LAYOUT,
        "manifest_whitespace_opening_bracket_after",
        "lint::manifest-whitespace-opening-bracket-after",
        layout::opening_bracket_after,
    ),
    plugin(
        "puppet-lint-optional_default-check",
        "optional_default",
        "lint::optional-default",
        parameters::optional_default,
    ),
    plugin(
        "puppet-lint-package_ensure-check",
        "package_ensure",
        "lint::package-ensure",
        plugins::package_ensure,
    ),
    plugin(
        "puppet-lint-param-docs",
        "parameter_documentation",
        "lint::parameter-documentation",
        documented::check,
    ),
    plugin(
        "puppet-lint-param-types",
        "parameter_types",
        "lint::parameter-types",
        parameters::types,
    ),
    plugin(
        "puppet-lint-params_empty_string-check",
        "params_empty_string_assignment",
        "lint::params-empty-string-assignment",
        parameters::empty_string,
    ),
    plugin(
        "puppet-lint-params_not_optional_with_undef-check",
        "params_not_optional_with_undef",
        "lint::params-not-optional-with-undef",
        parameters::not_optional,
    ),
    plugin(
        REFERENCES,
        "resource_reference_chain_without_whitespace",
        "lint::resource-reference-chain-without-whitespace",
        plugins::spaced_chain,
    ),
    plugin(
        REFERENCES,
        "resource_reference_with_unquoted_title",
        "lint::resource-reference-with-unquoted-title",
        plugins::unquoted_reference,
    ),
    plugin(
        REFERENCES,
        "resource_reference_without_title_capital",
        "lint::resource-reference-without-title-capital",
        plugins::capital_reference,
    ),
    plugin(
        REFERENCES,
        "resource_reference_without_whitespace",
        "lint::resource-reference-without-whitespace",
        plugins::spaced_reference,
    ),
    plugin(
        "puppet-lint-strict_indent-check",
        "strict_indent",
        "lint::strict-indent",
        indent::strict,
    ),
    plugin(
        "puppet-lint-topscope-variable-check",
        "topscope_variable",
        "lint::topscope-variable",
        plugins::topscope_variable,
    ),
    plugin(
        "puppet-lint-trailing_comma-check",
        "trailing_comma",
        "lint::trailing-comma",
        plugins::trailing_comma,
    ),
    plugin(
        "puppet-lint-unquoted_string-check",
        "unquoted_string_in_case",
        "lint::unquoted-string-in-case",
        plugins::unquoted_in_case,
    ),
    plugin(
        "puppet-lint-unquoted_string-check",
        "unquoted_string_in_selector",
        "lint::unquoted-string-in-selector",
        plugins::unquoted_in_selector,
    ),
    plugin(
        "puppet-lint-variable_contains_upcase",
        "variable_contains_upcase",
        "lint::variable-contains-upcase",
        plugins::variable_capital,
    ),
    plugin(
        "puppet-lint-version_comparison-check",
        "version_comparison",
        "lint::version-comparison",
        plugins::version_comparison,
    ),
];
