//! Control structures: maps with a key such as `<<if` are replaced by a value.

use ecow::EcoString;

use super::evaluator::{Env, Evaluator, Info};
use super::tree::{Children, Inst, NodeLookup, Step};
use crate::diagnostics::stop::{Eval, OperandOutcome, Stop};
use crate::ids::{InstId, SrcId};
use crate::value::{Bound, Item, Scope, Value};

/// A control structure and the keys that belong to it.
struct Control {
    name: &'static str,
    options: &'static [&'static str],
    /// Whether other keys are allowed.
    regular: bool,
}

const CONTROLS: &[Control] = &[
    Control { name: "if", options: &["then", "else"], regular: false },
    Control { name: "switch", options: &["cases", "default"], regular: true },
    Control { name: "type", options: &["default"], regular: true },
    Control { name: "for", options: &["do", "mapkey"], regular: false },
    Control { name: "merge", options: &[], regular: true },
];

/// The largest number of rounds of a loop.
const MAX_ITERATIONS: usize = 1_000_000;

type Entries = Vec<(EcoString, InstId)>;

impl Evaluator<'_> {
    pub(crate) fn reach_control(&mut self, id: InstId, _src: SrcId) -> Eval<NodeLookup> {
        let own = self.own_entries(id);
        let (controls, regular): (Entries, Entries) =
            own.iter().cloned().partition(|e| e.0.starts_with("<<") && !e.0.starts_with("<<!"));
        for (_, node) in &controls {
            self.nodes[*node].fixed = true;
        }
        let control = which(&controls)?;
        if !control.regular {
            no_regular(&regular)?;
        }
        let result = match control.name {
            "if" => self.control_if(id, &controls),
            "switch" => self.control_switch(id, &controls, &regular),
            "type" => self.control_type(id, &controls, &regular),
            "for" => self.control_for(id, &controls),
            _ => self.control_merge(&controls, &regular),
        };
        let reached = match result {
            Err(Stop::Failed(issue)) => {
                return match self.override_of(id) {
                    Some(item) => Ok(NodeLookup::Value(item)),
                    None => Err(Stop::Failed(issue)),
                };
            }
            other => other?,
        };
        match self.override_of(id) {
            Some(item) => Ok(NodeLookup::Value(item)),
            None => Ok(reached),
        }
    }

    /// Records all parts of a structure without a value: all branches are reported while the chosen
    /// one is unknown.
    fn report_parts(&mut self, id: InstId) -> Eval<()> {
        const TEMPLATES: [&str; 2] = ["<<do", "<<mapkey"];
        for (key, node) in self.own_entries(id).iter() {
            if TEMPLATES.contains(&key.as_str()) || self.extra(id).reported.contains(node) {
                continue;
            }
            match self.deep(*node) {
                Ok(_) => {}
                Err(stop) if stop.is_suspend() => return Err(stop),
                Err(_) => self.extra(id).reported.push(*node),
            }
        }
        Ok(())
    }

    /// The value of a control key.
    fn control_value(&mut self, node: InstId) -> Eval<Option<Value>> {
        Ok(self.control_part(node)?.map(|i| i.value))
    }

    /// The value of a key whose errors are reported separately.
    fn control_part(&mut self, node: InstId) -> Eval<Option<Item>> {
        match self.deep(node) {
            Ok(item) => Ok(item),
            Err(stop @ Stop::Suspend(..)) => Err(stop),
            Err(stop) => {
                let structure = self.nodes[node].parent;
                self.extra(structure).reported.push(node);
                self.report_parts(structure)?;
                Err(if matches!(stop, Stop::Failed(_)) {
                    Stop::blocked("", Some(node), true)
                } else {
                    stop
                })
            }
        }
    }

    /// The chosen branch, in place of the structure.
    fn branch(&mut self, id: InstId, chosen: Option<InstId>) -> Eval<NodeLookup> {
        let Some(chosen) = chosen else { return Ok(NodeLookup::Undefined) };
        let body = self.nodes[chosen].body.clone();
        let mut inst = Inst::new(body, id, Step::Same);
        inst.fixed = true;
        let node = self.add(inst);
        self.extra(node).origin = Some(chosen);
        self.extra(id).reported.push(node);
        match self.reach(node)? {
            NodeLookup::Node(_, flags) => Ok(NodeLookup::Node(node, flags)),
            other => Ok(other),
        }
    }

    fn control_if(&mut self, id: InstId, controls: &Entries) -> Eval<NodeLookup> {
        let Some(condition) = entry(controls, "<<if") else { return Err(Stop::silent()) };
        let truth = match self.control_value(condition)? {
            None => return Ok(NodeLookup::Undefined),
            Some(value) => value.truth(),
        };
        let key = if truth { "<<then" } else { "<<else" };
        self.branch(id, entry(controls, key))
    }

    fn control_switch(
        &mut self,
        id: InstId,
        controls: &Entries,
        regular: &Entries,
    ) -> Eval<NodeLookup> {
        let Some(node) = entry(controls, "<<switch") else { return Err(Stop::silent()) };
        let value = match self.control_value(node)? {
            None => return Ok(NodeLookup::Undefined),
            Some(value) => value,
        };
        let default = entry(controls, "<<default");
        if let Some(cases) = entry(controls, "<<cases") {
            no_regular(regular)?;
            return self.control_cases(id, cases, &value, default);
        }
        let chosen = match value.simple_text() {
            Some(text) => entry(regular, &text).or(default),
            None if matches!(value, Value::Null) => default,
            None => return Err(Stop::failed("invalid switch value type")),
        };
        match chosen {
            Some(node) => self.branch(id, Some(node)),
            None => Err(no_case(&value)),
        }
    }

    fn control_cases(
        &mut self,
        id: InstId,
        cases: InstId,
        value: &Value,
        default: Option<InstId>,
    ) -> Eval<NodeLookup> {
        let list = match self.reach(cases)? {
            NodeLookup::Value(item) => {
                let NodeLookup::Node(node, _) = self.literal(cases, item, true) else {
                    return self.value_cases(id, cases, value, default);
                };
                node
            }
            NodeLookup::Node(node, _) => node,
            NodeLookup::Undefined => return Ok(NodeLookup::Undefined),
        };
        let children = self.children(list)?;
        let Children::List(entries, ..) = &*children else {
            return Err(Stop::failed("cases must be a list"));
        };
        for (n, case) in entries.iter().enumerate() {
            let fields = self.case_fields(*case)?;
            let matches = match (entry(&fields, "case"), entry(&fields, "match")) {
                (Some(node), _) => match self.control_value(node)? {
                    Some(found) => self.same(value, &found),
                    None => false,
                },
                (None, Some(node)) => match self.control_value(node)? {
                    Some(Value::Lambda(lambda)) => {
                        let args = vec![(None, value.clone().into())];
                        let env = Env::at(id);
                        self.apply(&lambda, args, &env, &mut Info::default())?.truth()
                    }
                    _ => {
                        return Err(Stop::failed(format!(
                            "case {n} requires a lambda for 'match'"
                        )));
                    }
                },
                (None, None) => {
                    let text = format!("case {n} requires 'case' or `'match' field");
                    return Err(Stop::failed(text));
                }
            };
            if matches {
                return self.branch(id, entry(&fields, "value"));
            }
        }
        match default {
            Some(node) => self.branch(id, Some(node)),
            None => Err(no_case(value)),
        }
    }

    /// Cases that are one finished value.
    fn value_cases(
        &mut self,
        id: InstId,
        cases: InstId,
        value: &Value,
        default: Option<InstId>,
    ) -> Eval<NodeLookup> {
        let Some(Value::List(list)) = self.control_value(cases)? else {
            return Err(Stop::failed("cases must be a list"));
        };
        for (n, case) in list.items.iter().enumerate() {
            let Value::Map(case) = &case.value else {
                return Err(Stop::failed(format!("case {n} must be a map")));
            };
            let wanted = case.get("case");
            if wanted.is_none() && case.get("match").is_none() {
                let text = format!("case {n} requires 'case' or `'match' field");
                return Err(Stop::failed(text));
            }
            if wanted.is_none_or(|w| self.same(value, &w.value)) {
                return Ok(case
                    .get("value")
                    .cloned()
                    .map_or(NodeLookup::Undefined, NodeLookup::Value));
            }
        }
        match default {
            Some(node) => self.branch(id, Some(node)),
            None => Err(no_case(value)),
        }
    }

    fn case_fields(&mut self, case: InstId) -> Eval<Entries> {
        let node = match self.reach(case)? {
            NodeLookup::Node(node, _) => node,
            NodeLookup::Value(_) => case,
            NodeLookup::Undefined => return Ok(Vec::new()),
        };
        let own = self.own_entries(node);
        Ok(own.to_vec())
    }

    fn control_type(
        &mut self,
        id: InstId,
        controls: &Entries,
        regular: &Entries,
    ) -> Eval<NodeLookup> {
        let Some(node) = entry(controls, "<<type") else { return Err(Stop::silent()) };
        let kind = match self.control_value(node)? {
            None => "undef",
            Some(value) => value.kind(),
        };
        let chosen = entry(regular, kind).or_else(|| entry(controls, "<<default"));
        match chosen {
            Some(node) => self.branch(id, Some(node)),
            None => Err(Stop::failed(format!("invalid type: {kind}"))),
        }
    }

    fn control_merge(&mut self, controls: &Entries, regular: &Entries) -> Eval<NodeLookup> {
        let Some(node) = entry(controls, "<<merge") else { return Err(Stop::silent()) };
        let value = self.control_value(node)?.unwrap_or_default();
        let maps = match &value {
            Value::Null => Vec::new(),
            Value::Map(map) => vec![std::rc::Rc::clone(map)],
            Value::List(list) => {
                let mut maps = Vec::new();
                for (n, item) in list.items.iter().enumerate() {
                    match &item.value {
                        Value::Map(map) => maps.push(std::rc::Rc::clone(map)),
                        Value::Null => {}
                        other => {
                            let kind = other.kind();
                            let text = format!("entry {n}: invalid entry type: {kind}");
                            return Err(Stop::failed(text));
                        }
                    }
                }
                maps
            }
            other => {
                return Err(Stop::failed(format!("invalid value type: {}", other.kind())));
            }
        };
        let mut entries: Vec<(EcoString, Item)> = Vec::new();
        let mut waiting = OperandOutcome::default();
        for (key, node) in regular {
            if let Some(Some(item)) = waiting.take(self.control_part(*node))? {
                entries.push((key.clone(), item));
            }
        }
        waiting.end()?;
        for map in maps {
            entries.extend(map.entries().iter().cloned());
        }
        Ok(NodeLookup::Value(Value::Map(crate::value::Map::new(entries)).into()))
    }

    fn control_for(&mut self, id: InstId, controls: &Entries) -> Eval<NodeLookup> {
        let Some(node) = entry(controls, "<<for") else { return Err(Stop::silent()) };
        let key = entry(controls, "<<mapkey");
        let ranges = self.control_value(node)?;
        let Some(body) = entry(controls, "<<do") else {
            return Err(Stop::failed("do field required"));
        };
        let Some(ranges) = ranges else { return Ok(NodeLookup::Undefined) };
        let ranges = self.loop_ranges(&ranges)?;
        let mut out = Vec::new();
        self.rounds(id, &ranges, &mut Vec::new(), body, key, &mut out)?;
        let value = if key.is_some() {
            Value::Map(crate::value::Map::new(out))
        } else {
            Value::List(crate::value::List::new(out.into_iter().map(|e| e.1).collect(), None))
        };
        Ok(NodeLookup::Value(self.bounded(value)?.into()))
    }

    fn loop_ranges(&self, ranges: &Value) -> Eval<Vec<Range>> {
        let mut out = Vec::new();
        match ranges {
            Value::Map(map) => {
                for (name, item) in map.entries() {
                    let mut names = name.split(',').map(str::trim);
                    let (index, value) = match (names.next(), names.next(), names.next()) {
                        (Some(value), None, None) => (None, value),
                        (Some(index), Some(value), None) => (Some(index.into()), value),
                        _ => {
                            return Err(Stop::failed(format!(
                                "invalid control variable spec {:?}",
                                name.as_str()
                            )));
                        }
                    };
                    out.push(Range { name: value.into(), index, values: item.value.clone() });
                }
                out.sort_by(|a, b| (&a.name, &a.index).cmp(&(&b.name, &b.index)));
            }
            Value::List(list) => {
                for item in &list.items {
                    let Value::Map(map) = &item.value else {
                        return Err(Stop::failed(format!(
                            "control variable list entry requires may but got {}",
                            item.value.kind()
                        )));
                    };
                    let text = |key: &str| map.get(key).and_then(|i| i.value.as_str()).cloned();
                    let Some(name) = text("name") else {
                        return Err(Stop::failed(
                            "control variable list entry requires name field",
                        ));
                    };
                    let Some(values) = map.get("values").map(|i| i.value.clone()) else {
                        return Err(Stop::failed(
                            "control variable list entry requires values field",
                        ));
                    };
                    out.push(Range { name, index: text("index"), values });
                }
            }
            other => {
                return Err(Stop::failed(format!(
                    "value field must be map but got {}",
                    other.kind()
                )));
            }
        }
        Ok(out)
    }

    fn rounds(
        &mut self,
        id: InstId,
        ranges: &[Range],
        names: &mut Vec<(EcoString, Bound)>,
        body: InstId,
        key: Option<InstId>,
        out: &mut Vec<(EcoString, Item)>,
    ) -> Eval<()> {
        let Some((range, rest)) = ranges.split_first() else {
            return self.round(id, names.clone(), body, key, out);
        };
        let items: Vec<(Value, Item)> = match &range.values {
            Value::List(list) => (0..).map(Value::Int).zip(list.items.iter().cloned()).collect(),
            Value::Map(map) => {
                map.entries().iter().map(|(k, i)| (Value::Str(k.clone()), i.clone())).collect()
            }
            other => {
                return Err(Stop::failed(format!(
                    "control variable {:?} requires list or map value, but got {}",
                    range.name.as_str(),
                    other.kind()
                )));
            }
        };
        for (index, item) in items {
            let before = names.len();
            names.push((ecow::eco_format!("index-{}", range.name), index.clone().into()));
            if let Some(name) = &range.index {
                names.push((name.clone(), index.into()));
            }
            names.push((range.name.clone(), Bound::Value(item)));
            self.rounds(id, rest, names, body, key, out)?;
            names.truncate(before);
        }
        Ok(())
    }

    fn round(
        &mut self,
        id: InstId,
        names: Vec<(EcoString, Bound)>,
        body: InstId,
        key: Option<InstId>,
        out: &mut Vec<(EcoString, Item)>,
    ) -> Eval<()> {
        if out.len() >= MAX_ITERATIONS {
            return Err(Stop::failed("the loop has too many rounds"));
        }
        let scope = Scope::default().with(names);
        let evaluate = |node: InstId, this: &mut Self| -> Eval<Option<Item>> {
            let body = this.nodes[node].body.clone();
            let instance = this.add_instance(body, id, scope.clone(), true);
            match this.deep(instance) {
                Err(stop @ Stop::Suspend(..)) => Err(stop),
                Err(_) => Err(this.nested_trouble(instance, "error evaluating body".into())),
                other => other,
            }
        };
        let name = match key {
            None => EcoString::new(),
            Some(key) => match evaluate(key, self)?.map(|i| i.value) {
                Some(Value::Null) | None => return Ok(()),
                Some(value) => value.simple_text().ok_or_else(|| {
                    Stop::failed(format!("map key must be a simple value, found {}", value.kind()))
                })?,
            },
        };
        let item = evaluate(body, self)?;
        if let Some(mut item) = item {
            if let Value::Template(template) = &item.value {
                let template = std::rc::Rc::clone(template);
                let env = Env { locals: scope.clone(), ..Env::at(id) };
                let mut info = Info::default();
                item.value = self.use_template(&template, &env, &mut info)?;
                if info.undefined {
                    return Ok(());
                }
            }
            out.push((name, item));
        }
        Ok(())
    }
}

