//! Functions whose signature depends on the call. The known parts of the arguments select it, and
//! the inferred types are checked afterwards.

use super::{Builtin, Shape};
use crate::Edition;
use crate::types::{FuncType, StructType, Type};
use crate::value::Value;

/// The known parts of an argument before types are inferred.
#[derive(Clone, Default, Debug)]
pub struct KnownArg {
    /// Its type, with the type variables of the caller.
    pub ty: Option<Type>,
    /// Its value, if it is a literal.
    pub value: Option<Value>,
}

impl KnownArg {
    fn text(&self) -> Option<String> {
        Some(self.value.as_ref()?.as_str()?.to_text().into_owned())
    }

    fn struct_type(&self) -> Option<&StructType> {
        match self.ty.as_ref()? {
            Type::Struct(shape) => Some(shape),
            _ => None,
        }
    }
}

/// The maximal number of variables of a signature itself. Variables from the known type of an
/// argument keep their numbers, which callers choose above this one.
pub(crate) const OWN_VARIABLES: u32 = 100;

/// The signature of a call. Variables up to `OWN_VARIABLES` are fresh ones.
///
/// # Errors
/// The reason, if the function refuses such a call.
pub fn instantiate(builtin: &Builtin, args: &[KnownArg]) -> Result<FuncType, String> {
    if builtin.shape == Shape::Fixed {
        let ty = builtin.signature();
        let shape = ty.as_func().ok_or("it has no signature")?;
        return Ok((**shape).clone());
    }
    match builtin.name {
        "_operator" => operator(args),
        "_lookup" => lookup(args),
        "_struct_lookup" => struct_lookup(args),
        "_struct_lookup_optional" => struct_lookup_optional(args),
        "fmt.printf" => printf(args),
        "golang.template" => {
            let vars = match args.len() {
                1 => "func(template str) str",
                2 => "func(template str, vars ?1) str",
                _ => return Err("must have at either one or two args".into()),
            };
            read(vars)
        }
        "iter.range" => match args.len() {
            1 => read("func(int) []int"),
            2 => read("func(int, int) []int"),
            3 => read("func(int, int, int) []int"),
            _ => Err("function must have between 1 and 3 args".into()),
        },
        "iter.reduce" => match args.len() {
            2 => read("func(inputs []?1, function func(?1, ?1) ?1) ?1"),
            3 => read("func(initval ?1, inputs []?1, function func(?1, ?1) ?1) ?1"),
            _ => Err("must have either two or three args".into()),
        },
        "list.concat" => match args.len() {
            0 => Err("must have at least one arg".into()),
            n => Ok(FuncType::new(vec![Type::list(Type::Var(1)); n], Type::list(Type::Var(1)))),
        },
        "encoding.decode_json" | "encoding.decode_json_flexible" => decode_json(args),
        "_collect" => collect(args),
        _ => read(builtin.text),
    }
}

fn read(text: &str) -> Result<FuncType, String> {
    let ty = crate::types::parse(text).map_err(|error| error.to_string())?;
    ty.as_func().map(|shape| (**shape).clone()).ok_or_else(|| "it has no signature".into())
}

fn operator(args: &[KnownArg]) -> Result<FuncType, String> {
    let operator = args.first().and_then(KnownArg::text).ok_or("the operator is not known")?;
    let text = match (operator.as_str(), args.len()) {
        ("not", 2) => "func(op str, a bool) bool",
        ("+" | "-" | "*", 3) => "func(op str, a ?1, b ?1) ?1",
        ("/", 3) => "func(op str, a ?1, b ?1) float",
        ("==" | "!=" | "<" | ">" | "<=" | ">=", 3) => "func(op str, a ?1, b ?1) bool",
        ("and" | "or", 3) => "func(op str, a bool, b bool) bool",
        ("in", 3) => "func(op str, a ?1, b []?1) bool",
        _ => return Err(format!("no operator {operator} has {} operands", args.len() - 1)),
    };
    read(text)
}

