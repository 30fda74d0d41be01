//! Syntax trees for translators of Ruby code. Variables have names in place of numbers, and one
//! node stands for all unsupported constructs.

use ecow::EcoString;

use crate::SyntaxError;
use crate::syntax::{
    self, Binary, Block, BlockArg, Call, Expr, HashEntry, Kind, ParamTarget, Part, RegexFlags,
    RegexLiteral, Slot, Target,
};

/// A node.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text without interpolation.
    Str(EcoString),
    /// Text with interpolation.
    Text(Vec<Tree>),
    /// `:a`
    Symbol(EcoString),
    /// `/a/`, with the letters of its flags.
    Regex(EcoString, EcoString),
    /// `[a, b]`
    Array(Vec<Tree>),
    /// `{ a => b }`
    Hash(Vec<(Tree, Tree)>),
    /// `a..b`; without the last value if it has three dots.
    Range(Box<Tree>, Box<Tree>, bool),
    /// `self`
    SelfValue,
    /// A local variable.
    Local(EcoString),
    /// `@a`, without the sign.
    Instance(EcoString),
    /// `$1`
    Group(u32),
    /// `A::B`
    Const(EcoString),
    /// `a && b`
    And(Box<Tree>, Box<Tree>),
    /// `a || b`
    Or(Box<Tree>, Box<Tree>),
    /// `!a`
    Not(Box<Tree>),
    /// `if a then b else c end`
    If(Box<Tree>, Box<Tree>, Option<Box<Tree>>),
    /// `case a when b then c else d end`
    Case(Option<Box<Tree>>, Vec<(Vec<Tree>, Tree)>, Option<Box<Tree>>),
    /// Several statements.
    Sequence(Vec<Tree>),
    /// `a = b`, of a local variable.
    Assign(EcoString, Box<Tree>),
    /// An operator between two values, by its sign.
    Binary(&'static str, Box<Tree>, Box<Tree>),
    /// A call of a method, operators left out.
    Call(Box<Method>),
    /// `next a`, and `return a`, which in the block of a definition are the same.
    Leave(Option<Box<Tree>>),
    /// Any other construct, with a short description.
    Other(&'static str),
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// The receiver.
    pub receiver: Option<Tree>,
    /// Its name.
    pub name: EcoString,
    /// Its arguments.
    pub args: Vec<Tree>,
    /// Its block, if it is a literal.
    pub block: Option<Code>,
}

/// A block: plain parameters and statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// The names of its parameters; `None` unless all are plain names.
    pub params: Option<Vec<EcoString>>,
    /// Its body.
    pub body: Tree,
    /// The line that it begins on.
    pub line: u32,
}

/// The block of a call on a line of a text, such as that of `munge` in `munge { |value| … }`.
///
/// # Errors
/// When there is no such call, or it is beyond the subset of Ruby.
pub fn block_of(source: &str, line: u32, method: &str) -> Result<Code, SyntaxError> {
    let missing = || SyntaxError {
        message: format!("there is no call of {method} with a block"),
        line,
        is_unsupported: true,
    };
    let (start, text) = line_of(source, line).ok_or_else(missing)?;
    let at = word_in(text, method).ok_or_else(missing)?;
    let (statement, ivars) = syntax::parse_statement(source, start + at, line)?;
    match &statement.kind {
        Kind::Call(call) if call.name == method => match &call.block {
            BlockArg::Literal(block) => Ok(Reader { names: Vec::new(), ivars }.block(block)),
            _ => Err(missing()),
        },
        _ => Err(missing()),
    }
}

/// The offset of a line and its text.
fn line_of(source: &str, line: u32) -> Option<(usize, &str)> {
    let mut start = 0;
    for (number, text) in (1..).zip(source.split_inclusive('\n')) {
        if number == line {
            return Some((start, text));
        }
        start += text.len();
    }
    None
}

/// The offset of a word in a line.
fn word_in(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | '!' | '.' | ':' | '@');
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Reads trees. It has the variable names of the enclosing blocks, the innermost last.
struct Reader {
    names: Vec<Box<[EcoString]>>,
    ivars: Vec<EcoString>,
}

