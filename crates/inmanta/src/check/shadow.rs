//! Warns of variables that hide others.

use crate::diagnostics::Warning;
use crate::location::Location;
use crate::model::program::Program;
use crate::symbol::Symbol;
use crate::syntax::ast::{BlockId, Definition, StmtKind};

/// The variables of the enclosing blocks with the places of their declarations.
type EnclosingVariables = Vec<(Symbol, Vec<Location>)>;

impl Program {
    /// Warns of variables that hide others.
    pub(crate) fn warn_of_shadows(&mut self) {
        let mut found = Vec::new();
        for top in self.tops.clone() {
            let mut around = EnclosingVariables::new();
            let definitions: Vec<BlockId> = self
                .definitions
                .iter()
                .filter(|(namespace, _)| *namespace == top.namespace)
                .filter_map(|(_, definition)| match definition {
                    Definition::Implementation(def) => Some(def.block),
                    _ => None,
                })
                .collect();
            let nested = self.nested_blocks(top.block).into_iter();
            let all: Vec<_> = nested.chain(definitions.into_iter().map(|b| (b, None))).collect();
            if all.is_empty() {
                continue;
            }
            self.declare(top.block, None, &mut around, &mut found);
            for (block, variable) in all {
                self.shadows(block, variable, &mut around, &mut found);
            }
        }
        self.warnings.extend(found);
    }

    fn shadows(
        &self,
        block: BlockId,
        variable: Option<(Symbol, Location)>,
        around: &mut EnclosingVariables,
        found: &mut Vec<Warning>,
    ) {
        let outside = around.len();
        self.declare(block, variable, around, found);
        for (inner, variable) in self.nested_blocks(block) {
            self.shadows(inner, variable, around, found);
        }
        around.truncate(outside);
    }

    /// Adds the variables of a block, and warns of those that hide others.
    fn declare(
        &self,
        block: BlockId,
        variable: Option<(Symbol, Location)>,
        around: &mut EnclosingVariables,
        found: &mut Vec<Warning>,
    ) {
        let mut own: EnclosingVariables = Vec::new();
        let mut at_of: rustc_hash::FxHashMap<Symbol, usize> = rustc_hash::FxHashMap::default();
        let declared = self.ast.blocks[block].statements.iter().filter_map(|statement| {
            let statement = &self.ast.stmts[*statement];
            match statement.kind {
                StmtKind::Assign(name, ..) => Some((name.symbol, statement.at)),
                _ => None,
            }
        });
        for (name, at) in declared.chain(variable) {
            match at_of.get(&name) {
                Some(&i) => own[i].1.push(at),
                None => {
                    at_of.insert(name, own.len());
                    own.push((name, vec![at]));
                }
            }
        }
        let show = |places: &[Location]| {
            let places: Vec<String> = places.iter().map(|at| self.files.show(*at)).collect();
            places.join(",")
        };
        for (name, places) in &own {
            let outer = around.iter().rev().find(|(other, _)| other == name);
            if let Some((_, outer)) = outer {
                found.push(Warning {
                    class: "VariableShadowWarning".into(),
                    text: format!(
                        "Variable `{}` shadowed: originally declared at {}, shadowed at {}",
                        self.name(*name),
                        show(outer),
                        show(places)
                    ),
                    at: places.first().copied(),
                });
            }
        }
        around.extend(own);
    }

    /// The blocks directly inside a block, each with its loop variable.
    fn nested_blocks(&self, block: BlockId) -> Vec<(BlockId, Option<(Symbol, Location)>)> {
        let mut out = Vec::new();
        for statement in &self.ast.blocks[block].statements {
            let statement = &self.ast.stmts[*statement];
            match statement.kind {
                StmtKind::For { variable, block, .. } => {
                    out.push((block, Some((variable, statement.at))));
                }
                StmtKind::If { then, otherwise, .. } => {
                    out.push((then, None));
                    out.push((otherwise, None));
                }
                _ => {}
            }
        }
        out
    }
}