/// A variable of a loop.
struct Range {
    name: EcoString,
    index: Option<EcoString>,
    values: Value,
}

fn entry(entries: &Entries, key: &str) -> Option<InstId> {
    entries.iter().find(|e| e.0 == key).map(|e| e.1)
}

/// The control structure that the keys say.
fn which(controls: &Entries) -> Eval<&'static Control> {
    let mut found: Option<&'static Control> = None;
    for (key, _) in controls {
        let name = key.trim_start_matches('<');
        if let Some(control) = CONTROLS.iter().find(|c| c.name == name) {
            if let Some(other) = found {
                return Err(Stop::failed(format!(
                    "multiple controls \"<<{}\" and \"<<{}\"",
                    other.name, control.name
                )));
            }
            found = Some(control);
        }
    }
    let known = |name: &str| CONTROLS.iter().any(|c| c.name == name || c.options.contains(&name));
    for (key, _) in controls {
        let name = key.trim_start_matches('<');
        if !known(name) {
            return Err(Stop::failed(format!(
                "unknown control or control option {:?}",
                key.as_str()
            )));
        }
        if let Some(control) = found
            && control.name != name
            && !control.options.contains(&name)
        {
            let text =
                format!("invalid option {:?} for control \"<<{}\"", key.as_str(), control.name);
            return Err(Stop::failed(text));
        }
    }
    let Some(control) = found else {
        let names: Vec<&str> = controls.iter().map(|c| c.0.trim_start_matches('<')).collect();
        return Err(Stop::failed(format!("control options [{}] without control", names.join(" "))));
    };
    Ok(control)
}

/// The control structure that the keys form, if any.
pub(crate) fn named<'k>(keys: impl Iterator<Item = &'k str>) -> Option<&'static str> {
    let controls: Entries = keys
        .filter(|key| key.starts_with("<<") && !key.starts_with("<<!"))
        .map(|key| (key.into(), crate::ids::NOWHERE))
        .collect();
    which(&controls).ok().map(|control| control.name)
}

fn no_regular(regular: &Entries) -> Eval<()> {
    if regular.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = regular.iter().map(|c| c.0.as_str()).collect();
    Err(Stop::failed(format!("no regular fields [{}] allowed", names.join(" "))))
}

/// The error of a switch without a case for a value.
fn no_case(value: &Value) -> Stop {
    let text = value.simple_text().unwrap_or_default();
    Stop::failed(format!("invalid switch value: {:?}", text.as_str()))
}
