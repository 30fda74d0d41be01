//! Prints the canonical text of an expression, for error reports and printed lambdas.

use std::fmt::Write;

use ordain_data::json::{self, Escape};

use super::ast::{Arg, BinaryOp, Expr, ExprId, Exprs, LambdaExpr, Marker, Merge, PathStep};

/// The canonical text of an expression.
pub fn print(exprs: &Exprs, id: ExprId) -> String {
    let mut out = String::new();
    Printer { exprs, out: &mut out }.expr(id);
    out
}

/// The text of markers.
pub fn print_markers(markers: &[Marker]) -> String {
    let mut out = String::new();
    Printer { exprs: &Exprs::default(), out: &mut out }.markers(markers);
    out
}

/// The canonical text of a lambda.
pub fn print_lambda(exprs: &Exprs, lambda: &LambdaExpr) -> String {
    let mut out = String::from("lambda");
    Printer { exprs, out: &mut out }.lambda(lambda);
    out
}

/// A path as it is shown: `a.b.[1]`.
pub fn print_path(path: &[PathStep]) -> String {
    let mut out = String::new();
    push_path(&mut out, path);
    out
}

fn push_path(out: &mut String, path: &[PathStep]) {
    for (i, step) in path.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        match step {
            PathStep::Key(key) => out.push_str(key),
            PathStep::Index(n) => {
                let _ = write!(out, "[{n}]");
            }
        }
    }
}

/// A text in quotes with the escapes of expressions.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::quote(text, &mut out, |c| c.is_control().then_some(Escape::Code));
    out
}

struct Printer<'e, 'o> {
    exprs: &'e Exprs,
    out: &'o mut String,
}

