//! Methods of classes themselves.

use std::rc::Rc;

use ordain_data::json::Layout;
use ordain_data::yaml::{Schema, Tree};
use ordain_functions::{base64, digest, regex, shell, text as texts};

use super::convert::{from_data, only, to_json, to_yaml};
use crate::class::Class;
use crate::eval::Interp;
use crate::eval::args::Args;
use crate::eval::error::Eval;
use crate::eval::interp::{Method, m};
use crate::syntax::RegexFlags;
use crate::value::{Exception, Hash, ProcBody, Value};

/// Methods of all classes.
pub(super) const TABLE: &[Method] = &[
    m("name", 0, 0, |i, v, _| {
        let text = i.display(v)?;
        i.text(text)
    }),
    m("to_s", 0, 0, |i, v, _| {
        let text = i.display(v)?;
        i.text(text)
    }),
    m("new", 0, -1, new),
    m("superclass", 0, 0, |_, v, _| {
        Ok(match v {
            Value::Class(class) => class.parent().map_or(Value::Nil, Value::Class),
            _ => Value::Nil,
        })
    }),
    m("<=", 1, 1, |_, v, a| {
        Ok(match (v, a.get(0)) {
            (Value::Class(a), Value::Class(b)) => Value::Bool(a.is_a(b)),
            _ => Value::Nil,
        })
    }),
    m("ancestors", 0, 0, |i, _, _| i.unsupported("`ancestors'")),
];

