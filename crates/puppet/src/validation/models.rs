//! The rules for the bodies of types.

use ordain_source::{TextRange, suggest};
use ordain_syntax::ListRef;
use rustc_hash::FxHashSet;

use super::checker::Checker;
use super::logic::Role;
use crate::schema::is_metaparameter;
use crate::syntax::*;
use crate::types::models::{self, Feature, FeatureKind};

/// The form of annotations, for errors.
const ANNOTATIONS: &str =
    "are a hash of hashes of plain values: { 'source' => { 'key' => 'text' } }";

/// Settings of all features.
const SETTINGS: [&str; 13] = [
    "min",
    "max",
    "unsettable",
    "validate",
    "check",
    "derived",
    "transient",
    "setable",
    "default",
    "set",
    "get",
    "id",
    "annotations",
];

impl Checker<'_> {
    pub(super) fn type_body(&mut self, name: &str, statements: ListRef<TypeStatement>) {
        let program = self.program;
        let statements = program.type_statements(statements);
        let features: Vec<(&FeatureSyntax, TextRange)> = statements
            .iter()
            .filter_map(|s| match &s.kind {
                TypeStatementKind::Feature(feature) => Some((feature, s.range)),
                _ => None,
            })
            .collect();
        let names: FxHashSet<&str> = features.iter().map(|(f, _)| f.name.as_str()).collect();
        let mut seen = FxHashSet::default();
        for &(syntax, range) in &features {
            if !seen.insert(syntax.name.as_str()) {
                let message = format!(
                    "Feature '{}' of type '{name}' is already defined in '{name}'",
                    syntax.name
                );
                self.error("TYPE_DUPLICATE_FEATURE", syntax.name_range, message);
            }
            self.feature(syntax, range, &names);
        }
        self.only_id(name, &features);
        let namevars = self.places_of(&features, "namevar");
        if !namevars.is_empty() {
            self.reserved_features(name, &features);
        }
        self.title_patterns(name, statements, &namevars);
        self.functions(name, statements, &names);
        for statement in statements {
            if let TypeStatementKind::Invariant { title, body, body_range, .. } = &statement.kind {
                self.at_most_one_parameter(*body, *body_range, "an invariant");
                self.logic(*body, Role::Invariant, &names);
                if let Some(title) = title {
                    self.logic(*title, Role::Invariant, &names);
                }
            }
        }
    }

    /// The places where features set a boolean setting to true.
    fn places_of(&self, features: &[(&FeatureSyntax, TextRange)], setting: &str) -> Vec<TextRange> {
        let program = self.program;
        let set = features.iter().flat_map(|(f, _)| program.settings(f.settings));
        let set = set.filter(|s| s.name == setting && matches!(program[s.value], Expr::Bool(true)));
        set.map(|s| s.name_range).collect()
    }

    /// Checks that at most one feature is the target of links.
    fn only_id(&mut self, name: &str, features: &[(&FeatureSyntax, TextRange)]) {
        for at in self.places_of(features, "id").into_iter().skip(1) {
            let message = format!("Type '{name}' has more than one feature with id => true");
            self.error("TYPE_BAD_SETTING", at, message);
        }
    }

    /// Checks the title patterns: at most one list, whose patterns name their groups. Types with
    /// several name attributes need patterns.
    fn title_patterns(&mut self, name: &str, all: &[TypeStatement], namevars: &[TextRange]) {
        let mut places = all.iter().filter_map(|statement| match statement.kind {
            TypeStatementKind::TitlePatterns { value, range } => Some((value, range)),
            _ => None,
        });
        let Some((value, range)) = places.next() else {
            if let [_, second, ..] = namevars {
                let message = format!(
                    "Type '{name}' has several features with namevar => true and no title_patterns"
                );
                let text =
                    "say how a title names them: `title_patterns [/\\A(?<a>.*)-(?<b>.*)\\z/]`";
                self.error_with("TYPE_BAD_SETTING", *second, message, text);
            }
            return;
        };
        if let Some((_, again)) = places.next() {
            let message = format!("Type '{name}' has title_patterns more than once");
            self.error("TYPE_BAD_SETTING", again, message);
        }
        let Some(patterns) = models::title_patterns(self.program, value) else {
            let message = "title_patterns is a list of patterns, such as [/\\A(?<name>.*)\\z/]";
            return self.error("TYPE_BAD_SETTING", range, message.to_owned());
        };
        for pattern in patterns {
            if !pattern.contains("(?<") {
                let message = format!("No group of the title pattern /{pattern}/ has a name");
                let text = "name the features: `/\\A(?<package>.*)-(?<manager>.*)\\z/`";
                self.error_with("TYPE_BAD_SETTING", range, message, text);
            }
        }
    }

    /// The functions of a type: their names, and code that computes.
    fn functions(&mut self, name: &str, all: &[TypeStatement], features: &FxHashSet<&str>) {
        let mut seen: FxHashSet<&str> = features.clone();
        for statement in all {
            let TypeStatementKind::Function { name: function, name_range, lambda, .. } =
                &statement.kind
            else {
                continue;
            };
            if !seen.insert(function) {
                let what =
                    if features.contains(function.as_str()) { "feature" } else { "function" };
                let message = format!("Type '{name}' has a {what} '{function}' already");
                self.error("TYPE_DUPLICATE_FEATURE", *name_range, message);
            }
            self.logic(*lambda, Role::Function, features);
        }
        for statement in all {
            if let TypeStatementKind::Annotations { value, range } = statement.kind
                && models::annotations(self.program, value).is_none()
            {
                self.error("TYPE_BAD_SETTING", range, format!("annotations {ANNOTATIONS}"));
            }
        }
    }

    /// Features of a type that can be declared, with names that every resource has.
    fn reserved_features(&mut self, name: &str, features: &[(&FeatureSyntax, TextRange)]) {
        for (syntax, _) in features {
            let feature = &syntax.name;
            if feature == "title" || is_metaparameter(feature) {
                let message = format!(
                    "Type '{name}' can not be declared as a resource: every resource has '{feature}'"
                );
                self.error("TYPE_RESERVED_FEATURE", syntax.name_range, message);
            }
        }
    }

    fn feature(&mut self, syntax: &FeatureSyntax, range: TextRange, names: &FxHashSet<&str>) {
        let program = self.program;
        let settings = program.settings(syntax.settings);
        let mut seen = FxHashSet::default();
        for setting in settings {
            let name = if setting.name == "validate" { "check" } else { setting.name.as_str() };
            if !seen.insert(name) {
                let message = format!(
                    "Setting '{}' is given more than once for '{}'",
                    setting.name, syntax.name
                );
                self.error("TYPE_DUPLICATE_SETTING", setting.name_range, message);
            }
            self.setting(syntax, setting, names);
        }
        let feature = models::feature(program, syntax, range);
        if let FeatureKind::Reference { target, .. } = &feature.kind
            && crate::types::builtin(target).is_some()
        {
            let name = &feature.name;
            let message =
                format!("'{target}' is a type of plain values, not one that '{name}' refers to");
            let help = format!("write `attr {name}, {target}`");
            self.error_with("TYPE_UNKNOWN_TARGET", syntax.kind_range, message, &help);
        }
        self.bounds(syntax, &feature);
        self.derived(syntax, &feature);
        if feature.namevar && !feature.is_reference() && !is_name(&feature) {
            self.bad_setting(
                syntax,
                "namevar",
                "needs an attribute of one value that is not derived",
            );
        }
    }

    fn setting(&mut self, syntax: &FeatureSyntax, setting: &Setting, names: &FxHashSet<&str>) {
        let program = self.program;
        let word = if syntax.is_reference { "reference" } else { "attribute" };
        let name = setting.name.as_str();
        let known = SETTINGS.contains(&name)
            || (name == "containment" && syntax.is_reference)
            || (name == "namevar" && !syntax.is_reference);
        if !known {
            let message = format!("Setting '{name}' is not allowed on {word} '{}'", syntax.name);
            let names = SETTINGS.into_iter().chain(["containment", "namevar"]);
            let near = match instead_of(name, syntax.is_reference) {
                Some(help) => Some(help.to_owned()),
                None => suggest::nearest(name, names).map(|near| format!("did you mean `{near}`?")),
            };
            match near {
                Some(help) => {
                    self.error_with("TYPE_BAD_SETTING", setting.name_range, message, &help);
                }
                None => self.error("TYPE_BAD_SETTING", setting.name_range, message),
            }
            return;
        }
        if name == "default" && syntax.is_reference && !is_empty_list(program, setting.value) {
            let message = format!("A reference such as '{}' has no default but []", syntax.name);
            let help =
                "only attributes have default values; a `set` may make objects of its argument";
            return self.error_with("TYPE_BAD_SETTING", setting.value_range, message, help);
        }
        let value = &program[setting.value];
        let wants = match name {
            "min" if models::integer(program, setting.value).is_none() => "an integer",
            "max" if !is_bound(program, setting.value) => "an integer or unbound",
            "unsettable" | "transient" | "setable" | "containment" | "id" | "namevar"
                if !matches!(value, Expr::Bool(_)) =>
            {
                "true or false"
            }
            "derived" | "set" | "get" if !matches!(value, Expr::Lambda(_)) => "a lambda",
            "annotations" if models::annotations(program, setting.value).is_none() => {
                "a hash of hashes of plain values: { 'source' => { 'key' => 'text' } }"
            }
            "default" if !is_default(program, setting.value) => {
                "a number, text, true, false, a name or a list of these"
            }
            _ => "",
        };
        if !wants.is_empty() {
            let message = format!("Setting '{name}' of '{}' takes {wants}", syntax.name);
            self.error("TYPE_BAD_SETTING", setting.value_range, message);
            return;
        }
        let role = match name {
            "check" | "validate" => Role::Check,
            "set" => Role::Set,
            "get" => Role::Get,
            "derived" => Role::Derived,
            _ => return,
        };
        self.at_most_one_parameter(setting.value, setting.value_range, name);
        // A check only sees its own feature; other names are local variables.
        let own = FxHashSet::from_iter([syntax.name.as_str()]);
        self.logic(setting.value, role, if role == Role::Check { &own } else { names });
    }

    fn at_most_one_parameter(&mut self, code: ExprId, range: TextRange, what: &str) {
        let Expr::Lambda(lambda) = self.program[code] else { return };
        let count = self.program.params(self.program.lambda(lambda).params).len();
        if count > 1 {
            let message = format!("The lambda of {what} has one parameter at most, not {count}");
            self.error("TYPE_BAD_SETTING", range, message);
        }
    }

    fn bounds(&mut self, syntax: &FeatureSyntax, feature: &Feature) {
        let settings = self.program.settings(syntax.settings);
        let place = |name: &str| settings.iter().find(|s| s.name == name).map(|s| s.value_range);
        let (min, max) = (place("min"), place("max"));
        let bounds = feature.multiplicity;
        let name = &feature.name;
        let mut wrong = |at: Option<TextRange>, text: String| {
            let at = at.unwrap_or(syntax.name_range);
            self.error("TYPE_BAD_MULTIPLICITY", at, format!("Feature '{name}': {text}"));
        };
        if bounds.lower < 0 {
            wrong(min, format!("min {} is less than 0", bounds.lower));
        }
        match bounds.upper {
            Some(upper) if upper < 1 => wrong(max, format!("max {upper} is less than 1")),
            Some(upper) if bounds.lower > upper => {
                wrong(min, format!("min {} is greater than max {upper}", bounds.lower));
            }
            _ => {}
        }
    }

    /// Checks the settings of a derived feature.
    fn derived(&mut self, syntax: &FeatureSyntax, feature: &Feature) {
        if feature.derived.is_none() {
            return;
        }
        let settings = self.program.settings(syntax.settings);
        let of = |name: &str| settings.iter().find(|s| s.name == name);
        if let Some(setting) = of("transient")
            && matches!(self.program[setting.value], Expr::Bool(false))
        {
            self.bad_setting(syntax, "transient", "can not be false, as the feature is derived");
        }
        for name in ["default", "check", "validate", "unsettable", "get"] {
            if of(name).is_some() {
                let why = "has no meaning, as the feature is derived";
                self.bad_setting(syntax, name, why);
            }
        }
        if feature.setable && feature.set.is_none() {
            let message = format!(
                "The value that is given to '{}' is lost: it is derived and has no set",
                feature.name
            );
            self.warning("TYPE_VALUE_LOST", syntax.name_range, message);
        }
    }

    fn bad_setting(&mut self, syntax: &FeatureSyntax, name: &str, why: &str) {
        let settings = self.program.settings(syntax.settings);
        let place = settings.iter().find(|s| s.name == name).map(|s| s.name_range);
        let message = format!("Setting '{name}' of '{}' {why}", syntax.name);
        self.error("TYPE_BAD_SETTING", place.unwrap_or(syntax.name_range), message);
    }
}

