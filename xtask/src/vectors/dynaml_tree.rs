//! Prints dynaml's syntax trees in the form of the real program's types.

use ordain_dynaml::eval::Dialect;
use ordain_dynaml::syntax::ast::{
    Arg, BinaryOp, Expr, ExprId, Exprs, LambdaExpr, MapKind, Marker, Merge, PathStep, Reference,
};
use ordain_dynaml::syntax::{parser, print};
use serde_json::{Value as Json, json};

use super::Disagreement;

/// Compares an expression's tree and its canonical text.
pub(super) fn parse(case: &Json, dialect: Dialect) -> Disagreement {
    let mut exprs = Exprs::default();
    let parsed = parser::parse(case["source"].as_str()?, &mut exprs);
    let expr = match (parsed, case["ast"].is_null()) {
        (Ok(expr), false) => expr,
        (Ok(expr), true) => {
            return Some(format!("expected an error\n     got {}", print::print(&exprs, expr)));
        }
        (Err(_), true) => return None,
        (Err(error), false) => return Some(error.message),
    };
    let path = case["path"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let tree = Tree { exprs: &exprs, dialect, path: path.collect() };
    let (want, got) = (&case["ast"], tree.expr(expr));
    if *want != got {
        return Some(format!("expected {want}\n     got {got}"));
    }
    let text = print::print(&exprs, expr);
    (case["string"] != text).then(|| format!("expected {}\n     got {text:?}", case["string"]))
}

struct Tree<'e> {
    exprs: &'e Exprs,
    dialect: Dialect,
    /// The path of the node with the expression.
    path: Vec<&'e str>,
}