/// The methods of single classes.
pub(super) fn tables() -> impl Iterator<Item = (Class, &'static [Method])> {
    let all: [(Class, &'static [Method]); 20] = [
        (Class::JSON, JSON),
        (Class::YAML, YAML),
        (Class::PSYCH, YAML),
        (Class::SHELLWORDS, SHELLWORDS),
        (Class::FILE, FILE),
        (Class::REGEXP, REGEXP),
        (Class::MATH, MATH),
        (Class::TIME, TIME),
        (Class::BASE64, BASE64),
        (Class::DIGEST_MD5, MD5),
        (Class::DIGEST_SHA1, SHA1),
        (Class::DIGEST_SHA256, SHA256),
        (Class::DIGEST_SHA512, SHA512),
        (Class::CGI, HTML),
        (Class::ERB_UTIL, HTML),
        (Class::HASH, HASH),
        (Class::ARRAY, &[]),
        (Class::STRING, &[]),
        (Class::INTEGER, INTEGER),
        (Class::KERNEL, KERNEL),
    ];
    all.into_iter()
}

fn new(i: &mut Interp<'_>, v: &Value, a: &mut Args) -> Eval {
    let Value::Class(class) = v else { return Ok(Value::Nil) };
    match *class {
        Class::STRING => match a.opt(0) {
            Some(Value::Hash(_)) | None => Ok(Value::str("")),
            Some(text) => {
                let text = i.str(text)?;
                i.text(text)
            }
        },
        Class::ARRAY => new_array(i, a),
        Class::HASH => {
            let hash = Hash::default();
            match a.block.take() {
                Some(block) => {
                    if let ProcBody::Block { env, .. } = &block.body {
                        i.capture(env);
                    }
                    hash.default_is_block.set(true);
                    *hash.default.borrow_mut() = Value::Proc(block);
                }
                None => *hash.default.borrow_mut() = a.get(0),
            }
            Ok(Value::Hash(Rc::new(hash)))
        }
        Class::REGEXP => new_regexp(i, a),
        Class::RANGE => {
            let is_open = a.get(2).truthy();
            i.range(a.get(0), a.get(1), is_open)
        }
        Class::PROC => match a.block.take() {
            Some(block) => Ok(Value::Proc(block)),
            None => i.raise(Class::ARGUMENT_ERROR, "tried to create Proc object without a block"),
        },
        class if class.is_a(Class::EXCEPTION) => {
            let message = match a.opt(0) {
                Some(message) => i.display(message)?,
                None => class.name().into(),
            };
            let exception =
                Exception { class, class_name: None, message, line: i.line, host_error: None };
            Ok(Value::Exception(Rc::new(exception)))
        }
        Class::INTEGER | Class::FLOAT | Class::SYMBOL | Class::NIL | Class::TRUE | Class::FALSE => {
            let text = format!("undefined method `new' for {}:Class", class.name());
            i.raise(Class::NO_METHOD_ERROR, text)
        }
        class => i.unsupported(format!("{}.new", class.name())),
    }
}

fn new_array(i: &mut Interp<'_>, a: &mut Args) -> Eval {
    let Some(count) = a.opt(0) else { return Ok(Value::array(vec![])) };
    if let Value::Array(array) = count {
        return i.list(array.get());
    }
    let Ok(count) = usize::try_from(i.int(count)?) else {
        return i.raise(Class::ARGUMENT_ERROR, "negative array size");
    };
    i.charge_items(count)?;
    let Some(block) = a.block.take() else {
        return Ok(Value::array(vec![a.get(1); count]));
    };
    let mut out = Vec::new();
    for n in 0..count {
        out.push(i.yield_one(&block, Value::Int(n as i64))?);
    }
    Ok(Value::array(out))
}

fn new_regexp(i: &mut Interp<'_>, a: &mut Args) -> Eval {
    if a.len() == 0 {
        return i.wrong_count(0, 1, Some(3));
    }
    if let v @ Value::Regexp(_) = &a.list[0] {
        return Ok(v.clone());
    }
    let source = i.str(&a.list[0])?;
    let flags = match a.opt(1) {
        Some(Value::Int(bits)) => RegexFlags {
            ignore_case: bits & 1 != 0,
            extended: bits & 2 != 0,
            multi_line: bits & 4 != 0,
        },
        Some(other) => RegexFlags { ignore_case: other.truthy(), ..RegexFlags::default() },
        None => RegexFlags::default(),
    };
    i.regexp(&source, flags)
}

const JSON: &[Method] = &[
    m("generate", 1, -1, |i, _, a| {
        let value = only(i, a)?;
        to_json(i, &value, &Layout::COMPACT)
    }),
    m("dump", 1, -1, |i, _, a| {
        let value = only(i, a)?;
        to_json(i, &value, &Layout::COMPACT)
    }),
    m("pretty_generate", 1, -1, |i, _, a| {
        let value = only(i, a)?;
        to_json(i, &value, &Layout::RUBY_PRETTY)
    }),
    m("parse", 1, 1, |i, _, a| {
        let text = i.str(&a.list[0])?;
        match ordain_data::json::read(&text) {
            Ok(data) => from_data(i, &data),
            Err(_) => i.unsupported("JSON that does not parse"),
        }
    }),
];

const YAML: &[Method] = &[
    m("dump", 1, -1, |i, _, a| {
        let value = only(i, a)?;
        to_yaml(i, &value)
    }),
    m("load", 1, 2, load_yaml),
    m("safe_load", 1, 2, load_yaml),
];

/// Options without effect on plain data.
const PERMISSIONS: [&str; 3] = ["aliases", "permitted_classes", "permitted_symbols"];

fn load_yaml(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let is_permission = |key: &Value| match key {
        Value::Symbol(name) => PERMISSIONS.contains(&name.as_str()),
        _ => false,
    };
    match (a.opt(1), a.has_keywords) {
        (None, _) => {}
        (Some(Value::Hash(options)), true)
            if options.pairs().iter().all(|(key, _)| is_permission(key)) => {}
        _ => return i.unsupported("YAML with options"),
    }
    let text = i.str(&a.list[0])?;
    let tree = Tree::parse(&text).ok().filter(Tree::is_plain);
    match tree.and_then(|tree| tree.value(Schema::Psych).ok()) {
        Some(data) => from_data(i, &data),
        None => i.unsupported("YAML that is no plain data"),
    }
}

const SHELLWORDS: &[Method] = &[
    m("escape", 1, 1, shellescape),
    m("shellescape", 1, 1, shellescape),
    m("split", 1, 1, shellsplit),
    m("shellsplit", 1, 1, shellsplit),
    m("join", 1, 1, |i, _, a| i.send(&a.list[0], "shelljoin", vec![])),
    m("shelljoin", 1, 1, |i, _, a| i.send(&a.list[0], "shelljoin", vec![])),
];

fn shellescape(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let text = i.display(&a.list[0])?;
    i.text(shell::escape(&text))
}

fn shellsplit(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    i.send(&a.list[0], "shellsplit", vec![])
}

const FILE: &[Method] = &[
    m("basename", 1, 2, |i, _, a| {
        let path = i.str(&a.list[0])?;
        let suffix = match a.opt(1) {
            Some(suffix) => Some(i.str(suffix)?),
            None => None,
        };
        i.text(texts::basename(&path, suffix.as_deref()))
    }),
    m("dirname", 1, 1, |i, _, a| {
        let path = i.str(&a.list[0])?;
        i.text(texts::dirname(&path))
    }),
    m("extname", 1, 1, |i, _, a| {
        let path = i.str(&a.list[0])?;
        i.text(texts::extname(&path))
    }),
    m("join", 0, -1, |i, _, a| {
        let mut out = String::new();
        for (n, part) in a.list.iter().enumerate() {
            let part = match part {
                Value::Array(_) => return i.unsupported("`File.join' of lists"),
                part => i.str(part)?,
            };
            if n == 0 {
                out.push_str(&part);
            } else if part.starts_with('/') {
                out.truncate(out.trim_end_matches('/').len());
                out.push_str(&part);
            } else {
                if !out.ends_with('/') {
                    out.push('/');
                }
                out.push_str(&part);
            }
        }
        i.text(out)
    }),
];

const REGEXP: &[Method] = &[
    m("escape", 1, 1, quote),
    m("quote", 1, 1, quote),
    m("union", 0, -1, |i, _, a| {
        let list = match a.list.as_slice() {
            [Value::Array(array)] => array.get(),
            list => list.to_vec(),
        };
        let mut parts = Vec::new();
        for part in &list {
            parts.push(match part {
                Value::Regexp(_) => i.display(part)?.to_string(),
                part => regex::escape(&i.str(part)?),
            });
        }
        if let [v @ Value::Regexp(_)] = list.as_slice() {
            return Ok(v.clone());
        }
        i.regexp(&parts.join("|"), RegexFlags::default())
    }),
];

fn quote(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    match a.list[0].as_name() {
        Some(text) => i.text(regex::escape(&text)),
        None => i.no_conversion(&a.list[0], "String"),
    }
}

const MATH: &[Method] = &[
    m("sqrt", 1, 1, |i, _, a| {
        let x = float(i, a)?;
        if x < 0.0 {
            return i.unsupported("the root of a negative number");
        }
        Ok(Value::Float(x.sqrt()))
    }),
    m("log", 1, 1, |i, _, a| positive(i, a, f64::ln)),
    m("log2", 1, 1, |i, _, a| positive(i, a, f64::log2)),
    m("log10", 1, 1, |i, _, a| positive(i, a, f64::log10)),
];

fn float(i: &mut Interp<'_>, a: &mut Args) -> Eval<f64> {
    match i.send(&a.list[0], "to_f", vec![])? {
        Value::Float(x) if !matches!(a.list[0], Value::Str(_) | Value::Nil) => Ok(x),
        _ => {
            let text = format!("can't convert {} into Float", i.class_name(&a.list[0]));
            i.raise(Class::TYPE_ERROR, text)
        }
    }
}

fn positive(i: &mut Interp<'_>, a: &mut Args, f: fn(f64) -> f64) -> Eval {
    let x = float(i, a)?;
    if x < 0.0 {
        return i.unsupported("the logarithm of a negative number");
    }
    Ok(Value::Float(f(x)))
}

/// The clock and the time zone are unknown here.
const TIME: &[Method] = &[
    m("now", 0, 0, |i, _, _| i.unsupported("the time of now")),
    m("at", 1, 1, |i, _, _| i.unsupported("local times")),
];

const BASE64: &[Method] = &[
    m("encode64", 1, 1, |i, _, a| encode(i, a, base64::Mode::Default)),
    m("strict_encode64", 1, 1, |i, _, a| encode(i, a, base64::Mode::Strict)),
    m("urlsafe_encode64", 1, 1, |i, _, a| encode(i, a, base64::Mode::UrlSafe)),
    m("decode64", 1, 1, |i, _, a| decode(i, a, base64::Mode::Default)),
    m("strict_decode64", 1, 1, |i, _, a| decode(i, a, base64::Mode::Strict)),
];

fn encode(i: &mut Interp<'_>, a: &mut Args, mode: base64::Mode) -> Eval {
    let text = i.str(&a.list[0])?;
    i.text(base64::encode(text.as_bytes(), mode))
}

fn decode(i: &mut Interp<'_>, a: &mut Args, mode: base64::Mode) -> Eval {
    let text = i.str(&a.list[0])?;
    match base64::decode(&text, mode) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => i.text(text),
            Err(_) => i.unsupported("bytes that are no text"),
        },
        Err(_) => i.raise(Class::ARGUMENT_ERROR, "invalid base64"),
    }
}