/// The replacement for a setting that exists elsewhere or under another name.
fn instead_of(name: &str, is_reference: bool) -> Option<&'static str> {
    Some(match name {
        "containment" if !is_reference => "only a reference, `has`, has parts or links",
        "namevar" if is_reference => "only an attribute, `attr`, names a resource",
        "munge" => "convert the assigned value in `set => |$value| { ... }`",
        "unmunge" => "convert the read value in `get => |$value| { ... }`",
        "defaultto" => "a default is `default => value`",
        "newvalues" | "values" => "values by name are those of the type: `enum[a, b]`",
        "required" | "mandatory" => "a value that is needed has `min => 1`",
        "optional" => "a value is optional without `min => 1`",
        "readonly" | "changeable" => "a feature that callers cannot set has `setable => false`",
        "visibility" | "private" | "public" => {
            "a type hides nothing; `setable => false` keeps \
             callers from giving it, `transient => true` keeps it out of data"
        }
        "isnamevar" => "the attribute that names a resource has `namevar => true`",
        _ => return None,
    })
}

/// Whether a feature can be the name of a resource: one plain value.
fn is_name(feature: &Feature) -> bool {
    !feature.is_reference() && !feature.multiplicity.is_many() && feature.derived.is_none()
}

fn is_bound(program: &Program, id: ExprId) -> bool {
    matches!(&program[id], Expr::Name(word) if word == "unbound")
        || models::integer(program, id).is_some()
}

fn is_empty_list(program: &Program, id: ExprId) -> bool {
    matches!(program[id], Expr::List(items) if items.is_empty())
}

fn is_default(program: &Program, id: ExprId) -> bool {
    models::literal(program, id).is_some()
}
