//! Finds calls of methods whose type has `impl` blocks in several files.
//!
//! An `impl` block may stand in any file of the crate, and a call of a method imports nothing. So a
//! file can depend on another one through `self` alone. A call counts if the type of its receiver is
//! written down: `self` in an `impl`, a parameter with a type, or a field of these. Types whose name
//! the crate defines more than once, or that the file imports from another crate, do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ImplItem, ItemImpl, Pat, Type, UseTree};

use crate::modules::is_for_tests;

/// A call of a method in a file.
pub(crate) struct Call {
    pub caller: PathBuf,
    /// The file that defines the method.
    pub definition: PathBuf,
    /// `Type::method`
    pub method: String,
}

/// A type and the name of one of its methods.
type Method = (String, String);

/// The calls in `files` of methods that other files of these define.
pub(crate) fn calls(files: &BTreeSet<PathBuf>) -> Vec<Call> {
    let parse = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        (file.clone(), syn::parse_file(&text).unwrap())
    };
    let parsed: Vec<_> = files.iter().map(parse).collect();
    let mut definitions = Definitions::default();
    for (file, tree) in &parsed {
        definitions.file = file.clone();
        definitions.foreign = foreign_names(tree);
        definitions.visit_file(tree);
    }
    definitions.drop_ambiguous();
    let mut calls = Vec::new();
    for (file, tree) in &parsed {
        let mut visitor = Calls {
            definitions: &definitions,
            file,
            foreign: foreign_names(tree),
            own: None,
            typed: Vec::new(),
            calls: &mut calls,
        };
        visitor.visit_file(tree);
    }
    calls
}

/// The name of a type, without references.
fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(inner) => type_name(&inner.elem),
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

/// The names that a file imports from other crates.
fn foreign_names(tree: &syn::File) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in &tree.items {
        let syn::Item::Use(item) = item else { continue };
        if let UseTree::Path(path) = &item.tree
            && !["crate", "self", "super"].contains(&path.ident.to_string().as_str())
        {
            add_names(&path.tree, &mut names);
        }
    }
    names
}

fn add_names(tree: &UseTree, names: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => add_names(&path.tree, names),
        UseTree::Name(name) => drop(names.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(names.insert(rename.rename.to_string())),
        UseTree::Glob(_) => {}
        UseTree::Group(group) => group.items.iter().for_each(|tree| add_names(tree, names)),
    }
}

/// The types of a crate: where their methods are defined, and the types of their fields.
#[derive(Default)]
struct Definitions {
    /// The file that is read, and the names that it imports from other crates.
    file: PathBuf,
    foreign: BTreeSet<String>,
    methods: BTreeMap<Method, PathBuf>,
    /// The types of fields, by struct and field.
    fields: BTreeMap<(String, String), String>,
    /// The number of definitions of each type name.
    types: BTreeMap<String, usize>,
}

impl Definitions {
    fn drop_ambiguous(&mut self) {
        let is_unique = |owner: &String| self.types.get(owner) == Some(&1);
        self.methods.retain(|(owner, _), _| is_unique(owner));
        self.fields.retain(|(owner, _), _| is_unique(owner));
    }
}

impl<'ast> Visit<'ast> for Definitions {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let owner = item.ident.to_string();
        for field in &item.fields {
            if let (Some(name), Some(ty)) = (&field.ident, type_name(&field.ty))
                && !self.foreign.contains(&ty)
            {
                self.fields.insert((owner.clone(), name.to_string()), ty);
            }
        }
        *self.types.entry(owner).or_default() += 1;
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        *self.types.entry(item.ident.to_string()).or_default() += 1;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Some(owner) = type_name(&item.self_ty).filter(|_| item.trait_.is_none()) else {
            return;
        };
        for member in &item.items {
            if let ImplItem::Fn(method) = member {
                let name = method.sig.ident.to_string();
                self.methods.insert((owner.clone(), name), self.file.clone());
            }
        }
    }
}

struct Calls<'a> {
    definitions: &'a Definitions,
    file: &'a Path,
    foreign: BTreeSet<String>,
    /// The type of `self`.
    own: Option<String>,
    /// The parameters of the functions around, with their types.
    typed: Vec<(String, String)>,
    calls: &'a mut Vec<Call>,
}

impl Calls<'_> {
    /// The type of a receiver, as far as it is written down.
    fn type_of(&self, receiver: &Expr) -> Option<String> {
        match receiver {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                if name == "self" {
                    return self.own.clone();
                }
                self.typed.iter().rev().find(|(n, _)| name == n).map(|(_, ty)| ty.clone())
            }
            Expr::Field(field) => {
                let syn::Member::Named(name) = &field.member else { return None };
                let owner = self.type_of(&field.base)?;
                self.definitions.fields.get(&(owner, name.to_string())).cloned()
            }
            Expr::Reference(inner) => self.type_of(&inner.expr),
            Expr::Paren(inner) => self.type_of(&inner.expr),
            _ => None,
        }
    }

    fn add(&mut self, owner: String, name: String) {
        let method = format!("{owner}::{name}");
        if let Some(definition) = self.definitions.methods.get(&(owner, name))
            && definition != self.file
        {
            let (caller, definition) = (self.file.to_path_buf(), definition.clone());
            self.calls.push(Call { caller, definition, method });
        }
    }

    fn with_parameters(&mut self, signature: &syn::Signature, visit: impl FnOnce(&mut Self)) {
        let outer = self.typed.len();
        for input in &signature.inputs {
            if let FnArg::Typed(input) = input
                && let Pat::Ident(name) = &*input.pat
                && let Some(ty) = type_name(&input.ty)
                && !self.foreign.contains(&ty)
            {
                self.typed.push((name.ident.to_string(), ty));
            }
        }
        visit(self);
        self.typed.truncate(outer);
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let outer = std::mem::replace(&mut self.own, type_name(&item.self_ty));
        visit::visit_item_impl(self, item);
        self.own = outer;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.with_parameters(&item.sig, |all| visit::visit_item_fn(all, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.with_parameters(&item.sig, |all| visit::visit_impl_item_fn(all, item));
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if let Some(owner) = self.type_of(&call.receiver) {
            self.add(owner, name);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let names: Vec<_> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let [.., owner, name] = names.as_slice() {
            let owner = if owner == "Self" { self.own.clone() } else { Some(owner.clone()) };
            if let Some(owner) = owner.filter(|owner| !self.foreign.contains(owner)) {
                self.add(owner, name.clone());
            }
        }
        visit::visit_expr_path(self, path);
    }
}
