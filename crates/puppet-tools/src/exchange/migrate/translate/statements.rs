//! Statements that raise, assign and decide.

use ordain_ruby::tree::{Method, Tree};

use crate::exchange::migrate::translate::code::{Code, KnownType, Outcome, Translator};

/// The lines of a translated body, and the statements that were left out.
#[derive(Default)]
pub(in super::super) struct Body {
    pub lines: Vec<String>,
    /// The reasons, one for each statement.
    pub left_out: Vec<String>,
}

/// Methods that only log.
const MESSAGES: [&str; 9] = [
    "debug",
    "info",
    "notice",
    "warning",
    "warn",
    "warnonce",
    "deprecation_warning",
    "devlog",
    "puppet_deprecation_warning",
];

impl Translator<'_> {
    /// Translates a body that refuses values. Statements without a counterpart are left out, so
    /// that the result refuses fewer values.
    pub(crate) fn refusals(&mut self, body: &Tree) -> Body {
        let mut out = Body::default();
        let statements = statements(body);
        let mut answered = false;
        for (i, statement) in statements.iter().enumerate() {
            let is_last = i + 1 == statements.len();
            let locals = self.locals.clone();
            match self.refusal(statement, is_last) {
                Ok(lines) => {
                    out.lines.extend(lines);
                    answered = is_last && answers(statement);
                }
                Err(why) => {
                    self.locals = locals;
                    // Later statements may depend on it.
                    if let Some(name) = assigned(statement) {
                        self.locals.remove(name);
                    }
                    out.left_out.push(why);
                }
            }
        }
        // The value of the last statement would be the answer.
        if !out.lines.is_empty() && !answered {
            out.lines.push("undef".to_owned());
        }
        out
    }

    /// The lines of a statement of a body that refuses; nothing may be left out inside of it.
    fn refusal(&mut self, statement: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        if let Some(message) = raised(statement) {
            return Ok(vec![self.refused(message, is_last)?]);
        }
        match statement {
            // `a or raise`
            Tree::Or(test, last) if raised(last).is_some() => {
                let test = Box::new(Tree::Not(test.clone()));
                self.refusal(&Tree::If(test, last.clone(), None), is_last)
            }
            Tree::And(test, last) if raised(last).is_some() => {
                self.refusal(&Tree::If(test.clone(), last.clone(), None), is_last)
            }
            Tree::If(condition, then, otherwise)
                if self.branches == 0 && otherwise.is_none() && assigned(then).is_some() =>
            {
                Ok(vec![self.assigned_if(condition, then)?])
            }
            Tree::If(condition, then, otherwise) => {
                self.choice(condition, then, otherwise.as_deref(), is_last)
            }
            Tree::Case(Some(subject), branches, otherwise) => {
                self.selection(subject, branches, otherwise.as_deref(), is_last)
            }
            Tree::Case(None, branches, otherwise) => {
                self.refusal(&first_true(branches, otherwise.as_deref())?, is_last)
            }
            Tree::Leave(_) if is_last => Ok(vec!["undef".to_owned()]),
            Tree::Leave(_) => {
                self.leaves |= self.lambdas == 0;
                Ok(vec!["next(undef)".to_owned()])
            }
            Tree::Assign(name, value) => Ok(vec![self.assignment(name, value)?]),
            Tree::Nil | Tree::Bool(_) | Tree::Local(_) | Tree::Str(_) | Tree::Symbol(_) => {
                Ok(Vec::new())
            }
            Tree::Sequence(_) => self.refusing_block(statement, is_last),
            Tree::Call(call) if tells(call) => Ok(Vec::new()),
            Tree::Call(call) if call.name == "each" && call.block.is_some() => self.each(call),
            // The value is not used, but a call in it may raise.
            Tree::Call(call)
                if call.receiver.is_none() && matches!(&*call.name, "Integer" | "Float") =>
            {
                Ok(vec![self.expr(statement)?.text])
            }
            Tree::Other(what) => Err((*what).to_owned()),
            other => match self.expr(other) {
                Ok(_) => Ok(Vec::new()),
                Err(why) => Err(why),
            },
        }
    }

    /// The code that refuses a value with a message.
    fn refused(&mut self, message: &[Tree], is_last: bool) -> Outcome<String> {
        let message = self.message(message)?;
        Ok(match (self.lambdas, is_last) {
            (0, true) => message,
            (0, false) => {
                self.leaves = true;
                format!("next({message})")
            }
            _ => format!("fail({message})"),
        })
    }

    /// Translates a branch, whose local variables end with it.
    fn in_branch<T>(&mut self, translate: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.locals.clone();
        self.branches += 1;
        let out = translate(self);
        self.branches -= 1;
        self.locals = around;
        out
    }

    fn refusing_block(&mut self, body: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        self.in_branch(|translator| translator.refusing_statements(body, is_last))
    }

    fn refusing_statements(&mut self, body: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        let all = statements(body);
        let mut out = Vec::new();
        for (i, one) in all.iter().enumerate() {
            out.extend(self.refusal(one, is_last && i + 1 == all.len())?);
        }
        if is_last && all.last().is_some_and(|one| !answers(one)) {
            out.push("undef".to_owned());
        }
        Ok(out)
    }

    fn choice(
        &mut self,
        condition: &Tree,
        then: &Tree,
        otherwise: Option<&Tree>,
        is_last: bool,
    ) -> Outcome<Vec<String>> {
        // `unless` is kept, where there is nothing else.
        let (word, test) = match (condition, otherwise) {
            (Tree::Not(inner), None) if !matches!(**inner, Tree::Not(_)) => ("unless", &**inner),
            _ => ("if", condition),
        };
        let (word, test, then, otherwise) = match (word, otherwise) {
            ("if", Some(other)) if is_nothing(then) => ("unless", test, other, None),
            _ => (word, test, then, otherwise),
        };
        let test = self.condition(test)?.text;
        let mut out = vec![format!("{word} {test} {{")];
        out.extend(indented(self.refusing_block(then, is_last)?));
        match otherwise {
            None => {}
            Some(other) if is_nothing(other) => {}
            Some(inner @ Tree::If(..)) => {
                let inner = self.refusal(inner, is_last)?;
                let is_chain = inner.first().is_some_and(|line| line.starts_with("if "));
                if is_chain {
                    out.push(format!("}} els{}", inner[0]));
                    out.extend(inner.into_iter().skip(1));
                    return Ok(out);
                }
                out.push("} else {".to_owned());
                out.extend(indented(inner));
            }
            Some(other) => {
                out.push("} else {".to_owned());
                out.extend(indented(self.refusing_block(other, is_last)?));
            }
        }
        // Nothing that it would do is carried over: a message, for one.
        if out.len() == 1 {
            return Ok(if is_last { vec!["undef".to_owned()] } else { Vec::new() });
        }
        out.push("}".to_owned());
        Ok(one_line(out))
    }

    fn selection(
        &mut self,
        subject: &Tree,
        branches: &[(Vec<Tree>, Tree)],
        otherwise: Option<&Tree>,
        is_last: bool,
    ) -> Outcome<Vec<String>> {
        let subject = self.expr(subject)?;
        let mut out = vec![format!("case {} {{", subject.text)];
        for (values, then) in branches {
            let values = self.case_values(values)?;
            out.extend(indented(vec![format!("{values}: {{")]));
            let inner = self.refusing_block(then, is_last)?;
            out.extend(indented(indented(inner)));
            out.extend(indented(vec!["}".to_owned()]));
        }
        out.extend(indented(vec!["default: {".to_owned()]));
        if let Some(other) = otherwise {
            out.extend(indented(indented(self.refusing_block(other, is_last)?)));
        }
        out.extend(indented(vec!["}".to_owned()]));
        out.push("}".to_owned());
        Ok(out)
    }

    /// The options before the colon; texts become one type.
    fn case_values(&mut self, values: &[Tree]) -> Outcome<String> {
        let mut texts = Vec::new();
        let mut others = Vec::new();
        for value in values {
            match value {
                Tree::Str(text) | Tree::Symbol(text) => texts.push(super::quoted(text)),
                other => others.push(self.case_value(other)?),
            }
        }
        if !texts.is_empty() {
            others.insert(0, format!("Enum[{}]", texts.join(", ")));
        }
        Ok(others.join(", "))
    }

    fn assignment(&mut self, name: &str, value: &Tree) -> Outcome<String> {
        // Variables are set once here. An assignment in a branch would set another variable.
        if self.locals.contains_key(name) && self.branches + self.lambdas > 0 {
            return Err(format!("the variable {name} is assigned again"));
        }
        let value = self.expr(value)?;
        let here = self.declare(name);
        Ok(format!("${here} = {}", value.text))
    }

    /// `a = b if c`
    fn assigned_if(&mut self, condition: &Tree, then: &Tree) -> Outcome<String> {
        let Tree::Assign(name, value) = then else { return Err("an assignment".to_owned()) };
        let otherwise = match self.locals.contains_key(name.as_str()) {
            true => Tree::Local(name.clone()),
            false => Tree::Nil,
        };
        let value = Tree::If(condition.clone().into(), value.clone(), Some(Box::new(otherwise)));
        self.assignment(name, &value)
    }

    fn each(&mut self, call: &Method) -> Outcome<Vec<String>> {
        let (Some(receiver), Some(block)) = (&call.receiver, &call.block) else {
            return Err("`each` of nothing".to_owned());
        };
        let Some([param]) = block.params.as_deref() else {
            return Err("a block with other than one parameter".to_owned());
        };
        let on = self.expr(receiver)?.operand();
        let around = self.locals.clone();
        let param = self.declare(param);
        self.lambdas += 1;
        let body = self.refusing_block(&block.body, false);
        self.lambdas -= 1;
        self.locals = around;
        let mut out = vec![format!("{on}.each |${param}| {{")];
        out.extend(indented(body?));
        out.push("}".to_owned());
        Ok(out)
    }

    /// The text of an exception.
    fn message(&mut self, args: &[Tree]) -> Outcome<String> {
        let message = match args {
            [Tree::Const(_)] | [] => return Ok("'the value is not acceptable'".to_owned()),
            [Tree::Const(_), message, ..] | [message] => message,
            _ => return Err("the raised exception".to_owned()),
        };
        if let Tree::Call(call) = message
            && call.name == "new"
            && let (Some(Tree::Const(_)), [message]) = (&call.receiver, &*call.args)
        {
            return self.message(std::slice::from_ref(message));
        }
        let code = self.expr(message)?;
        match code.kind {
            KnownType::Text => Ok(code.text),
            _ => Ok(format!("String({})", code.text)),
        }
    }

    /// A body that gives a value.
    pub(crate) fn value(&mut self, body: &Tree) -> Outcome<Vec<String>> {
        let all = statements(body);
        let mut out = Vec::new();
        for (i, one) in all.iter().enumerate() {
            out.extend(self.value_statement(one, i + 1 == all.len())?);
        }
        if out.is_empty() {
            out.push("undef".to_owned());
        }
        Ok(out)
    }

    fn value_statement(&mut self, statement: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        if let Some(message) = raised(statement) {
            return Ok(vec![format!("fail({})", self.message(message)?)]);
        }
        match statement {
            Tree::If(condition, then, None)
                if !is_last && self.branches == 0 && assigned(then).is_some() =>
            {
                Ok(vec![self.assigned_if(condition, then)?])
            }
            Tree::If(condition, then, otherwise) => {
                self.value_if(condition, then, otherwise.as_deref(), is_last)
            }
            Tree::Case(Some(subject), branches, otherwise) => {
                self.value_case(subject, branches, otherwise.as_deref(), is_last)
            }
            Tree::Leave(value) => {
                let value = match value {
                    Some(value) => self.expr(value)?,
                    None => Code::atom("undef"),
                };
                if is_last {
                    return Ok(vec![value.text]);
                }
                self.leaves = true;
                Ok(vec![format!("next({})", value.text)])
            }
            Tree::Sequence(_) => self.branch(statement, is_last),
            Tree::Assign(name, value) if !is_last => Ok(vec![self.assignment(name, value)?]),
            Tree::Call(call) if tells(call) && !is_last => Ok(Vec::new()),
            other if is_last => Ok(vec![self.expr(other)?.text]),
            Tree::Other(what) => Err((*what).to_owned()),
            _ => Err("a statement whose value is not used".to_owned()),
        }
    }

    fn value_if(
        &mut self,
        condition: &Tree,
        then: &Tree,
        otherwise: Option<&Tree>,
        is_last: bool,
    ) -> Outcome<Vec<String>> {
        let test = self.condition(condition)?.text;
        let mut out = vec![format!("if {test} {{")];
        out.extend(indented(self.branch(then, is_last)?));
        match otherwise {
            None => {}
            Some(inner @ Tree::If(..)) => {
                let inner = self.value_statement(inner, is_last)?;
                out.push(format!("}} els{}", inner[0]));
                out.extend(inner.into_iter().skip(1));
                return Ok(out);
            }
            Some(other) => {
                out.push("} else {".to_owned());
                out.extend(indented(self.branch(other, is_last)?));
            }
        }
        out.push("}".to_owned());
        Ok(out)
    }

    fn value_case(
        &mut self,
        subject: &Tree,
        branches: &[(Vec<Tree>, Tree)],
        otherwise: Option<&Tree>,
        is_last: bool,
    ) -> Outcome<Vec<String>> {
        let subject = self.expr(subject)?;
        let mut out = vec![format!("case {} {{", subject.text)];
        for (values, then) in branches {
            let values = self.case_values(values)?;
            let inner = self.branch(then, is_last)?;
            out.extend(indented(block(format!("{values}: {{"), inner)));
        }
        let inner = match otherwise {
            Some(other) => self.branch(other, is_last)?,
            None => vec!["undef".to_owned()],
        };
        out.extend(indented(block("default: {".to_owned(), inner)));
        out.push("}".to_owned());
        Ok(out)
    }

    fn branch(&mut self, body: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        self.in_branch(|translator| translator.branch_statements(body, is_last))
    }

    fn branch_statements(&mut self, body: &Tree, is_last: bool) -> Outcome<Vec<String>> {
        let all = statements(body);
        let mut out = Vec::new();
        for (i, one) in all.iter().enumerate() {
            out.extend(self.value_statement(one, is_last && i + 1 == all.len())?);
        }
        if out.is_empty() && is_last {
            out.push("undef".to_owned());
        }
        Ok(out)
    }
}

