//! The rules for the bodies of types.

use ordain_source::TextRange;
use ordain_syntax::ListRef;
use rustc_hash::FxHashSet;

use super::Checker;
use crate::catalog::schema::is_metaparameter;
use crate::eval::models::Role;
use crate::syntax::*;
use crate::types::modelled::{self, Feature, FeatureKind, ValueType};

/// Settings of all features.
const SETTINGS: [&str; 12] = [
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
        self.singular(name, &features, "id");
        if self.singular(name, &features, "namevar") {
            self.reserved_features(name, &features);
        }
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

    /// At most one feature has a setting; whether one has.
    fn singular(
        &mut self,
        name: &str,
        features: &[(&FeatureSyntax, TextRange)],
        setting: &str,
    ) -> bool {
        let program = self.program;
        let set = features.iter().flat_map(|(f, _)| program.settings(f.settings));
        let set = set.filter(|s| s.name == setting && matches!(program[s.value], Expr::Bool(true)));
        let places: Vec<TextRange> = set.map(|s| s.name_range).collect();
        for &at in places.iter().skip(1) {
            let message = format!("Type '{name}' has more than one feature with {setting} => true");
            self.error("TYPE_BAD_SETTING", at, message);
        }
        !places.is_empty()
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
        let feature = modelled::feature(program, syntax, range);
        self.bounds(syntax, &feature);
        self.derived(syntax, &feature);
        if feature.namevar && !is_name(&feature) {
            self.bad_setting(syntax, "namevar", "needs a single String feature");
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
            self.error("TYPE_BAD_SETTING", setting.name_range, message);
            return;
        }
        let value = &program[setting.value];
        let wants = match name {
            "min" if modelled::integer(program, setting.value).is_none() => "an integer",
            "max" if !is_bound(program, setting.value) => "an integer or unbound",
            "unsettable" | "transient" | "setable" | "containment" | "id" | "namevar"
                if !matches!(value, Expr::Bool(_)) =>
            {
                "true or false"
            }
            "derived" | "set" | "get" if !matches!(value, Expr::Lambda(_)) => "a lambda",
            "default" if syntax.is_reference && !is_empty_list(program, setting.value) => "[]",
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
        // A check sees no feature but its own, so others are variables of its own.
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

    /// What goes with being computed.
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

/// Whether a feature can be the name of a resource.
fn is_name(feature: &Feature) -> bool {
    let text = matches!(
        feature.kind,
        FeatureKind::Attribute(
            ValueType::String | ValueType::Any | ValueType::Enum(_) | ValueType::Other(_)
        )
    );
    text && !feature.multiplicity.is_many() && feature.derived.is_none()
}

fn is_bound(program: &Program, id: ExprId) -> bool {
    matches!(&program[id], Expr::Name(word) if word == "unbound")
        || modelled::integer(program, id).is_some()
}

fn is_empty_list(program: &Program, id: ExprId) -> bool {
    matches!(program[id], Expr::List(items) if items.is_empty())
}

fn is_default(program: &Program, id: ExprId) -> bool {
    modelled::literal(program, id).is_some()
}