impl Printer<'_, '_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn expr(&mut self, id: ExprId) {
        let exprs = self.exprs;
        match &exprs[id] {
            Expr::Null => self.text("nil"),
            Expr::Undefined => self.text("~~"),
            Expr::Bool(b) => self.text(if *b { "true" } else { "false" }),
            Expr::Int(n) => {
                let _ = write!(self.out, "{n}");
            }
            Expr::Float(x) => {
                let text = float(*x);
                self.text(&text);
            }
            Expr::Str(s) => {
                let quoted = quote(s);
                self.text(&quoted);
            }
            Expr::Ref(r) => {
                if let Some(tag) = &r.tag {
                    self.text(tag);
                    self.text("::");
                }
                if r.absolute {
                    self.text(".");
                }
                push_path(self.out, &r.path);
            }
            Expr::Element => {}
            Expr::Auto => self.text("auto"),
            Expr::Merge(merge) => self.merge(merge),
            Expr::Lambda(lambda) => {
                self.text("lambda");
                self.lambda(lambda);
            }
            _ => self.compound(id),
        }
    }

    fn compound(&mut self, id: ExprId) {
        let exprs = self.exprs;
        match &exprs[id] {
            Expr::Qualified(base, path) => {
                self.around("(", *base, ").");
                push_path(self.out, path);
            }
            Expr::Dynamic(base, index) => {
                if let Some(base) = base {
                    self.expr(*base);
                }
                self.text(".");
                self.args('[', index, ']');
            }
            Expr::Projection { base, slice, rest } => {
                self.expr(*base);
                self.text(".[");
                match slice {
                    None => self.text("*"),
                    Some((from, to)) => self.range(*from, *to),
                }
                self.text("] ");
                self.expr(*rest);
            }
            Expr::Call { callee, args, curry } => {
                self.expr(*callee);
                if *curry {
                    self.text("*");
                }
                self.args('(', args, ')');
            }
            Expr::Binary(op, a, b) => {
                self.expr(*a);
                if *op != BinaryOp::Concat {
                    self.text(" ");
                    self.text(op.text());
                }
                self.text(" ");
                self.expr(*b);
            }
            Expr::Cond(c, t, f) => {
                self.around("", *c, " ? ");
                self.around("", *t, " : ");
                self.expr(*f);
            }
            Expr::List(_) | Expr::Range(..) | Expr::Map(_) | Expr::Scope(..) => self.literal(id),
            Expr::Not(e) => self.around("!(", *e, ")"),
            Expr::Instantiate(e) => self.around("*(", *e, ")"),
            Expr::Group(e) => self.around("( ", *e, " )"),
            Expr::LambdaRef(e) => self.around("lambda ", *e, ""),
            Expr::Prefer(e) => self.around("prefer ", *e, ""),
            Expr::Marked(markers, e) => self.marked(markers, *e),
            _ => self.comprehension(id),
        }
    }

    /// A list, a range, a map, or a scope.
    fn literal(&mut self, id: ExprId) {
        let exprs = self.exprs;
        match &exprs[id] {
            Expr::List(items) => self.args('[', items, ']'),
            Expr::Range(from, to) => {
                self.text("[");
                self.range(*from, *to);
                self.text("]");
            }
            Expr::Map(assigns) => {
                self.text(if assigns.is_empty() { "{" } else { "{ " });
                self.assigns(assigns);
                self.text(" }");
            }
            Expr::Scope(assigns, e) => {
                self.text("(");
                self.assigns(assigns);
                self.around(" ) ", *e, "");
            }
            _ => {}
        }
    }

    fn comprehension(&mut self, id: ExprId) {
        let exprs = self.exprs;
        match &exprs[id] {
            Expr::Mapping(kind, source, lambda) => {
                let (word, [open, close]) = kind.text();
                self.text(word);
                self.out.push(open);
                self.expr(*source);
                self.lambda_part(*lambda);
                self.out.push(close);
            }
            Expr::Sum(source, init, lambda) => {
                self.around("sum[", *source, "|");
                self.expr(*init);
                self.lambda_part(*lambda);
                self.text("]");
            }
            Expr::Catch(source, lambda) => {
                self.around("catch[", *source, "");
                self.lambda_part(*lambda);
                self.text("]");
            }
            Expr::Sync(source, ..) => self.around("sync(", *source, ")"),
            _ => {}
        }
    }

    fn around(&mut self, before: &str, id: ExprId, after: &str) {
        self.text(before);
        self.expr(id);
        self.text(after);
    }

    fn range(&mut self, from: Option<ExprId>, to: Option<ExprId>) {
        if let Some(from) = from {
            self.expr(from);
        }
        self.text("..");
        if let Some(to) = to {
            self.expr(to);
        }
    }

    fn args(&mut self, open: char, args: &[Arg], close: char) {
        self.out.push(open);
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            if let Some(name) = &arg.name {
                self.text(name);
                self.text("=");
            }
            self.expr(arg.value);
            if arg.expand {
                self.text("...");
            }
        }
        self.out.push(close);
    }

    fn assigns(&mut self, assigns: &[(ExprId, ExprId)]) {
        for (i, (key, value)) in assigns.iter().enumerate() {
            self.text(if i > 0 { ", " } else { "" });
            self.around("", *key, " = ");
            self.expr(*value);
        }
    }

    fn lambda_part(&mut self, id: ExprId) {
        let exprs = self.exprs;
        match &exprs[id] {
            Expr::Lambda(lambda) => self.lambda(lambda),
            _ => self.around("|", id, ""),
        }
    }

    fn lambda(&mut self, lambda: &LambdaExpr) {
        self.text("|");
        for (i, param) in lambda.params.iter().enumerate() {
            self.text(if i > 0 { "," } else { "" });
            self.text(&param.name);
            if let Some(default) = param.default {
                self.around("=", default, "");
            }
        }
        self.text(if lambda.varargs { "...|->" } else { "|->" });
        self.expr(lambda.body);
    }

    fn merge(&mut self, merge: &Merge) {
        self.text("merge");
        let plain = merge.redirect.is_none();
        // Without another path the original shows `replace` as `required`.
        if merge.none {
            self.text(" none");
        } else if merge.required && plain {
            self.text(" required");
        } else if merge.replace {
            self.text(" replace");
        }
        if let Some(key) = &merge.on {
            self.text(" on ");
            self.text(key);
        }
        if let Some(path) = &merge.redirect {
            self.text(if merge.absolute { " ." } else { " " });
            push_path(self.out, path);
        }
    }

    fn markers(&mut self, markers: &[Marker]) {
        for (i, marker) in markers.iter().enumerate() {
            self.text(if i > 0 { " " } else { "" });
            match marker {
                Marker::Template => self.text("&template"),
                Marker::Temporary => self.text("&temporary"),
                Marker::Local => self.text("&local"),
                Marker::Inject => self.text("&inject"),
                Marker::State => self.text("&state"),
                Marker::Default => self.text("&default"),
                Marker::Dynamic => self.text("&dynamic"),
                Marker::Tag(name, global) => {
                    self.text(if *global { "&tag:*" } else { "&tag:" });
                    self.text(name);
                }
            }
        }
    }

    fn marked(&mut self, markers: &[Marker], inner: Option<ExprId>) {
        self.markers(markers);
        if let Some(inner) = inner {
            let exprs = self.exprs;
            match &exprs[inner] {
                Expr::Group(e) => self.around(" (", *e, ")"),
                _ => self.around(" (", inner, ")"),
            }
        }
    }
}

/// A float in Go's shortest form.
///
/// ```
/// use ordain_dynaml::syntax::print::float;
/// assert_eq!(float(1.0), "1");
/// assert_eq!(float(1234567.5), "1.2345675e+06");
/// assert_eq!(float(0.00001), "1e-05");
/// assert_eq!(float(f64::NEG_INFINITY), "-.inf");
/// ```
pub fn float(x: f64) -> String {
    if x.is_nan() {
        return ".nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+.inf".into() } else { "-.inf".into() };
    }
    if x == 0.0 {
        return if x.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let text = format!("{x:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{x}")
}