impl Reader {
    fn block(&mut self, block: &Block) -> Code {
        let params = block.is_simple.then(|| {
            let name = |param: &ParamTarget| match param {
                ParamTarget::Plain(index) => block.names.get(*index as usize).cloned(),
                ParamTarget::Apart(_) => None,
            };
            block.params.required.iter().map(name).collect::<Option<Vec<_>>>()
        });
        self.names.push(block.names.clone());
        let body = self.tree(&block.body);
        self.names.pop();
        Code { params: params.flatten(), body, line: block.line }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Tree> {
        Box::new(self.tree(expr))
    }

    fn optional(&mut self, expr: Option<&Expr>) -> Option<Box<Tree>> {
        expr.map(|expr| self.boxed(expr))
    }

    fn all(&mut self, exprs: &[Expr]) -> Vec<Tree> {
        exprs.iter().map(|expr| self.tree(expr)).collect()
    }

    fn tree(&mut self, expr: &Expr) -> Tree {
        match &expr.kind {
            Kind::Nil => Tree::Nil,
            Kind::True => Tree::Bool(true),
            Kind::False => Tree::Bool(false),
            Kind::SelfValue => Tree::SelfValue,
            Kind::Int(number) => Tree::Int(*number),
            Kind::Float(number) => Tree::Float(*number),
            Kind::Str(text) => Tree::Str(text.clone()),
            Kind::Symbol(text) => Tree::Symbol(text.clone()),
            Kind::Interpolated(parts) => Tree::Text(self.parts(parts)),
            Kind::Regex(regex) => pattern(regex),
            Kind::Array(items) => Tree::Array(self.all(items)),
            Kind::Hash(hash) => self.hash(&hash.entries),
            Kind::Range { low: Some(low), high: Some(high), is_open } => {
                Tree::Range(self.boxed(low), self.boxed(high), *is_open)
            }
            Kind::Local(slot) => match self.local_name(*slot) {
                Some(name) => Tree::Local(name),
                None => Tree::Other("a variable from outside"),
            },
            Kind::Instance(number) => {
                let name = self.ivars.get(*number as usize).cloned().unwrap_or_default();
                Tree::Instance(name.trim_start_matches('@').into())
            }
            Kind::Group(number) => Tree::Group(*number),
            Kind::Const(name) => Tree::Const(name.clone()),
            Kind::Scoped(outer, name) => self.constant_in(outer, name),
            Kind::And(a, b) => Tree::And(self.boxed(a), self.boxed(b)),
            Kind::Or(a, b) => Tree::Or(self.boxed(a), self.boxed(b)),
            Kind::Not(a) => Tree::Not(self.boxed(a)),
            Kind::If { condition, then, otherwise } => Tree::If(
                self.boxed(condition),
                self.boxed(then),
                self.optional(otherwise.as_deref()),
            ),
            Kind::Case(case) => {
                let subject = self.optional(case.subject.as_ref());
                let branches =
                    case.branches.iter().map(|(values, then)| (self.all(values), self.tree(then)));
                let branches = branches.collect();
                Tree::Case(subject, branches, self.optional(case.otherwise.as_ref()))
            }
            Kind::Sequence(all) => Tree::Sequence(self.all(all)),
            Kind::Begin(begin) if begin.rescues.is_empty() && begin.ensure.is_none() => {
                self.tree(&begin.body)
            }
            Kind::Begin(_) => Tree::Other("`rescue`"),
            Kind::Assign(target, value) => self.assignment(target, value),
            Kind::OpAssign(..) => Tree::Other("an assignment"),
            Kind::Binary(op, a, b) => self.binary(*op, a, b),
            Kind::Call(call) => self.call(call),
            Kind::Next(value) | Kind::Return(value) => Tree::Leave(self.optional(value.as_deref())),
            Kind::While { .. } | Kind::For { .. } => Tree::Other("a loop"),
            Kind::Global(_) => Tree::Other("a global variable"),
            Kind::Yield(_) => Tree::Other("`yield`"),
            Kind::Define(_) => Tree::Other("a method"),
            _ => Tree::Other("code of this form"),
        }
    }

    fn constant_in(&mut self, outer: &Expr, name: &str) -> Tree {
        match self.tree(outer) {
            Tree::Const(outer) => Tree::Const(ecow::eco_format!("{outer}::{name}")),
            _ => Tree::Other("a constant"),
        }
    }

    fn assignment(&mut self, target: &Target, value: &Expr) -> Tree {
        let name = match target {
            Target::Local(slot) if slot.depth == 0 => self.local_name(*slot),
            _ => None,
        };
        match name {
            Some(name) => Tree::Assign(name, self.boxed(value)),
            None => Tree::Other("an assignment"),
        }
    }

    /// The name of a local variable of a block that is part of the tree.
    fn local_name(&self, slot: Slot) -> Option<EcoString> {
        let around = self.names.len().checked_sub(1 + slot.depth as usize)?;
        self.names.get(around)?.get(slot.index as usize).cloned()
    }

    fn hash(&mut self, entries: &[HashEntry]) -> Tree {
        let mut out = Vec::new();
        for entry in entries {
            let HashEntry::Pair(key, value) = entry else { return Tree::Other("`**`") };
            out.push((self.tree(key), self.tree(value)));
        }
        Tree::Hash(out)
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> Tree {
        Tree::Binary(op.name(), self.boxed(a), self.boxed(b))
    }

    fn parts(&mut self, parts: &[Part]) -> Vec<Tree> {
        let part = |part: &Part| match part {
            Part::Text(text) => Tree::Str(text.clone()),
            Part::Code(code) => self.tree(code),
        };
        parts.iter().map(part).collect()
    }

    fn call(&mut self, call: &Call) -> Tree {
        let has_splat = call.args.iter().any(|arg| matches!(arg.kind, Kind::Splat(_)));
        if call.safe || has_splat {
            return Tree::Other("`&.` or `*`");
        }
        let block = match &call.block {
            BlockArg::None => None,
            BlockArg::Literal(block) => Some(self.block(block)),
            BlockArg::Pass(_) | BlockArg::Forward => return Tree::Other("a block as an argument"),
        };
        let receiver = call.receiver.as_ref().map(|receiver| self.tree(receiver));
        let args = self.all(&call.args);
        Tree::Call(Box::new(Method { receiver, name: call.name.clone(), args, block }))
    }
}

fn pattern(regex: &RegexLiteral) -> Tree {
    match &*regex.parts {
        [] => Tree::Regex(EcoString::new(), flags(regex.flags)),
        [Part::Text(text)] => Tree::Regex(text.clone(), flags(regex.flags)),
        _ => Tree::Other("a regular expression with interpolation"),
    }
}

fn flags(flags: RegexFlags) -> EcoString {
    let letters = [('m', flags.multi_line), ('i', flags.ignore_case), ('x', flags.extended)];
    letters.into_iter().filter(|(_, is_set)| *is_set).map(|(letter, _)| letter).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_block_in_the_middle_of_a_file() {
        let source = "class Odd < Other; end\nnewparam(:a) do\n  # munge\n  munge do |value|\n    \
                      other = value.strip\n    raise ArgumentError, \"#{value}?\" unless other =~ /a/i\n  \
                      end\nend\n";
        let code = block_of(source, 4, "munge").unwrap();
        assert_eq!(code.params, Some(vec!["value".into()]));
        let Tree::Sequence(all) = code.body else { panic!() };
        let Tree::Assign(name, _) = &all[0] else { panic!() };
        assert_eq!(name, "other");
        let Tree::If(condition, ..) = &all[1] else { panic!("{:?}", all[1]) };
        let Tree::Not(inner) = &**condition else { panic!() };
        let other = Box::new(Tree::Local("other".into()));
        let regex = Box::new(Tree::Regex("a".into(), "i".into()));
        assert_eq!(**inner, Tree::Binary("=~", other, regex));
    }

    #[test]
    fn missing_names() {
        assert!(block_of("munge(:a)\n", 1, "munge").is_err());
        assert!(block_of("x.munge { 1 }\n", 1, "munge").is_err());
        assert!(block_of("", 7, "munge").is_err());
        assert_eq!(block_of("a; munge { 1 }", 1, "munge").unwrap().body, Tree::Int(1));
    }
}
