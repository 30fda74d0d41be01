//! Parses definitions: entities, relations, typedefs, implementations, indexes, imports.

use super::ast::{
    AttributeDef, EndDef, EntityDef, ExprId, ExprKind, ImplementDef, ImplementationDef, ImportDef,
    IndexDef, Name, RelationDef, TypeRef, TypedefDef,
};
use super::expressions::Path;
use super::lexer::{Keyword, Kind};
use super::parser::{Parser, syntax};
use crate::diagnostics::{Class, Error, Result};
use crate::value::Value;

const CAPITAL: &str = "Invalid identifier: Entity names must start with a capital";
const LOWER: &str = "Invalid identifier: attribute names must start with a lower case character";

impl Parser<'_, '_> {
    pub(super) fn entity(&mut self) -> Result<EntityDef> {
        let word = self.advance();
        let at = self.lexer.line_of(&word);
        if !matches!(self.kind(), Kind::Id | Kind::Cid) {
            return self.unexpected();
        }
        let token = self.advance();
        let name = self.name_of(&token);
        let mut parents = Vec::new();
        if self.is_word(Keyword::Extends) {
            self.advance();
            self.parents(&mut parents)?;
        }
        self.expect(b':')?;
        let comment = self.docstring()?;
        let mut attributes = Vec::new();
        while !self.is_word(Keyword::End) {
            attributes.push(self.attribute()?);
        }
        self.advance();
        if token.kind == Kind::Id {
            return Err(syntax(name.at, CAPITAL));
        }
        self.no_hyphen(name)?;
        Ok(EntityDef { name, parents, attributes, comment, at })
    }

