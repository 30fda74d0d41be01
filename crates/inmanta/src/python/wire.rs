//! Values as messages.
//!
//! What JSON has no word for is an object with one key: `$d` a dict with its order, `$o` an
//! instance, `$u` a value that is not known, `$r` a reference, `$c` a new instance of a dataclass,
//! `$i` a large whole number, `$f` a float that is not finite, `$p` another Python object, `$b` one
//! in a field that stands for a value of the model anywhere else.

use std::rc::Rc;

use ecow::EcoString;
use indexmap::IndexSet;
use ordain_functions::base64;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};

use crate::plugin::{Context, Origin, Stop, TypeExpr};
use crate::value::{InstanceId, Names, Object, Reference, Sort, Unknown, Value};

/// What the child has of the model.
#[derive(Default)]
pub(super) struct Mirror {
    /// The values that are not known, by number: each is equal only to itself.
    unknowns: Vec<Value>,
    numbers: FxHashMap<*const Unknown, usize>,
    /// The instances of which it has the name and the text, in the order in which it was told.
    told: IndexSet<u32, FxBuildHasher>,
    /// Those of which the next message has to tell.
    untold: Vec<InstanceId>,
    /// Whether the run is over, so that all attributes have their values for good.
    is_finished: bool,
    /// Up to which of those that it was told of all instances of an entity were sent after the run.
    complete: FxHashMap<EcoString, usize>,
    /// The instances that were sent after the run.
    rows: FxHashSet<u32>,
    /// The instances of which all attributes were sent that had a value then.
    sent: FxHashSet<u32>,
    /// The objects that instances were made from, by the numbers that the child has for them.
    objects: FxHashMap<u32, u64>,
}

impl Mirror {
    fn number(&mut self, value: &Value, unknown: &Rc<Unknown>) -> usize {
        let next = self.unknowns.len();
        let number = *self.numbers.entry(Rc::as_ptr(unknown)).or_insert(next);
        if number == next {
            // It is kept, so its address stays its own.
            self.unknowns.push(value.clone());
        }
        number
    }

    /// Makes sure that the child knows an instance when it gets the next message.
    pub(super) fn tell(&mut self, instance: InstanceId) {
        if self.told.insert(instance.0) {
            self.untold.push(instance);
        }
    }

    /// What the next message has to tell of instances besides their attributes: their numbers,
    /// entities and texts, and the numbers of the objects that they were made from.
    pub(super) fn news(&mut self, names: &dyn Names) -> Option<Json> {
        if self.untold.is_empty() {
            return None;
        }
        let about = |instance: InstanceId| {
            json!([
                instance.0,
                names.entity_name(instance),
                Value::Instance(instance).repr(names),
                self.objects.get(&instance.0),
            ])
        };
        let said = self.untold.iter().map(|&instance| about(instance)).collect();
        self.untold.clear();
        Some(said)
    }

    /// The run is over: from now on many attributes are sent at once.
    pub(super) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Whether the run is over.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Whether the attributes of an instance were not sent since the end of the run; from now on they
    /// were.
    pub(super) fn completes(&mut self, instance: InstanceId) -> bool {
        self.rows.insert(instance.0)
    }

    /// The next instance of an entity that the child was told of and has not got the attributes of.
    pub(super) fn next_incomplete(
        &mut self,
        entity: &str,
        names: &dyn Names,
    ) -> Option<InstanceId> {
        let mut at = self.complete.get(entity).copied().unwrap_or_default();
        let mut found = None;
        while let Some(&number) = self.told.get_index(at)
            && found.is_none()
        {
            at += 1;
            let is_wanted =
                names.entity_name(InstanceId(number)) == entity && self.rows.insert(number);
            found = is_wanted.then_some(InstanceId(number));
        }
        self.complete.insert(entity.into(), at);
        found
    }

    /// Whether the attributes of an instance are still to be sent; from now on they are not.
    pub(super) fn wants(&mut self, instance: InstanceId) -> bool {
        self.sent.insert(instance.0)
    }

    /// The attributes of an instance are to be sent again: some had no value yet.
    pub(super) fn lacks(&mut self, instance: InstanceId) {
        self.sent.remove(&instance.0);
    }
}

/// A value as a message.
pub(super) fn sent(value: &Value, mirror: &mut Mirror) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::BigInt(number) => json!({"$i": number.to_string()}),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) => json!({"$f": crate::value::float_text(*number)}),
        Value::Str(text) => json!(text.as_str()),
        Value::List(items) => items.iter().map(|item| sent(item, mirror)).collect(),
        Value::Dict(entries) => {
            let entries: Vec<Json> = entries
                .iter()
                .map(|(key, value)| json!([key.as_str(), sent(value, mirror)]))
                .collect();
            json!({"$d": entries})
        }
        Value::Instance(instance) => {
            mirror.tell(*instance);
            json!({"$o": instance.0})
        }
        Value::Object(object) => json!({"$p": [object.number]}),
        Value::Unknown(unknown) => {
            json!({"$u": [mirror.number(value, unknown), unknown.source.as_str()]})
        }
        Value::Reference(reference) => {
            let arguments: Vec<Json> = reference
                .arguments
                .iter()
                .map(|(name, value)| json!([name.as_str(), sent(value, mirror)]))
                .collect();
            json!({"$r": {
                "name": reference.name.as_str(),
                "class": reference.class.as_str(),
                "arguments": arguments,
                "number": reference.number,
            }})
        }
    }
}

/// A message as a value.
///
/// # Errors
/// If it makes an instance, and that fails.
pub(super) fn received(
    json: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => {
            let items: Result<Vec<_>, _> =
                items.iter().map(|item| received(item, context, mirror)).collect();
            Value::list(items?)
        }
        Json::Object(entries) => {
            let Some((kind, what)) = entries.iter().next() else { return Ok(Value::Null) };
            tagged(kind, what, context, mirror)?
        }
    })
}

