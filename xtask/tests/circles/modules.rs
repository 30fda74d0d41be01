//! Reads the modules of a crate from its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree};

/// A path in source code: `crate::a::B` is `["crate", "a", "B"]`.
pub(crate) type PathSegments = Vec<String>;

/// A module, in its own file or inline.
#[derive(Default)]
pub(crate) struct Module {
    pub file: PathBuf,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Names that `use` imports, with their paths.
    pub names: BTreeMap<String, PathSegments>,
    /// The paths of `use path::*`.
    pub globs: Vec<PathSegments>,
    /// Paths of two or more segments in items, expressions, patterns and macros.
    pub paths: Vec<PathSegments>,
    /// Paths of one segment in them.
    pub single: BTreeSet<String>,
    /// The names of items that the module defines.
    pub items: BTreeSet<String>,
}

/// The modules of a crate; the first one is the crate root.
#[derive(Default)]
pub(crate) struct Crate {
    pub modules: Vec<Module>,
}

impl Crate {
    /// Reads a crate from its `lib.rs` or `main.rs`.
    pub(crate) fn read(top: &Path) -> Self {
        let mut all = Self::default();
        all.read_file(top, top.parent().unwrap(), None);
        all
    }

    /// Reads a file whose child modules are in `directory`.
    fn read_file(&mut self, file: &Path, directory: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.read_items(&parsed.items, file, directory, parent)
    }

    fn read_items(
        &mut self,
        items: &[Item],
        file: &Path,
        directory: &Path,
        parent: Option<usize>,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module { file: file.to_path_buf(), parent, ..Module::default() });
        for item in items {
            match item {
                Item::Mod(module) if is_for_tests(&module.attrs) => {}
                Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let below = directory.join(&name);
                    let child = match &module.content {
                        Some((_, items)) => self.read_items(items, file, &below, Some(at)),
                        None => {
                            let (flat, nested) =
                                (directory.join(format!("{name}.rs")), below.join("mod.rs"));
                            let file = if flat.exists() { flat } else { nested };
                            self.read_file(&file, &below, Some(at))
                        }
                    };
                    self.modules[at].children.insert(name, child);
                }
                item => {
                    self.modules[at].items.extend(name_of(item));
                    Collect(&mut self.modules[at]).visit_item(item);
                }
            }
        }
        at
    }
}

/// The name that an item defines in its module.
fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Whether the attributes contain `#[cfg(test)]` or `#[test]`.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        path.is_ident("test")
            || path.is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|m| m.tokens.to_string() == "test")
    })
}

/// Collects the paths and names in the items of a module.
struct Collect<'m>(&'m mut Module);

impl Collect<'_> {
    fn import(&mut self, tree: &UseTree, mut path: PathSegments) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.import(&inner.tree, path);
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                // `use a::{self}` imports `a`.
                if name != "self" {
                    path.push(name);
                }
                self.name(path.last().unwrap().clone(), path);
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                self.name(rename.rename.to_string(), path);
            }
            UseTree::Glob(_) => self.0.globs.push(path),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, path.clone()));
            }
        }
    }

    fn name(&mut self, name: String, path: PathSegments) {
        self.0.paths.push(path.clone());
        // `use x as _` imports no name.
        if name != "_" {
            self.0.names.insert(name, path);
        }
    }

    /// Finds paths in the tokens of a macro, which need not parse as Rust.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = PathSegments::new();
        let mut colons = 0;
        for token in tokens {
            match &token {
                TokenTree::Punct(p) if p.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.end(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut PathSegments) {
        self.add(std::mem::take(path));
    }

    fn add(&mut self, path: PathSegments) {
        match path.as_slice() {
            [] => {}
            [name] => drop(self.0.single.insert(name.clone())),
            _ => self.0.paths.push(path),
        }
    }
}

impl<'ast> Visit<'ast> for Collect<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let tests = match item {
            Item::Fn(item) => is_for_tests(&item.attrs),
            Item::Impl(item) => is_for_tests(&item.attrs),
            Item::Use(item) => is_for_tests(&item.attrs),
            _ => false,
        };
        if !tests {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, PathSegments::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|s| s.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}