fn block(head: String, inner: Vec<String>) -> Vec<String> {
    let mut out = vec![head];
    out.extend(indented(inner));
    out.push("}".to_owned());
    one_line(out)
}

/// The arguments of a statement that raises.
fn raised(statement: &Tree) -> Option<&[Tree]> {
    let Tree::Call(call) = statement else { return None };
    let of_self = matches!(
        &call.receiver,
        None | Some(Tree::SelfValue | Tree::Instance(_)) | Some(Tree::Call(_))
    );
    let raises = match &*call.name {
        "raise" => call.receiver.is_none(),
        "fail" | "devfail" => of_self,
        _ => false,
    };
    raises.then_some(&*call.args)
}

/// The variable that a statement sets.
fn assigned(statement: &Tree) -> Option<&str> {
    match statement {
        Tree::Assign(name, _) => Some(name),
        Tree::If(_, then, None) => assigned(then),
        _ => None,
    }
}

/// Whether a call only logs.
fn tells(call: &Method) -> bool {
    let of_puppet = match &call.receiver {
        None | Some(Tree::SelfValue) => true,
        Some(Tree::Const(name)) => name.trim_start_matches("::") == "Puppet",
        _ => false,
    };
    of_puppet && MESSAGES.contains(&&*call.name)
}

/// The statements of a body.
pub(in super::super) fn statements(body: &Tree) -> Vec<&Tree> {
    match body {
        Tree::Sequence(all) => all.iter().flat_map(statements).collect(),
        one => vec![one],
    }
}

