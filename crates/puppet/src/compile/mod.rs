//! From a node to a catalog: the phases of a compile (upstream `lib/puppet/parser/compiler.rb`).

mod classes;
mod convert;
mod declare;
mod exported;
mod finish;
pub(crate) mod generate;
mod kinds;
pub(crate) mod links;
mod models;
mod parameters;
mod titles;

use std::sync::Arc;

use ecow::EcoString;
use ordain_source::{Diagnostic, FileId, Span, TextRange, suggest};

use crate::catalog::values::{Declaration, new_param};
use crate::catalog::{
    Catalog, Declared, ParamOrigin, ParamSource, Resource, ResourceId, ResourceKind,
};
use crate::error::{EvalError, EvalResult, PlainError, Unwind};
use crate::load::Environment;
use crate::load::node_names::regex_title;
use crate::state::Compiler;
use crate::state::frame::final_error;
use crate::state::log::LogEntry;
use crate::state::node::{Node, SETTINGS};
use crate::state::scope::{Scope, ScopeKind, Scopes};
use crate::state::settings::Settings;
use crate::syntax::Expr;
use crate::syntax::definitions::NodeDef;
use crate::types::Regexp;
use crate::value::closure::ScopeId;
use crate::value::resource_key::ResourceKey;
use crate::value::{Value, compare};

/// The result of a compile, also of one that failed.
pub struct Outcome<'e> {
    /// The compile, with its catalog if there was no error.
    pub compiler: Compiler<'e>,
    /// The error that ended it.
    pub error: Option<EvalError>,
}

impl Outcome<'_> {
    /// The log messages, in order.
    pub fn logs(&self) -> &[LogEntry] {
        &self.compiler.log.entries
    }

    /// Warnings.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.compiler.log.diagnostics
    }
}

/// Compiles the catalog of a node.
///
/// The calling thread needs a stack of [`crate::state::frame::STACK_SIZE`].
pub fn compile<'e>(env: &'e Environment, settings: Settings, node: &Node) -> Outcome<'e> {
    ordain_functions::regex::forget();
    let mut compiler = Compiler::new(env, settings, &node.name);
    let result = compiler.run(node);
    let error = result.err().map(final_error);
    Outcome { compiler, error }
}

/// The node block that a node matches.
struct NodeBlock<'e> {
    def: &'e Arc<NodeDef>,
    title: EcoString,
    groups: Option<Vec<Value>>,
}

impl<'e> NodeBlock<'e> {
    /// Finds the block by its exact name, else the first regular expression in order, else the
    /// default.
    fn of(env: &'e Environment, node: &str) -> EvalResult<Option<Self>> {
        let name = node.to_lowercase();
        let mut by_regex = None;
        let mut default = None;
        for def in &env.nodes {
            for &id in def.program.list(def.matches) {
                match &def.program[id] {
                    Expr::Str(text) | Expr::Name(text) if text.to_lowercase() == name => {
                        return Ok(Some(Self { def, title: text.to_lowercase(), groups: None }));
                    }
                    Expr::Regex(source) if by_regex.is_none() => {
                        let regex = Value::Regexp(Arc::new(Regexp::new(source.clone())));
                        let outcome = compare::matches(&Value::Str(name.as_str().into()), &regex)?;
                        if outcome.matched {
                            let (title, groups) = (regex_title(source), outcome.groups);
                            by_regex = Some(Self { def, title, groups });
                        }
                    }
                    Expr::Default => {
                        let title = "default".into();
                        default = default.or(Some(Self { def, title, groups: None }));
                    }
                    _ => {}
                }
            }
        }
        Ok(by_regex.or(default))
    }
}

/// The title of the node block that a node matches. `None` if there is none.
pub fn node_block(env: &Environment, node: &str) -> Option<EcoString> {
    NodeBlock::of(env, node).ok().flatten().map(|block| block.title)
}

