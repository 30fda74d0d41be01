//! The tree of a template, and the text of its parts for messages.

use std::collections::BTreeMap;

/// The name of a template in messages.
pub(super) const NAME: &str = "template";

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id(pub u32);

/// A template and its definitions of others.
pub(super) struct Tree {
    pub text: String,
    pub nodes: Vec<Node>,
    /// The bodies by name. One that is missing is a template without text.
    pub templates: BTreeMap<String, Id>,
}

/// A part of a template with its position.
pub(super) struct Node {
    pub at: usize,
    pub kind: Kind,
}

/// A pipeline: commands that pass on their results, and variables for the last one.
pub(super) struct Pipe {
    pub variables: Vec<String>,
    /// Whether the variables are there already.
    pub is_assignment: bool,
    pub commands: Vec<Id>,
}

/// The kind of a part of a template.
pub(super) enum Kind {
    Text(String),
    List(Vec<Id>),
    Action(Id),
    If {
        pipe: Id,
        body: Id,
        other: Option<Id>,
    },
    With {
        pipe: Id,
        body: Id,
        other: Option<Id>,
    },
    Range {
        pipe: Id,
        body: Id,
        other: Option<Id>,
    },
    Template {
        name: String,
        pipe: Option<Id>,
    },
    Break,
    Continue,
    End,
    Else,
    Pipe(Pipe),
    Command(Vec<Id>),
    Function(String),
    /// `$x.a.b`
    Variable(Vec<String>),
    /// `.a.b`
    Field(Vec<String>),
    /// `(…).a.b`
    Chain(Id, Vec<String>),
    Dot,
    Nil,
    Bool(bool),
    Number {
        text: String,
        int: Option<i64>,
        float: Option<f64>,
        is_char: bool,
    },
    /// The literal and its value.
    Str(String, Vec<u8>),
}

impl Tree {
    pub(super) fn get(&self, id: Id) -> &Node {
        // Ids are only made by `add`.
        &self.nodes[id.0 as usize]
    }

    pub(super) fn kind(&self, id: Id) -> &Kind {
        &self.get(id).kind
    }

    pub(super) fn add(&mut self, at: usize, kind: Kind) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { at, kind });
        id
    }

    pub(super) fn pipe(&self, id: Id) -> Option<&Pipe> {
        if let Kind::Pipe(pipe) = self.kind(id) { Some(pipe) } else { None }
    }

    /// Whether a body consists of blanks.
    pub(super) fn is_blank(&self, id: Id) -> bool {
        match self.kind(id) {
            Kind::List(nodes) => nodes.iter().all(|node| self.is_blank(*node)),
            Kind::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }

    /// A node in messages: the source without superfluous blanks.
    pub(super) fn show(&self, id: Id) -> String {
        let mut out = String::new();
        self.write(id, &mut out);
        out
    }

    fn write(&self, id: Id, out: &mut String) {
        match self.kind(id) {
            Kind::Text(text) => out.push_str(text),
            Kind::List(nodes) => nodes.iter().for_each(|node| self.write(*node, out)),
            Kind::Action(pipe) => {
                out.push_str("{{");
                self.write(*pipe, out);
                out.push_str("}}");
            }
            Kind::If { pipe, body, other } => self.write_block("if", *pipe, (*body, *other), out),
            Kind::With { pipe, body, other } => {
                self.write_block("with", *pipe, (*body, *other), out);
            }
            Kind::Range { pipe, body, other } => {
                self.write_block("range", *pipe, (*body, *other), out);
            }
            Kind::Template { name, pipe } => {
                out.push_str("{{template ");
                out.push_str(&ordain_functions::go::quote::quote(name.as_bytes()));
                if let Some(pipe) = pipe {
                    out.push(' ');
                    self.write(*pipe, out);
                }
                out.push_str("}}");
            }
            Kind::Break => out.push_str("{{break}}"),
            Kind::Continue => out.push_str("{{continue}}"),
            Kind::End => out.push_str("{{end}}"),
            Kind::Else => out.push_str("{{else}}"),
            Kind::Pipe(pipe) => self.write_pipe(pipe, out),
            Kind::Command(args) => {
                for (index, arg) in args.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    self.write_operand(*arg, out);
                }
            }
            Kind::Function(name) => out.push_str(name),
            Kind::Variable(names) => out.push_str(&names.join(".")),
            Kind::Field(names) => push_fields(names, out),
            Kind::Chain(node, names) => {
                self.write_operand(*node, out);
                push_fields(names, out);
            }
            Kind::Dot => out.push('.'),
            Kind::Nil => out.push_str("nil"),
            Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Kind::Number { text, .. } | Kind::Str(text, _) => out.push_str(text),
        }
    }

    /// A pipeline that is an operand is in parentheses.
    fn write_operand(&self, id: Id, out: &mut String) {
        let is_pipe = matches!(self.kind(id), Kind::Pipe(_));
        if is_pipe {
            out.push('(');
        }
        self.write(id, out);
        if is_pipe {
            out.push(')');
        }
    }

    fn write_block(&self, word: &str, pipe: Id, bodies: (Id, Option<Id>), out: &mut String) {
        out.push_str("{{");
        out.push_str(word);
        out.push(' ');
        self.write(pipe, out);
        out.push_str("}}");
        self.write(bodies.0, out);
        if let Some(other) = bodies.1 {
            out.push_str("{{else}}");
            self.write(other, out);
        }
        out.push_str("{{end}}");
    }

    fn write_pipe(&self, pipe: &Pipe, out: &mut String) {
        if !pipe.variables.is_empty() {
            out.push_str(&pipe.variables.join(", "));
            out.push_str(if pipe.is_assignment { " = " } else { " := " });
        }
        for (index, command) in pipe.commands.iter().enumerate() {
            if index > 0 {
                out.push_str(" | ");
            }
            self.write(*command, out);
        }
    }
}

fn push_fields(names: &[String], out: &mut String) {
    for name in names {
        out.push('.');
        out.push_str(name);
    }
}
