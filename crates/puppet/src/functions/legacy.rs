//! Functions of Puppet's older interface, which check their own arguments.

use ecow::EcoString;
use ordain_functions::printf::ruby::{Arg, Keys, sprintf as format_ruby};
use rustc_hash::FxHashMap;

use crate::catalog::values::as_parameter;
use crate::error::{EvalResult, issue, plain as fail};
use crate::functions::Function;
use crate::functions::call::Call;
use crate::functions::collections::flat;
use crate::functions::support::{old, old_args, ruby_class, ruby_inspect, ruby_text, wrap};
use crate::state::evaluate::Evaluate;
use crate::types::Type;
use crate::value::closure::ScopeId;
use crate::value::{HashValue, Value};

/// The functions of this family.
pub const TABLE: &[Function] = &[
    old(
        "create_resources",
        "Declares resources of a type from a hash of titles and attributes.",
        -3,
        create_resources,
    ),
    old("digest", "Gives the digest of a text by the algorithm of the settings.", 1, digest),
    old("fail", "Fails with a message.", -1, raise),
    old(
        "fqdn_rand",
        "Gives a number that looks random but is always the same for a node.",
        -2,
        fqdn_rand,
    ),
    old("md5", "Gives the MD5 digest of a text.", 1, |c| hashed(c, "md5")),
    old("realize", "Makes virtual resources real.", -2, realize),
    old("sha1", "Gives the SHA-1 digest of a text.", 1, |c| hashed(c, "sha1")),
    old("sha256", "Gives the SHA-256 digest of a text.", 1, |c| hashed(c, "sha256")),
    old("shellquote", "Quotes texts for a shell and joins them.", -1, shellquote),
    old("sprintf", "Formats values by a format.", -2, sprintf),
    old("tag", "Adds tags to the calling class or define.", -2, tag),
    old("tagged", "Tells whether the calling class or the catalog has all tags.", -2, tagged),
];

fn create_resources(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    if args.len() > 3 {
        return fail(format!(
            "create_resources(): wrong number of arguments ({}; must be 2 or 3)",
            args.len()
        ));
    }
    let Some(resources) = args[1].as_hash() else {
        return fail("create_resources(): second argument must be a hash");
    };
    let none = Value::hash::<&str>([]);
    let defaults = args.get(2).unwrap_or(&none);
    if defaults.as_hash().is_none() {
        return fail("create_resources(): third argument, if provided, must be a hash");
    }
    let kind = ruby_text(&args[0]);
    let bare = kind.trim_start_matches('@');
    if kind.starts_with('@') && bare.eq_ignore_ascii_case("class") {
        return issue("CLASS_NOT_VIRTUALIZABLE", "Classes are not virtualizable");
    }
    if let Some(other) = resources.values().find(|v| v.as_hash().is_none()) {
        return fail(format!("no implicit conversion of {} into Hash", conversion_name(other)));
    }
    let resources = titled(resources);
    if kind.eq_ignore_ascii_case("class") {
        for title in resources.iter().map(|(title, _)| ruby_text(title)) {
            let name = title.strip_prefix("::").unwrap_or(&title).to_lowercase();
            if !call.compiler.has_class(&name)? {
                return fail(format!("Could not find declared class {title}"));
            }
        }
    }
    call.compiler.create_resources(&kind, &resources, defaults, call.scope, call.span)?;
    Ok(Value::Undef)
}

/// Titles with attributes. A list as key has several titles.
fn titled(resources: &HashValue) -> Vec<(Value, Value)> {
    let mut out = Vec::new();
    for (title, attributes) in resources {
        match title {
            Value::Array(titles) => {
                out.extend(titles.iter().map(|t| (t.clone(), attributes.clone())));
            }
            title => out.push((title.clone(), attributes.clone())),
        }
    }
    out
}

fn digest(call: &mut Call<'_, '_>) -> EvalResult {
    let algorithm = call.compiler.setting("digest_algorithm");
    let algorithm = algorithm.as_ref().and_then(Value::as_str).unwrap_or("sha256").to_owned();
    hashed(call, &algorithm)
}

fn hashed(call: &mut Call<'_, '_>, algorithm: &str) -> EvalResult {
    let args = old_args(call);
    let Some(text) = args[0].as_str() else {
        return fail(format!(
            "no implicit conversion of {} into String",
            conversion_name(&args[0])
        ));
    };
    hex(algorithm, text.as_bytes())
}

/// The name of a value in Ruby's errors about conversions to text.
pub fn conversion_name(value: &Value) -> &str {
    match value {
        Value::Undef => "nil",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        other => ruby_class(other),
    }
}

/// The digest of bytes in hexadecimal digits.
///
/// # Errors
/// When the algorithm is unknown.
pub fn hex(algorithm: &str, bytes: &[u8]) -> EvalResult {
    use ordain_functions::digest;
    Ok(Value::from(match algorithm {
        "md5" => digest::md5(bytes),
        "sha1" => digest::sha1(bytes),
        "sha256" => digest::sha256(bytes),
        "sha384" => digest::sha384(bytes),
        "sha512" => digest::sha512(bytes),
        other => return fail(format!("Unknown digest algorithm '{other}'")),
    }))
}

/// Ruby's `to_s`. Functions of this interface get a resource in the place of a resource type.
fn resource_text(value: &Value) -> EcoString {
    if let Value::Type(kind) = value
        && let Type::Resource { kind: Some(kind), title: Some(title) } = &**kind
    {
        return ecow::eco_format!("{kind}[{title}]");
    }
    ruby_text(value)
}

fn raise(call: &mut Call<'_, '_>) -> EvalResult {
    let texts: Vec<_> = old_args(call).iter().map(resource_text).collect();
    fail(texts.join(" "))
}