impl Compiler<'_> {
    fn run(&mut self, node: &Node) -> EvalResult<()> {
        self.run_config_version()?;
        self.begin(node);
        self.evaluate_main()?;
        self.choose_node()?;
        self.evaluate_classified(node)?;
        self.generate()?;
        self.finish()
    }

    /// Runs the command for the version. The compile fails if it fails.
    fn run_config_version(&self) -> EvalResult<()> {
        let Err(text) = self.env.config_version.get(self.env.world.as_ref()) else { return Ok(()) };
        let help = "`config_version` in environment.conf names the command, which runs on the \
                    machine that compiles the catalog";
        let error = PlainError { help: Some(help.into()), ..PlainError::new(text) };
        Err(Box::new(Unwind::Plain(error)))
    }

    /// Sets up the top scope, `Stage[main]`, `Class[Settings]` and `Class[main]`.
    pub fn begin(&mut self, node: &Node) {
        self.catalog = Catalog::with_room();
        self.scopes = Scopes::with_room();
        // The top scope belongs to Class[main], the third resource.
        let main = ResourceId(2);
        let mut top = Scope::new(ScopeKind::Top, None, main);
        for (name, value) in &node.parameters {
            top.replace(name.clone(), value.clone());
        }
        if let Value::Hash(facts) = &node.facts {
            for (name, value) in facts.iter() {
                if let Some(name) = name.as_str() {
                    top.set(name.into(), value.clone());
                }
            }
        }
        top.replace("environment".into(), Value::Str(self.env.name.clone()));
        top.replace("facts".into(), or_empty(&node.facts));
        top.replace("trusted".into(), trusted(node));
        top.replace("server_facts".into(), or_empty(&node.server_facts));
        top.replace("title".into(), "main".into());
        top.replace("name".into(), "main".into());
        top.replace("module_name".into(), "".into());
        self.scopes.push(top);
        self.add_fixed("Stage", "main", ResourceKind::Stage);
        let settings = self.add_fixed("Class", "Settings", ResourceKind::Class(None));
        let main = self.add_fixed("Class", "main", ResourceKind::Class(None));
        self.catalog.edges.insert((ResourceId(0), settings));
        self.catalog.edges.insert((ResourceId(0), main));
        self.settings_scope(settings);
        for (name, _) in &node.classes {
            self.catalog.add_class_name(name.clone());
        }
        self.catalog.add_class_name("settings".into());
    }

    fn add_fixed(&mut self, kind: &str, title: &str, what: ResourceKind) -> ResourceId {
        let mut tags = crate::catalog::tags::TagSet::default();
        tags.insert(self.catalog.tags.intern(kind));
        if title == "Settings" {
            tags.insert(self.catalog.tags.intern("settings"));
        }
        let within = ResourceId(2);
        let origin = ParamOrigin { how: ParamSource::External, span: None, within };
        let named = title == "main";
        let params = named.then(|| new_param("name".into(), "main".into(), false, origin));
        self.catalog.add(Resource {
            kind: kind.into(),
            title: title.into(),
            what,
            declared: Declared::Implicitly,
            params: params.into_iter().collect::<Vec<_>>().into(),
            tags,
            is_virtual: false,
            exported: false,
            span: None,
            scope: ScopeId::TOP,
            container: None,
            evaluated: true,
            body_scope: None,
            sensitive: Vec::new(),
            title_is_text: true,
        })
    }

    /// The scope of `Class[settings]`. Its variables are elsewhere; see
    /// [`Self::setting_variables`](Compiler::setting_variables).
    fn settings_scope(&mut self, resource: ResourceId) {
        let mut scope = Scope::new(ScopeKind::Class, Some(ScopeId::TOP), resource);
        scope.class = SETTINGS.into();
        let scope = self.scopes.push(scope);
        self.scopes.set_class(SETTINGS.into(), scope);
    }

    fn evaluate_main(&mut self) -> EvalResult<()> {
        self.define_models()?;
        for program in &self.env.site {
            self.type_parameters(program)?;
        }
        for program in &self.env.site {
            let f = self.top_frame(program);
            self.eval(&f, program.body)?;
        }
        Ok(())
    }

    /// Evaluates the matching node block.
    fn choose_node(&mut self) -> EvalResult<()> {
        if self.env.nodes.is_empty() {
            return Ok(());
        }
        let env = self.env;
        let Some(found) = NodeBlock::of(env, &self.node)? else {
            let text =
                format!("Could not find node statement with name 'default' or '{}'", self.node);
            let mut error = PlainError::new(text);
            error.help = Some(self.node_help());
            return Err(error.into());
        };
        self.evaluate_node(found.def, found.title, found.groups)
    }

    /// Help that lists the nodes and says how to choose one.
    fn node_help(&self) -> String {
        const SHOWN: usize = 5;
        let names = self.env.nodes.iter().flat_map(|def| {
            def.program.list(def.matches).iter().filter_map(|&id| match &def.program[id] {
                Expr::Str(text) | Expr::Name(text) => Some(text.as_str()),
                _ => None,
            })
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        if let Some(near) = suggest::nearest(&self.node, names.iter().copied()) {
            return format!("did you mean `--node {near}`?");
        }
        let more = if names.len() > SHOWN { ", ..." } else { "" };
        names.truncate(SHOWN);
        match names.as_slice() {
            [] => "`node default { }` is for all others".to_owned(),
            names => format!(
                "there are {}{more}: select one with `--node NAME`; `node default {{ }}` \
                 is for all others",
                names.join(", ")
            ),
        }
    }

    /// Declares the classes of a node classifier; those with parameters come first.
    fn evaluate_classified(&mut self, node: &Node) -> EvalResult<()> {
        let scope = self.scopes.node_or_top();
        let span = Span { file: FileId(0), range: TextRange::default() };
        let at =
            Declaration { scope, span, is_virtual: false, exported: false, title_is_text: true };
        let given = |value: &Value| value.as_hash().is_some_and(|h| !h.is_empty());
        for (name, params) in node.classes.iter().filter(|(_, v)| given(v)) {
            let def = self.classified(name)?;
            if let Some(known) = self.catalog.find(&ResourceKey::new("class", &def.name)) {
                let reference = self.catalog.get(known).reference();
                return Err(self.duplicate(&reference, None, known));
            }
            let origin = ParamOrigin {
                how: ParamSource::External,
                span: None,
                within: self.scopes.get(scope).resource,
            };
            let params = params.as_hash().into_iter().flatten().map(|(k, v)| {
                let name = crate::value::text::to_text(k);
                new_param(name, v.clone(), false, origin.clone())
            });
            let params = params.collect();
            let id = self.add_class(def, params, Declared::Implicitly, at)?;
            self.catalog.get_mut(id).span = None;
            self.catalog.unevaluated.push(id);
        }
        for (name, _) in node.classes.iter().filter(|(_, v)| !given(v)) {
            let def = self.classified(name)?;
            let key = ResourceKey::new("class", name);
            if self.catalog.find(&key).is_none() {
                let id = self.add_class(def, Vec::new(), Declared::Implicitly, at)?;
                self.catalog.get_mut(id).span = None;
                self.catalog.unevaluated.push(id);
            }
        }
        Ok(())
    }

    fn classified(&mut self, name: &str) -> EvalResult<Arc<crate::syntax::definitions::TypeDef>> {
        let lower = name.trim_start_matches("::").to_lowercase();
        match self.class_named(&lower)? {
            Some(def) => Ok(def),
            None => {
                let text = format!("Could not find class {name} for {}", self.node);
                let mut error = PlainError::new(text);
                error.help = self.env.class_help(&lower);
                Err(error.into())
            }
        }
    }
}

fn or_empty(value: &Value) -> Value {
    if value.is_undef() { Value::Hash(Arc::default()) } else { value.clone() }
}

fn trusted(node: &Node) -> Value {
    if !node.trusted.is_undef() {
        return node.trusted.clone();
    }
    let (hostname, domain) = match node.name.split_once('.') {
        Some((host, domain)) => (host.into(), Value::from(domain)),
        None => (Value::from(node.name.as_str()), Value::Undef),
    };
    let hostname: Value = hostname;
    Value::hash([
        ("authenticated", Value::from("local")),
        ("certname", Value::Str(node.name.clone())),
        ("extensions", Value::Hash(Arc::default())),
        ("hostname", hostname),
        ("domain", domain),
        ("external", Value::Hash(Arc::default())),
    ])
}