const LIST_LOOKUP: &str = "func(listormap []?1, indexorkey int) ?1";
const MAP_LOOKUP: &str = "func(listormap map{?1: ?2}, indexorkey ?1) ?2";

fn lookup(args: &[KnownArg]) -> Result<FuncType, String> {
    let [target, key] = args else { return Err("the lookup function needs two args".into()) };
    match (&target.ty, &key.ty) {
        (Some(Type::List(_)), _) => read(LIST_LOOKUP),
        (Some(Type::Map(_)), _) => read(MAP_LOOKUP),
        (_, Some(key)) if !matches!(key, Type::Int) => read(MAP_LOOKUP),
        _ => read("func(listormap ?1, indexorkey ?2) ?3"),
    }
}

fn field_name(args: &[KnownArg]) -> Result<String, String> {
    match args.get(1).and_then(KnownArg::text) {
        None => Err("the field is not known".into()),
        Some(name) if name.is_empty() => Err("function must not have an empty field name".into()),
        Some(name) => Ok(name),
    }
}

fn struct_lookup(args: &[KnownArg]) -> Result<FuncType, String> {
    if args.len() != 2 {
        return Err("function must have 2 args".into());
    }
    let name = field_name(args)?;
    let mut shape = read("func(struct ?1, field str) ?2")?;
    if let Some(known) = args.first().and_then(KnownArg::struct_type) {
        // A missing one is reported when the types are known.
        if let Some(field) = known.get(&name) {
            shape.result = field.clone();
        }
    }
    Ok(shape)
}

fn struct_lookup_optional(args: &[KnownArg]) -> Result<FuncType, String> {
    if args.len() != 3 {
        return Err("function must have 3 args".into());
    }
    let name = field_name(args)?;
    let mut shape = read("func(struct ?1, field str, optional ?2) ?2")?;
    let known = args.first().and_then(KnownArg::struct_type);
    if let (Some(field), [_, _, default]) =
        (known.and_then(|known| known.get(&name)), &mut *shape.args)
    {
        *default = field.clone();
        shape.result = field.clone();
    }
    Ok(shape)
}

fn decode_json(args: &[KnownArg]) -> Result<FuncType, String> {
    match args {
        [_] => read("func(data str) ?1"),
        [_, ty] => {
            let mut shape = read("func(data str, type str) ?1")?;
            if let Some(text) = ty.text() {
                shape.result = crate::types::parse(&text)
                    .ok()
                    .filter(Type::is_known)
                    .ok_or("invalid type specification")?;
            }
            Ok(shape)
        }
        _ => Err("must have at either one or two args".into()),
    }
}

fn collect(args: &[KnownArg]) -> Result<FuncType, String> {
    let names = match args.get(1).and_then(|names| names.ty.as_ref()) {
        Some(Type::Str) => "str",
        Some(Type::List(item)) if **item == Type::Str => "[]str",
        Some(Type::List(item)) if matches!(**item, Type::Struct(_)) => {
            "[]struct{name str; host str}"
        }
        _ => "[]str",
    };
    let result = "[]struct{name str; host str; data str}";
    read(&format!("func(kind str, names {names}) {result}"))
}

/// The types for the verbs of a format; `None` means any type.
///
/// # Errors
/// `invalid format string at 3`
pub(crate) fn verbs(format: &[u8]) -> Result<Vec<Option<Type>>, String> {
    let mut types = Vec::new();
    let mut is_verb = false;
    for (index, byte) in format.iter().enumerate() {
        if *byte == b'%' {
            is_verb = !is_verb;
            continue;
        }
        if !is_verb {
            continue;
        }
        types.push(match byte {
            b't' => Some(Type::Bool),
            b's' | b'q' => Some(Type::Str),
            b'd' => Some(Type::Int),
            b'f' => Some(Type::Float),
            b'v' | b'T' => None,
            _ => return Err(format!("invalid format string at {index}")),
        });
        is_verb = false;
    }
    Ok(types)
}

