//! The assignments of an instance's attributes, for explanations.

use super::net::Net;
use super::state::ids::{NONE, Place};
use crate::location::Location;
use crate::syntax::ast::ExprKind;
use crate::value::InstanceId;

/// The kinds of assignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignmentKind {
    /// By a constructor.
    Constructor,
    /// By an assignment.
    Assignment,
    /// By another expression, such as the default of an attribute.
    Expression,
}

/// The source of an attribute's value.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The kind.
    pub kind: AssignmentKind,
    /// The place.
    pub at: Location,
    /// The text of the statement or expression.
    pub text: String,
}

impl Net<'_> {
    /// The assignment of an attribute; `None` without a value, and for lists, since they have
    /// several assignments.
    pub fn assignment(&self, id: InstanceId, attribute: &str) -> Option<Assignment> {
        let instance = &self.instances[id.0 as usize];
        let slots = &self.program.entities[instance.entity as usize].slots;
        let named =
            |id: &u32| self.program.name(self.program.attributes[*id as usize].name) == attribute;
        let slot = slots.iter().position(named)?;
        let var = &self.vars[instance.first as usize + 1 + slot];
        let at = self.location(var.place);
        let is_there = var.is_ready() && at.file != NONE;
        is_there.then(|| self.assignment_at(var.place, at))
    }

    /// The constructors of an instance, in the order in which they ran.
    pub fn constructors(&self, id: InstanceId) -> Vec<Assignment> {
        let places = &self.instances[id.0 as usize].places;
        places.iter().map(|place| self.assignment_at(*place, self.location(*place))).collect()
    }

    fn assignment_at(&self, place: Place, at: Location) -> Assignment {
        let kind = match place.as_expr() {
            None => AssignmentKind::Assignment,
            Some(expr) => match self.program.ast.exprs[expr].kind {
                ExprKind::New(_) => AssignmentKind::Constructor,
                _ => AssignmentKind::Expression,
            },
        };
        Assignment { kind, at, text: self.reporter(place).text }
    }

    /// The numbers of the implementations that ran for an instance.
    pub fn ran(&self, id: InstanceId) -> &[u32] {
        &self.instances[id.0 as usize].implementations
    }
}

/// Maps places to implementations.
#[derive(Debug, Default)]
pub struct Layout {
    /// The parts of each file: their first line, and the implementation if the part is one.
    files: Vec<Vec<(u32, Option<u32>)>>,
}

impl Layout {
    /// The layout of the files of a program.
    pub fn of(net: &Net<'_>) -> Self {
        let program = &net.program;
        let mut out = Self::default();
        for (number, implementation) in (0u32..).zip(&program.implementations) {
            out.add(implementation.at, Some(number));
        }
        for entity in &program.entities {
            out.add(entity.at, None);
        }
        for top in &program.tops {
            for statement in &program.ast.blocks[top.block].statements {
                out.add(program.ast.stmts[*statement].at, None);
            }
        }
        out.files.iter_mut().for_each(|parts| parts.sort_unstable());
        out
    }

    fn add(&mut self, at: Location, implementation: Option<u32>) {
        let file = at.file as usize;
        if at.file == NONE {
            return;
        }
        if self.files.len() <= file {
            self.files.resize_with(file + 1, Vec::new);
        }
        self.files[file].push((at.line, implementation));
    }

    /// The implementation that a place is in.
    pub fn implementation(&self, at: Location) -> Option<u32> {
        let parts = self.files.get(at.file as usize)?;
        let behind = parts.partition_point(|(line, _)| *line <= at.line);
        parts.get(behind.checked_sub(1)?)?.1
    }
}