fn pairs(
    json: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Vec<(EcoString, Value)>, Stop> {
    let mut out = Vec::new();
    for pair in json.as_array().into_iter().flatten() {
        let key = EcoString::from(pair[0].as_str().unwrap_or_default());
        out.push((key, received(&pair[1], context, mirror)?));
    }
    Ok(out)
}

fn tagged(
    kind: &str,
    what: &Json,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    Ok(match kind {
        "$d" => Value::dict(pairs(what, context, mirror)?),
        "$o" => Value::Instance(InstanceId(what[0].as_u64().unwrap_or(u64::MAX) as u32)),
        "$u" => {
            let known = what[0].as_u64().and_then(|number| mirror.unknowns.get(number as usize));
            known.cloned().unwrap_or_else(|| Value::unknown(what[1].as_str().unwrap_or_default()))
        }
        "$i" => Value::int(what.as_str().unwrap_or_default().parse().unwrap_or_default()),
        "$f" => {
            let text = what.as_str().unwrap_or_default();
            Value::Float(ordain_functions::float::parse_python(text).unwrap_or(f64::NAN))
        }
        "$r" => reference(what, context, mirror)?,
        "$c" => {
            let attributes = pairs(&what[1], context, mirror)?;
            let entity = what[0].as_str().unwrap_or_default();
            let made = context.construct(entity, &attributes, Some(&Origin::Object))?;
            keep(&made, what[2].as_u64(), mirror);
            made
        }
        _ => object(what, kind == "$b", context, mirror)?,
    })
}

fn object(
    what: &Json,
    is_bare: bool,
    context: &mut dyn Context,
    mirror: &mut Mirror,
) -> Result<Value, Stop> {
    let text = |at: usize| what[at].as_str().unwrap_or_default();
    let sort = match text(5) {
        "tuple" => Sort::Tuple(received(&what[6], context, mirror)?),
        "items" => Sort::Items(received(&what[6], context, mirror)?),
        "bytes" => Sort::Bytes(base64::decode(text(6), base64::Mode::Strict).unwrap_or_default()),
        "number" => Sort::Number,
        _ if is_bare && text(1) == "NoneType" => Sort::BareNone,
        _ if is_bare => Sort::BareReference,
        _ => Sort::Other,
    };
    Ok(Value::Object(Rc::new(Object {
        number: what[0].as_u64().unwrap_or_default(),
        class: text(1).into(),
        text: text(2).into(),
        repr: text(3).into(),
        handed: text(4).into(),
        sort,
    })))
}

/// Notes the object that an instance was made from.
fn keep(made: &Value, number: Option<u64>, mirror: &mut Mirror) {
    if let (Value::Instance(instance), Some(number)) = (made, number) {
        mirror.objects.insert(instance.0, number);
        if mirror.told.contains(&instance.0) && !mirror.untold.contains(instance) {
            mirror.untold.push(*instance);
        }
    }
}

/// A reference. One to a dataclass is an instance whose attributes are references to the fields.
fn reference(what: &Json, context: &mut dyn Context, mirror: &mut Mirror) -> Result<Value, Stop> {
    let reference = Rc::new(Reference {
        name: what["name"].as_str().unwrap_or_default().into(),
        class: what["class"].as_str().unwrap_or_default().into(),
        arguments: pairs(&what["arguments"], context, mirror)?,
        computes: type_expr(&what["computes"]),
        text: what["text"].as_str().unwrap_or_default().to_owned(),
        repr: what["repr"].as_str().map(str::to_owned),
        number: what["number"].as_u64(),
    });
    let Some(entity) = what["fields"][0].as_str() else { return Ok(Value::Reference(reference)) };
    let mut attributes = Vec::new();
    for name in what["fields"][1].as_array().into_iter().flatten() {
        let name = EcoString::from(name.as_str().unwrap_or_default());
        let attribute = Reference {
            name: "core::AttributeReference".into(),
            class: "AttributeReference".into(),
            arguments: vec![
                ("attribute_name".into(), Value::Str(name.clone())),
                ("reference".into(), Value::Reference(Rc::clone(&reference))),
            ],
            computes: context.attribute_type(entity, &name),
            text: "<inmanta.references.AttributeReference object>".into(),
            repr: None,
            number: None,
        };
        attributes.push((name, Value::Reference(Rc::new(attribute))));
    }
    let number = reference.number;
    let made = context.construct(entity, &attributes, Some(&Origin::Reference(reference)))?;
    keep(&made, number, mirror);
    Ok(made)
}

/// A type as the child describes it.
pub(super) fn type_expr(json: &Json) -> TypeExpr {
    let inner = || Box::new(type_expr(&json[1]));
    match json[0].as_str().unwrap_or_default() {
        "model" => TypeExpr::model(json[1].as_str().unwrap_or("any")),
        "written" => TypeExpr::Written(json[1].as_str().unwrap_or_default().into()),
        "dataclass" => {
            let names = json[1].as_array().into_iter().flatten().filter_map(Json::as_str);
            let text = json[2].as_str().unwrap_or_default();
            TypeExpr::Dataclass(names.map(EcoString::from).collect(), text.into())
        }
        "null" => TypeExpr::Null,
        "number" => TypeExpr::Number,
        "list" => TypeExpr::List(inner()),
        "dict" => TypeExpr::Dict(inner()),
        "nullable" => TypeExpr::Nullable(inner()),
        "ref" => TypeExpr::Reference(inner()),
        "union" => {
            TypeExpr::Union(json[1].as_array().into_iter().flatten().map(type_expr).collect())
        }
        _ => TypeExpr::Any,
    }
}