impl Tree<'_> {
    fn is_plus(&self) -> bool {
        self.dialect == Dialect::SpiffPlusPlus
    }

    fn expr(&self, id: ExprId) -> Json {
        match &self.exprs[id] {
            Expr::Null => json!({"_type": "NilExpr"}),
            Expr::Undefined => json!({"_type": "UndefinedExpr"}),
            Expr::Bool(b) => json!({"_type": "BooleanExpr", "Value": b}),
            Expr::Int(n) => json!({"_type": "IntegerExpr", "Value": n}),
            Expr::Float(x) => json!({"_type": "FloatExpr", "Value": x}),
            Expr::Str(s) => json!({"_type": "StringExpr", "Value": s.as_str()}),
            Expr::Ref(r) => self.path_reference(r),
            Expr::Qualified(base, path) => json!({
                "_type": "QualifiedExpr",
                "Expression": self.expr(*base),
                "Reference": self.reference(&strings(path), ""),
            }),
            Expr::Dynamic(base, index) => json!({
                "_type": "DynamicExpr",
                "Root": base.map(|b| self.expr(b)),
                "Index": {"_type": "ListExpr", "Contents": self.args(index)},
            }),
            Expr::Projection { base, slice, rest } => self.projection(*base, *slice, *rest),
            Expr::Element => json!({"_type": "ProjectionValueExpr", "Value": element()}),
            Expr::Call { callee, args, curry } => self.call(*callee, args, *curry),
            Expr::Binary(op, a, b) => self.binary(*op, *a, *b),
            Expr::Not(e) => json!({"_type": "NotExpr", "Expr": self.expr(*e)}),
            Expr::Instantiate(e) => json!({"_type": "SubstitutionExpr", "Template": self.expr(*e)}),
            Expr::Group(e) => json!({"_type": "GroupedExpr", "Expr": self.expr(*e)}),
            Expr::Cond(c, t, f) => json!({
                "_type": "CondExpr", "C": self.expr(*c), "T": self.expr(*t), "F": self.expr(*f),
            }),
            Expr::List(items) => json!({"_type": "ListExpr", "Contents": self.args(items)}),
            Expr::Range(start, end) => {
                let [start, end] = [start, end].map(|e| e.map(|e| self.expr(e)));
                json!({"_type": "RangeExpr", "Start": start, "End": end})
            }
            Expr::Map(entries) => self.map(entries),
            Expr::Scope(entries, e) => json!({
                "_type": "ScopeExpr", "CreateMapExpr": self.map(entries), "E": self.expr(*e),
            }),
            Expr::Merge(merge) => self.merge(merge),
            Expr::Auto => json!({"_type": "AutoExpr", "Path": self.path}),
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::LambdaRef(e) => json!({
                "_type": "LambdaRefExpr", "Source": self.expr(*e),
                "Path": self.path, "StubPath": self.path,
            }),
            Expr::Mapping(kind, source, lambda) => self.mapping(*kind, *source, *lambda),
            Expr::Sum(source, init, lambda) => json!({
                "_type": "SumExpr", "A": self.expr(*source), "I": self.expr(*init),
                "Lambda": self.expr(*lambda),
            }),
            Expr::Catch(e, lambda) => json!({
                "_type": "CatchExpr", "A": self.expr(*e), "Lambda": self.expr(*lambda),
            }),
            Expr::Sync(e, cond, value, timeout) => self.sync(*e, *cond, *value, *timeout),
            Expr::Prefer(e) => json!({"_type": "PreferExpr", "expression": self.expr(*e)}),
            Expr::Marked(markers, e) => json!({
                "_type": "MarkerExpr",
                "list": markers.iter().map(marker).collect::<Vec<_>>(),
                "expr": e.map(|e| self.expr(e)),
            }),
        }
    }

    fn path_reference(&self, reference: &Reference) -> Json {
        let mut path = strings(&reference.path);
        if reference.absolute {
            path.insert(0, String::new());
        }
        self.reference(&path, reference.tag.as_deref().unwrap_or_default())
    }

    fn reference(&self, path: &[String], tag: &str) -> Json {
        let mut out = json!({"_type": "ReferenceExpr", "Path": path});
        if self.is_plus() {
            out["Tag"] = tag.into();
        }
        out
    }

    fn args(&self, args: &[Arg]) -> Vec<Json> {
        let one = |arg: &Arg| {
            let value = self.expr(arg.value);
            match &arg.name {
                Some(name) => {
                    json!({"_type": "NameArgument", "Name": name.as_str(), "Expression": value})
                }
                None if arg.expand => json!({"_type": "ListExpansionExpr", "Expression": value}),
                None => value,
            }
        };
        args.iter().map(one).collect()
    }

    fn call(&self, callee: ExprId, args: &[Arg], curry: bool) -> Json {
        let mut out = json!({
            "_type": "CallExpr", "Function": self.expr(callee), "Arguments": self.args(args),
        });
        if self.is_plus() {
            out["Curry"] = curry.into();
        }
        out
    }

    fn projection(
        &self,
        base: ExprId,
        slice: Option<(Option<ExprId>, Option<ExprId>)>,
        rest: ExprId,
    ) -> Json {
        let mut out = json!({
            "_type": "ProjectionExpr", "Expression": self.expr(base),
            "Projection": self.expr(rest), "Value": element(),
        });
        if let Some((start, end)) = slice {
            out["_type"] = "SliceExpr".into();
            out["Range"] = json!({
                "_type": "RangeExpr",
                "Start": start.map(|e| self.expr(e)),
                "End": end.map(|e| self.expr(e)),
            });
        }
        out
    }

    fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Json {
        let kind = match op {
            BinaryOp::Or => "OrExpr",
            BinaryOp::OrNull => "ValidOrExpr",
            BinaryOp::Concat => "ConcatenationExpr",
            BinaryOp::LogOr => "LogOrExpr",
            BinaryOp::LogAnd => "LogAndExpr",
            BinaryOp::Add => "AdditionExpr",
            BinaryOp::Sub => "SubtractionExpr",
            BinaryOp::Mul => "MultiplicationExpr",
            BinaryOp::Div => "DivisionExpr",
            BinaryOp::Mod => "ModuloExpr",
            _ => "ComparisonExpr",
        };
        let mut out = json!({"_type": kind, "A": self.expr(a), "B": self.expr(b)});
        if kind == "ComparisonExpr" {
            out["Op"] = op.text().into();
        }
        out
    }

    fn map(&self, entries: &[(ExprId, ExprId)]) -> Json {
        let entry = |(key, value): &(ExprId, ExprId)| json!({"_type": "Assignment", "Key": self.expr(*key), "Value": self.expr(*value)});
        let entries: Vec<Json> = entries.iter().map(entry).collect();
        json!({"_type": "CreateMapExpr", "Assignments": entries})
    }

    fn merge(&self, merge: &Merge) -> Json {
        let redirect = merge.redirect.as_deref();
        let path = match redirect {
            Some(path) => strings(path),
            None => self.path.iter().map(ToString::to_string).collect(),
        };
        let mut out = json!({
            "_type": "MergeExpr",
            "KeyName": merge.on.as_deref().unwrap_or_default(),
            "Path": path,
            "Redirect": redirect.is_some(),
            "Replace": merge.replace,
            "Required": merge.required || merge.replace || redirect.is_some(),
        });
        if self.is_plus() {
            out["None"] = merge.none.into();
        }
        out
    }

    fn lambda(&self, lambda: &LambdaExpr) -> Json {
        if !self.is_plus() {
            let names: Vec<&str> = lambda.params.iter().map(|p| p.name.as_str()).collect();
            return json!({"_type": "LambdaExpr", "Names": names, "E": self.expr(lambda.body)});
        }
        let params = lambda.params.iter().map(|p| {
            let default = p.default.map(|e| self.expr(e));
            json!({"_type": "Parameter", "Name": p.name.as_str(), "Default": default})
        });
        json!({
            "_type": "LambdaExpr", "Parameters": params.collect::<Vec<_>>(),
            "VarArgs": lambda.varargs, "E": self.expr(lambda.body),
        })
    }

    fn mapping(&self, kind: MapKind, source: ExprId, lambda: ExprId) -> Json {
        let (source, lambda) = (self.expr(source), self.expr(lambda));
        if !self.is_plus() {
            return json!({"_type": "MapExpr", "A": source, "Lambda": lambda});
        }
        let (keyword, brackets) = kind.text();
        let context = match kind {
            MapKind::List => "mapToListContext",
            MapKind::Map => "mapToMapContext",
            MapKind::SelectList => "selectToListContext",
            MapKind::SelectMap => "selectToMapContext",
            MapKind::FilterList => "filterToListContext",
            MapKind::FilterMap => "filterToMapContext",
        };
        let defaults = json!({
            "_type": "defaultContext", "keyword": keyword,
            "brackets": brackets.iter().collect::<String>(),
            // A bit set of supported sources: 1 for maps, 2 for lists.
            "supported": if kind.gives_map() { 1 } else { 3 },
        });
        json!({
            "_type": "MappingExpr", "A": source, "Lambda": lambda,
            "Context": {"_type": context, "defaultContext": defaults},
        })
    }

    fn sync(
        &self,
        e: ExprId,
        cond: ExprId,
        value: Option<ExprId>,
        timeout: Option<ExprId>,
    ) -> Json {
        let or_default =
            |e: Option<ExprId>| e.map_or_else(|| json!({"_type": "DefaultExpr"}), |e| self.expr(e));
        let time = json!({"_type": "Time", "ext": 0, "loc": null, "wall": 0});
        json!({
            "_type": "SyncExpr", "A": self.expr(e), "Cond": self.expr(cond),
            "Value": or_default(value), "Timeout": or_default(timeout),
            "function": false, "first": time, "last": time,
        })
    }
}

fn element() -> Json {
    json!({"_type": "ProjectionValue", "Value": null})
}

fn strings(path: &[PathStep]) -> Vec<String> {
    let step = |step: &PathStep| match step {
        PathStep::Key(key) => key.to_string(),
        PathStep::Index(n) => format!("[{n}]"),
    };
    path.iter().map(step).collect()
}

fn marker(marker: &Marker) -> String {
    match marker {
        Marker::Template => "&template".into(),
        Marker::Temporary => "&temporary".into(),
        Marker::Local => "&local".into(),
        Marker::Inject => "&inject".into(),
        Marker::State => "&state".into(),
        Marker::Default => "&default".into(),
        Marker::Dynamic => "&dynamic".into(),
        Marker::Tag(name, global) => format!("&tag:{}{name}", if *global { "*" } else { "" }),
    }
}