fn printf(args: &[KnownArg]) -> Result<FuncType, String> {
    let Some((format, rest)) = args.split_first() else {
        return Err("must have at least one arg".into());
    };
    if let Some(ty) = &format.ty
        && !matches!(ty, Type::Str | Type::Var(_))
    {
        return Err(format!("format string was a {ty}"));
    }
    let wanted = match &format.value {
        Some(Value::Str(text)) => Some(
            verbs(text.as_bytes())
                .map_err(|reason| format!("could not parse format string: {reason}"))?,
        ),
        _ => None,
    };
    if let Some(wanted) = &wanted
        && wanted.len() != rest.len()
    {
        let (args, verbs) = (rest.len(), wanted.len());
        return Err(format!(
            "number of args ({args}) doesn't match format string verb count ({verbs})"
        ));
    }
    let mut shape = FuncType::new(vec![Type::Str], Type::Str);
    shape.names = vec!["format".into()];
    for (index, arg) in rest.iter().enumerate() {
        let verb = wanted.as_ref().and_then(|wanted| wanted.get(index).cloned().flatten());
        let fresh = Type::Var(u32::try_from(index + 1).unwrap_or(u32::MAX).min(OWN_VARIABLES));
        let own = || arg.value.as_ref().map(Type::of).filter(Type::is_known);
        let known = arg.ty.clone().or_else(own);
        if let (Some(verb), Some(known)) = (&verb, &known)
            && verb.kind() != known.kind()
            && !matches!(known, Type::Var(_))
        {
            let (a, b) = (known.kind(), verb.kind());
            return Err(format!(
                "inconsistent type at arg index {}: type error: {a} != {b}",
                index + 1
            ));
        }
        shape.names.push(argument_name(index));
        shape.args.push(known.or(verb).unwrap_or(fresh));
    }
    Ok(shape)
}

/// The name of an argument by its number: `a`, `b`, …, `z`, `aa`.
pub(crate) fn argument_name(index: usize) -> ecow::EcoString {
    let mut letters = Vec::new();
    let mut rest = index + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    letters.into_iter().rev().collect()
}

/// Checks the types that inference found for a call.
///
/// # Errors
/// The reason, if the function has no such form.
pub fn validate(
    builtin: &Builtin,
    args: &[KnownArg],
    solved: &FuncType,
    edition: Edition,
) -> Result<(), String> {
    let first = solved.args.first();
    let no_match = || {
        let function = builtin.name;
        Err(format!("can't build {function} with {}: did not match", numbered(solved)))
    };
    match (builtin.name, first) {
        ("len", Some(Type::Str | Type::List(_) | Type::Map(_))) => Ok(()),
        ("panic", Some(Type::Bool | Type::Str)) => Ok(()),
        ("math.mod", Some(Type::Int | Type::Float)) => Ok(()),
        ("len" | "panic" | "math.mod", _) => no_match(),
        ("math.fortytwo", _) if !matches!(solved.result, Type::Int | Type::Float) => no_match(),
        ("_lookup", Some(Type::List(_))) if solved.args.get(1) != Some(&Type::Int) => {
            Err("second arg for list lookup must be an int".into())
        }
        // In the original, a result of another type is an error of the lookup.
        ("_lookup", Some(Type::List(_) | Type::Map(_))) if edition == Edition::Upstream => Ok(()),
        ("_lookup", Some(Type::List(item))) => same_result(&solved.result, item, "list"),
        ("_lookup", Some(Type::Map(pair))) => same_result(&solved.result, &pair.1, "map"),
        ("_lookup", _) => Err("we must lookup from either a list or a map".into()),
        ("_struct_lookup", _) => {
            let name = field_name(args)?;
            match first {
                Some(Type::Struct(shape)) => match shape.get(&name) {
                    None => Err(format!("field {name} was not found in struct")),
                    Some(ty) if *ty == solved.result => Ok(()),
                    Some(ty) => {
                        Err(format!("field {name} type error: {}", mismatch(&solved.result, ty)))
                    }
                },
                other => Err(format!("first arg must be of kind struct, got: {}", kind(other))),
            }
        }
        ("_struct_lookup_optional", _) => {
            let name = field_name(args)?;
            match first {
                Some(Type::Struct(shape)) => match shape.get(&name) {
                    Some(ty) if *ty != solved.result => Err(format!(
                        "non-optional arg must match return type: {}",
                        mismatch(&solved.result, ty)
                    )),
                    _ => Ok(()),
                },
                other => Err(format!("first arg must be of kind struct, got: {}", kind(other))),
            }
        }
        _ => Ok(()),
    }
}

