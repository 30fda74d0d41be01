//! How instances came by their values, for explanations.

use super::{Net, Place};
use crate::location::Location;
use crate::syntax::ast::ExprKind;
use crate::value::InstanceId;

/// How something was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// By a constructor.
    Constructor,
    /// By an assignment.
    Assignment,
    /// By another expression, such as the default of an attribute.
    Expression,
}

/// The source of an attribute's value.
#[derive(Clone, Debug)]
pub struct Given {
    /// How.
    pub how: How,
    /// Where.
    pub at: Location,
    /// The kind of the source.
    pub text: String,
}

impl Net<'_> {
    /// The source of an attribute's value; `None` for lists, which get theirs from several places,
    /// and for attributes without a value.
    pub fn given(&self, id: InstanceId, attribute: &str) -> Option<Given> {
        let instance = &self.instances[id.0 as usize];
        let slots = &self.program.entities[instance.entity as usize].slots;
        let named =
            |id: &u32| self.program.name(self.program.attributes[*id as usize].name) == attribute;
        let slot = slots.iter().position(named)?;
        let var = &self.vars[instance.first as usize + 1 + slot];
        let at = self.location(var.place);
        let is_there = var.is_ready() && at.file != super::NONE;
        is_there.then(|| self.said(var.place, at))
    }

    /// The constructors of an instance, the first one first.
    pub fn constructors(&self, id: InstanceId) -> Vec<Given> {
        let places = &self.instances[id.0 as usize].places;
        places.iter().map(|place| self.said(*place, self.location(*place))).collect()
    }

    fn said(&self, place: Place, at: Location) -> Given {
        let how = match place.as_expr() {
            None => How::Assignment,
            Some(expr) => match self.program.ast.exprs[expr].kind {
                ExprKind::New(_) => How::Constructor,
                _ => How::Expression,
            },
        };
        Given { how, at, text: self.reporter(place).text }
    }

    /// The numbers of the implementations that ran for an instance.
    pub fn ran(&self, id: InstanceId) -> &[u32] {
        &self.instances[id.0 as usize].implementations
    }
}

/// Which implementation a place is in.
#[derive(Debug, Default)]
pub struct Layout {
    /// For each file where its parts begin: the line, and the implementation if it is one.
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
        if at.file == super::NONE {
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