/// The domain name of the node, from its facts.
pub fn fqdn(call: &mut Call<'_, '_>) -> EcoString {
    call.compiler.note_entry(ScopeId::TOP, "facts", ["networking", "fqdn"]);
    let facts = call.compiler.quiet_facts().cloned().unwrap_or_default();
    let name = facts.get("networking").and_then(|n| n.get("fqdn")).and_then(Value::as_str);
    name.unwrap_or_default().into()
}

fn fqdn_rand(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let max = integer_text(&args[0])?;
    let Ok(max) = u64::try_from(max) else {
        return fail(format!("invalid argument - {max}"));
    };
    let seed = args.get(1).map(joined).transpose()?.unwrap_or_default();
    let mut fqdn = fqdn(call);
    if args.get(2).is_some_and(Value::is_true) {
        fqdn = fqdn.to_lowercase();
    }
    let number = ordain_functions::random::fqdn_rand(&fqdn, max, &seed).map_err(wrap)?;
    Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn joined(value: &Value) -> EvalResult<String> {
    match value {
        Value::Array(items) => crate::functions::collections::join_values(items, ":"),
        other => Ok(ruby_text(other).into()),
    }
}

/// Ruby's `to_i`.
fn integer_text(value: &Value) -> EvalResult<i64> {
    match value {
        Value::Int(i) => Ok(*i),
        Value::Float(f) => Ok(*f as i64),
        Value::Str(text) => Ok(leading_integer(text)),
        other => fail(format!(
            "undefined method `to_i' for {}:{}",
            ruby_inspect(other),
            ruby_class(other)
        )),
    }
}

/// The integer at the start of a text, or 0.
pub fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value: i64 = 0;
    for c in digits.chars() {
        match c.to_digit(10) {
            Some(digit) => value = value.saturating_mul(10).saturating_add(i64::from(digit)),
            None if c == '_' => {}
            None => break,
        }
    }
    sign * value
}

fn realize(call: &mut Call<'_, '_>) -> EvalResult {
    let references = flat(&std::mem::take(&mut call.args))?;
    call.compiler.realize(&references, call.span);
    Ok(Value::Undef)
}

fn shellquote(call: &mut Call<'_, '_>) -> EvalResult {
    let mut words = flat(&old_args(call))?;
    for value in &mut words {
        if let Value::SemVer(_) | Value::SemVerRange(_) = value {
            *value = Value::Str(ruby_text(value));
        }
        if value.as_str().is_none() {
            return fail(format!(
                "undefined method `length' for {}:{}",
                ruby_inspect(value),
                ruby_class(value)
            ));
        }
    }
    let words = words.iter().filter_map(Value::as_str);
    Ok(Value::from(ordain_functions::shell::shellquote(words)))
}

/// An argument of Ruby's `sprintf`; a hash gives its values by key.
struct RubyValue<'a> {
    value: &'a Value,
    inner: FxHashMap<&'a str, RubyValue<'a>>,
}

impl<'a> RubyValue<'a> {
    fn of(value: &'a Value) -> Self {
        let entries = value.as_hash().into_iter().flatten();
        let single = |value| Self { value, inner: FxHashMap::default() };
        let inner = entries.filter_map(|(key, value)| Some((key.as_str()?, single(value))));
        Self { value, inner: inner.collect() }
    }

    fn arg(&self) -> Arg<'_> {
        match self.value {
            Value::Undef => Arg::Nil,
            Value::Int(i) => Arg::Int(*i),
            Value::Float(f) => Arg::Float(*f),
            Value::Str(text) => Arg::Str(text),
            _ => Arg::Other(self),
        }
    }
}

impl ordain_functions::printf::ruby::Value for RubyValue<'_> {
    fn display(&self) -> String {
        ruby_text(self.value).into()
    }

    fn inspect(&self) -> String {
        ruby_inspect(self.value)
    }

    fn class_name(&self) -> String {
        conversion_name(self.value).into()
    }

    fn as_hash(&self) -> Option<&dyn Keys> {
        self.value.as_hash().map(|_| self as &dyn Keys)
    }
}

impl Keys for RubyValue<'_> {
    fn get(&self, key: &str) -> Option<Arg<'_>> {
        self.inner.get(key).map(Self::arg)
    }
}

fn sprintf(call: &mut Call<'_, '_>) -> EvalResult {
    // References to resources are formatted as in parameters: `File[/x]`.
    let args: Result<Vec<Value>, String> = old_args(call).into_iter().map(as_parameter).collect();
    let args = args.or_else(fail)?;
    let Some(format) = args[0].as_str() else {
        return fail(format!(
            "no implicit conversion of {} into String",
            conversion_name(&args[0])
        ));
    };
    let shown: Vec<RubyValue<'_>> = args[1..].iter().map(RubyValue::of).collect();
    let args: Vec<Arg<'_>> = shown.iter().map(RubyValue::arg).collect();
    Ok(Value::from(format_ruby(format, &args).map_err(wrap)?))
}

fn tag(call: &mut Call<'_, '_>) -> EvalResult {
    let args = old_args(call);
    let tags: Vec<EcoString> =
        flat(&args)?.iter().filter(|tag| !tag.is_undef()).map(resource_text).collect();
    call.compiler.tag(&tags, call.scope)?;
    Ok(Value::Undef)
}

fn tagged(call: &mut Call<'_, '_>) -> EvalResult {
    // A list is a single tag here, which no resource has.
    let tags: Vec<EcoString> = old_args(call).iter().map(ruby_text).collect();
    Ok(Value::Bool(call.compiler.tagged(&tags, call.scope)))
}