fn kind(ty: Option<&Type>) -> &'static str {
    ty.map_or("nil", Type::kind)
}

/// The difference between two types.
pub(crate) fn mismatch(a: &Type, b: &Type) -> String {
    if a.kind() == b.kind() {
        return format!("{a} != {b}");
    }
    format!("base kind does not match ({} != {})", a.kind(), b.kind())
}

fn same_result(result: &Type, item: &Type, kind: &str) -> Result<(), String> {
    if result == item {
        return Ok(());
    }
    Err(format!("return type must match {kind} value type: {}", mismatch(result, item)))
}

/// A signature with numbers for the names of its arguments: `func(0 int) int`.
fn numbered(shape: &FuncType) -> String {
    let names = (0..shape.args.len()).map(|index| index.to_string().into()).collect();
    FuncType { names, ..shape.clone() }.to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::functions::find;

    fn known(ty: &str) -> KnownArg {
        KnownArg { ty: Some(crate::types::parse(ty).unwrap()), value: None }
    }

    fn text(value: &str) -> KnownArg {
        KnownArg { ty: Some(Type::Str), value: Some(value.into()) }
    }

    #[test]
    fn operators_and_lookups_pick_their_signature() {
        let of = |name: &str, args: &[KnownArg]| {
            instantiate(find(name).unwrap(), args).unwrap().to_string()
        };
        assert_eq!(
            of("_operator", &[text("/"), KnownArg::default(), KnownArg::default()]),
            "func(op str, a ?1, b ?1) float"
        );
        assert_eq!(of("_lookup", &[known("[]str"), known("int")]), LIST_LOOKUP);
        assert_eq!(of("_lookup", &[KnownArg::default(), known("str")]), MAP_LOOKUP);
        assert_eq!(
            of("_struct_lookup", &[known("struct{a int}"), text("a")]),
            "func(struct ?1, field str) int"
        );
    }

    #[test]
    fn formats_are_checked() {
        assert_eq!(verbs(b"%d %s %% %v%").unwrap(), [Some(Type::Int), Some(Type::Str), None]);
        assert_eq!(verbs(b"%5d").unwrap_err(), "invalid format string at 1");
        let error = |args: &[KnownArg]| printf(args).unwrap_err();
        assert_eq!(
            error(&[text("%d%s"), known("int")]),
            "number of args (1) doesn't match format string verb count (2)"
        );
        assert_eq!(
            error(&[text("%d"), known("str")]),
            "inconsistent type at arg index 1: type error: str != int"
        );
        let shape = printf(&[text("%d %v"), KnownArg::default(), KnownArg::default()]).unwrap();
        assert_eq!(shape.to_string(), "func(format str, a int, b ?2) str");
    }

    #[test]
    fn solutions_are_checked() {
        let len = find("len").unwrap();
        let solved = FuncType::new(vec![Type::Int], Type::Int);
        let error = validate(len, &[], &solved, Edition::Wide).unwrap_err();
        assert_eq!(error, "can't build len with func(0 int) int: did not match");
    }
}