    fn parents(&mut self, parents: &mut Vec<Name>) -> Result<()> {
        let mut wrong = None;
        loop {
            match self.path()? {
                Path::Class(name) => parents.push(name),
                Path::Other(name) => {
                    if self.is(b'.') {
                        return self.class_behind(name).map(|_| ());
                    }
                    wrong = Some(name);
                }
            }
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        if !self.is(b':') {
            return self.unexpected();
        }
        wrong.map_or(Ok(()), |name| Err(syntax(name.at, CAPITAL)))
    }

    fn attribute(&mut self) -> Result<AttributeDef> {
        if self.is_word(Keyword::Dict) {
            return self.dict_attribute();
        }
        let mut ty = TypeRef { name: self.plain_path()?, is_list: false, is_nullable: false };
        if self.is(b'[') {
            self.advance();
            self.expect(b']')?;
            ty.is_list = true;
        }
        if self.is(b'?') {
            self.advance();
            ty.is_nullable = true;
        }
        let (name, is_wrong) = self.attribute_name()?;
        let mut default = None;
        if self.is(b'=') {
            self.advance();
            default = self.default()?;
        }
        self.finish_attribute(ty, name, default, is_wrong)
    }

    fn attribute_name(&mut self) -> Result<(Name, bool)> {
        if !matches!(self.kind(), Kind::Id | Kind::Cid) {
            return self.unexpected();
        }
        let token = self.advance();
        Ok((self.name_of(&token), token.kind == Kind::Cid))
    }

    fn finish_attribute(
        &mut self,
        ty: TypeRef,
        name: Name,
        default: Option<ExprId>,
        is_wrong: bool,
    ) -> Result<AttributeDef> {
        if is_wrong {
            let goes_on = matches!(
                self.kind(),
                Kind::Id | Kind::Word(Keyword::Dict) | Kind::Word(Keyword::End)
            );
            return if goes_on { Err(syntax(name.at, LOWER)) } else { self.unexpected() };
        }
        self.no_hyphen(name)?;
        Ok(AttributeDef { ty, name, default })
    }

    /// Parses a default: a constant, a list of constants, or `undef`.
    fn default(&mut self) -> Result<Option<ExprId>> {
        if self.is_word(Keyword::Undef) {
            self.advance();
            return Ok(None);
        }
        if !self.is(b'[') {
            return self.constant().map(Some);
        }
        let open = self.advance();
        let at = self.lexer.line_of(&open);
        let mut items = Vec::new();
        while !self.is(b']') {
            items.push(self.constant()?);
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        self.expect(b']')?;
        Ok(Some(self.list_of(&items, at)))
    }

    fn dict_attribute(&mut self) -> Result<AttributeDef> {
        let word = self.advance();
        let mut ty = TypeRef { name: self.name_of(&word), is_list: false, is_nullable: false };
        if self.is(b'?') {
            self.advance();
            ty.is_nullable = true;
        }
        let (name, is_wrong) = self.attribute_name()?;
        let mut default = None;
        if self.is(b'=') {
            self.advance();
            if self.is_word(Keyword::Null) {
                let token = self.advance();
                let at = self.lexer.line_of(&token);
                if !ty.is_nullable && !is_wrong {
                    let text = self.ast.name(name.symbol);
                    let message = format!(
                        "null can not be assigned to dict, did you mean \"dict? {text} = null\""
                    );
                    return Err(syntax(name.at, message));
                }
                default = Some(self.ast.expr(ExprKind::Const(Value::Null), at));
            } else {
                default = Some(self.map()?);
            }
        }
        self.finish_attribute(ty, name, default, is_wrong)
    }

    /// Parses a relation, if there is one.
    pub(super) fn relation(&mut self) -> Result<Option<RelationDef>> {
        let next = self.peek();
        let entity = match self.kind() {
            Kind::Cid if next == Kind::Char(b'.') => self.class_path()?,
            Kind::Id if next == Kind::Sep => {
                let mark = self.mark();
                match self.path() {
                    Ok(Path::Class(name)) if self.is(b'.') => name,
                    _ => {
                        self.reset(mark);
                        return Ok(None);
                    }
                }
            }
            _ => return Ok(None),
        };
        let dot = self.advance();
        let at = self.lexer.line_of(&dot);
        let name = self.id()?;
        let (low, high) = self.multiplicity()?;
        // The name on the left belongs to the attribute that refers to the right entity.
        let left = EndDef { entity, name: Some(name), low, high };
        let mut annotations = Vec::new();
        let other = if self.kind() == Kind::Rel {
            self.advance();
            self.class_path()?
        } else {
            self.annotations(&mut annotations)?
        };
        let mut right = EndDef { entity: other, name: None, low: 0, high: None };
        if self.is(b'.') {
            self.advance();
            right.name = Some(self.id()?);
            (right.low, right.high) = self.multiplicity()?;
        }
        for name in [left.name, right.name].into_iter().flatten() {
            self.no_hyphen(name)?;
        }
        let comment = self.docstring()?;
        let annotations = self.exprs(annotations);
        Ok(Some(RelationDef { left, right, at, annotations, comment }))
    }

    /// Parses annotations and the entity after them.
    fn annotations(&mut self, out: &mut Vec<ExprId>) -> Result<Name> {
        loop {
            if matches!(self.kind(), Kind::Id | Kind::Cid) {
                let mark = self.mark();
                if let Ok(Path::Class(name)) = self.path()
                    && !self.is(b'(')
                    && !self.is(b'[')
                {
                    return Ok(name);
                }
                self.reset(mark);
            }
            out.push(self.expression()?);
            if !self.is(b',') {
                return self.class_path();
            }
            self.advance();
        }
    }

    fn multiplicity(&mut self) -> Result<(u32, Option<u32>)> {
        self.expect(b'[')?;
        if self.is(b':') {
            self.advance();
            let high = self.bound()?;
            self.expect(b']')?;
            return Ok((0, Some(high)));
        }
        let low = self.bound()?;
        let mut high = Some(low);
        if self.is(b':') {
            self.advance();
            high = if self.is(b']') { None } else { Some(self.bound()?) };
        }
        self.expect(b']')?;
        Ok((low, high))
    }

    fn bound(&mut self) -> Result<u32> {
        let token = self.expect_kind(Kind::Int)?;
        Ok(self.lexer.slice(&token).parse().unwrap_or_default())
    }

    pub(super) fn typedef(&mut self) -> Result<TypedefDef> {
        self.advance();
        if self.kind() == Kind::Cid {
            let token = self.advance();
            let name = self.name_of(&token);
            self.expect_word(Keyword::As)?;
            if !matches!(self.kind(), Kind::Id | Kind::Cid) {
                return self.unexpected();
            }
            self.class_path()?;
            if !self.is(b'(') {
                return self.unexpected();
            }
            self.skip_parameters()?;
            let message = "The use of default constructors is no longer supported";
            return Err(syntax(name.at, message));
        }
        let name = self.id()?;
        self.expect_word(Keyword::As)?;
        let base = self.plain_path()?;
        let condition = if self.kind() == Kind::Regex {
            self.regex_condition()?
        } else {
            self.expect_word(Keyword::Matching)?;
            self.expression()?
        };
        let mut names = Vec::new();
        self.ast.free_names(condition, &mut names);
        let own = self.ast.name(name.symbol).to_owned();
        if !names.iter().any(|n| *n == own || n == "self") {
            let error =
                Error::new(Class::Typing, "typedef expressions should reference the self variable");
            return Err(error.by(format!("Type({own})"), name.at));
        }
        self.no_hyphen(name)?;
        let comment = self.docstring()?;
        Ok(TypedefDef { name, base, condition, comment })
    }

    fn skip_parameters(&mut self) -> Result<()> {
        self.expect(b'(')?;
        while !self.is(b')') {
            if self.kind() == Kind::Power {
                self.advance();
            } else {
                self.id()?;
                self.expect(b'=')?;
            }
            self.expression()?;
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        self.expect(b')').map(|_| ())
    }

    pub(super) fn index(&mut self) -> Result<IndexDef> {
        let word = self.advance();
        let at = self.lexer.line_of(&word);
        let entity = self.class_path()?;
        self.expect(b'(')?;
        let mut attributes = vec![self.id()?];
        while self.is(b',') {
            self.advance();
            attributes.push(self.id()?);
        }
        self.expect(b')')?;
        Ok(IndexDef { entity, attributes, at })
    }

    pub(super) fn implement(&mut self) -> Result<ImplementDef> {
        self.advance();
        let entity = self.class_path()?;
        self.expect_word(Keyword::Using)?;
        let mut implementations = Vec::new();
        let mut parents = false;
        loop {
            if self.is_word(Keyword::Parents) {
                self.advance();
                parents = true;
            } else {
                implementations.push(self.plain_path()?);
            }
            if !self.is(b',') {
                break;
            }
            self.advance();
        }
        let condition = if self.is_word(Keyword::When) {
            self.advance();
            Some(self.expression()?)
        } else {
            None
        };
        self.docstring()?;
        let is_true =
            |id: ExprId| matches!(self.ast.exprs[id].kind, ExprKind::Const(Value::Bool(true)));
        if parents && condition.is_some_and(|condition| !is_true(condition)) {
            let message = "Conditional implementation with parents not allowed";
            let text = format!("Implement({})", self.ast.name(entity.symbol));
            return Err(Error::new(Class::Runtime, message).by(text, entity.at));
        }
        Ok(ImplementDef { entity, implementations, parents, condition })
    }

    pub(super) fn implementation(&mut self) -> Result<ImplementationDef> {
        self.advance();
        let name = self.id()?;
        self.expect_word(Keyword::For)?;
        let entity = self.class_path()?;
        self.expect(b':')?;
        let comment = self.docstring()?;
        let block = self.statements()?;
        self.expect_word(Keyword::End)?;
        self.no_hyphen(name)?;
        Ok(ImplementationDef { name, entity, block, comment })
    }

    pub(super) fn import(&mut self) -> Result<ImportDef> {
        let word = self.advance();
        let at = self.lexer.line_of(&word);
        let target = self.plain_path()?;
        let mut alias = target;
        if self.is_word(Keyword::As) {
            self.advance();
            alias = self.id()?;
        }
        let text = self.ast.name(target.symbol);
        if text.contains('-') {
            let message = format!(
                "{text} is not a valid module name: hyphens are not allowed, please use \
                 underscores instead."
            );
            return Err(Error::new(Class::Compiler, message));
        }
        self.no_hyphen(alias)?;
        Ok(ImportDef { target, alias, at })
    }
}