fn is_nothing(body: &Tree) -> bool {
    statements(body).iter().all(|one| matches!(one, Tree::Nil | Tree::Bool(_)))
}

/// Whether the value of a statement is an answer: a refusal or nothing.
fn answers(statement: &Tree) -> bool {
    match statement {
        Tree::If(_, then, _) => assigned(then).is_none(),
        Tree::Case(..) | Tree::Leave(_) => true,
        Tree::Or(_, last) | Tree::And(_, last) => raised(last).is_some(),
        other => raised(other).is_some(),
    }
}

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!("  {line}")).collect()
}

/// A block of one short line is written on one.
fn one_line(lines: Vec<String>) -> Vec<String> {
    match &*lines {
        [head, inner, end]
            if head.len() + inner.len() < 88 && !head.starts_with(' ') && end == "}" =>
        {
            vec![format!("{head} {} }}", inner.trim_start())]
        }
        _ => lines,
    }
}

/// A `case` without a subject as nested choices.
fn first_true(branches: &[(Vec<Tree>, Tree)], otherwise: Option<&Tree>) -> Outcome<Tree> {
    let mut out: Option<Box<Tree>> = None;
    for (conditions, then) in branches.iter().rev() {
        let any = conditions.iter().cloned().reduce(|a, b| Tree::Or(a.into(), b.into()));
        let any = any.ok_or("an empty `when`")?;
        let rest = out.take().or_else(|| otherwise.cloned().map(Box::new));
        out = Some(Box::new(Tree::If(any.into(), then.clone().into(), rest)));
    }
    out.map(|tree| *tree).ok_or_else(|| "an empty `case`".to_owned())
}