macro_rules! digests {
    ($($name:ident $function:path;)*) => {
        $(
            const $name: &[Method] = &[m("hexdigest", 1, 1, |i, _, a| {
                let text = i.str(&a.list[0])?;
                i.text($function(text.as_bytes()))
            })];
        )*
    };
}

digests! {
    MD5 digest::md5;
    SHA1 digest::sha1;
    SHA256 digest::sha256;
    SHA512 digest::sha512;
}

const HTML: &[Method] = &[
    m("html_escape", 1, 1, html_escape),
    m("h", 1, 1, html_escape),
    m("escapeHTML", 1, 1, html_escape),
];

fn html_escape(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let text = i.display(&a.list[0])?;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match texts::xml_entity(c) {
            Some(entity) => out.push_str(entity),
            None if c == '\'' => out.push_str("&#39;"),
            None => out.push(c),
        }
    }
    i.text(out)
}

const HASH: &[Method] = &[m("[]", 0, -1, |i, _, a| match a.list.as_slice() {
    [v @ Value::Hash(_)] => i.send(v, "dup", vec![]),
    [v @ Value::Array(_)] => i.send(v, "to_h", vec![]),
    list if list.len() % 2 == 0 => {
        let pairs = list.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        Ok(Value::hash(pairs))
    }
    _ => i.raise(Class::ARGUMENT_ERROR, "odd number of arguments for Hash"),
})];

const INTEGER: &[Method] = &[m("sqrt", 1, 1, |i, _, a| {
    let n = i.int(&a.list[0])?;
    match u64::try_from(n) {
        Ok(n) => Ok(Value::Int(n.isqrt() as i64)),
        Err(_) => i.unsupported("the root of a negative number"),
    }
})];

const KERNEL: &[Method] = &[m("format", 1, -1, format_text), m("sprintf", 1, -1, format_text)];

fn format_text(i: &mut Interp<'_>, _: &Value, a: &mut Args) -> Eval {
    let format = i.str(&a.list[0])?;
    i.sprintf(&format, &a.list[1..])
}
