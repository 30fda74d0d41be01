//! The validator: the rules that a program must satisfy before it is evaluated.
//!
//! Rules, their order and their texts are those of the reference implementation (its
//! `Checker4_0`): every node is checked on its own, in depth-first order, so that the first error
//! is the same. Nothing here recurses with the height of the tree.

mod checker;
mod definitions;
pub(crate) mod heredoc;
pub(crate) mod label;
mod literal;
mod logic;
mod models;
pub mod names;
pub(crate) mod pure;
mod rules;
pub mod walk;

use ordain_source::Diagnostic;

use crate::syntax::advice::advise;
pub use checker::{ModuleFile, Options};
pub use definitions::metaparameters;
pub(crate) use logic::{Role, free_variables};
pub use ordain_graph::language::Strict;
pub use pure::ALIASES;
pub(crate) use pure::is_pure;

use crate::syntax::Program;
use checker::Checker;
use walk::{Node, children};

/// Checks a program. The findings are in the order in which the reference reports them.
///
/// ```
/// use ordain_puppet::{syntax, validation};
/// use ordain_source::FileId;
///
/// let program = syntax::parse(FileId(0), "if true { class a { } }").program;
/// let found = validation::validate(&program, &validation::Options::default());
/// assert_eq!(found[0].issue.as_deref(), Some("NOT_TOP_LEVEL"));
/// ```
pub fn validate(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let found = validate_embedded(program, options, 0);
    found.into_iter().map(|d| advise(d, Some(&program.text))).collect()
}

/// Checks a program that is part of a text in `depth` other programs.
fn validate_embedded(program: &Program, options: &Options, depth: u32) -> Vec<Diagnostic> {
    let mut checker = Checker {
        program,
        options,
        path: Vec::new(),
        found: Vec::new(),
        errors: 0,
        warnings: 0,
        depth,
        embedded_failed: false,
    };
    checker.top_constructs_in_module();
    checker.walk();
    checker.found
}

impl Checker<'_> {
    fn walk(&mut self) {
        self.path.push(Node::Program);
        // The expressions to check, the next one last. `Node::Program` marks the end of the
        // children of a node.
        let mut steps = vec![Node::Expr(self.program.body)];
        while let Some(node) = steps.pop() {
            if matches!(node, Node::Program) {
                self.path.pop();
                continue;
            }
            self.check(node);
            let end = steps.len();
            steps.push(Node::Program);
            children(self.program, node, &mut steps);
            match steps.len() - end - 1 {
                0 => steps.truncate(end),
                _ => {
                    self.path.push(node);
                    steps[end + 1..].reverse();
                }
            }
        }
        self.path.pop();
    }
}
