//! The Python code of modules.
//!
//! It runs in a child process, for which the crate `ordain_plugins` brings a light package
//! `inmanta`. Whole things cross: a call with its arguments goes out, its result comes back, and of
//! an instance that a plug-in reads from all attributes that have a value come at once. Since
//! values never change, the child keeps them; so of many reads few cross.

mod answers;
mod batch;
mod declared;
mod wire;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ecow::EcoString;
use ordain_functions::base64::Mode;
use ordain_plugins::{Fault, Host, Limits, Session};
use ordain_source::World;
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use crate::error::{Class, Error};
use crate::plugin::{Arguments, Context, Param, Plugin, Signature, Stop, TypeExpr};
use crate::program::PythonClass;
use crate::value::{InstanceId, Value};
use wire::{Mirror, received, sent, type_expr};

/// A module of which the Python code is loaded.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its directory, where `files` and `templates` are.
    pub directory: PathBuf,
    /// The directory of its Python code, if it has any: `plugins`, or the package itself.
    pub python: Option<PathBuf>,
}

impl Module {
    /// The Python modules that have to be imported: all files below the directory.
    fn imports(&self, world: &dyn World) -> Vec<String> {
        self.files(world).into_iter().map(|(name, _)| name).collect()
    }

    /// The same with their files.
    fn files(&self, world: &dyn World) -> Vec<(String, PathBuf)> {
        let mut out = Vec::new();
        if let Some(directory) = &self.python {
            collect(world, directory, &format!("inmanta_plugins.{}", self.name), &mut out, 0);
        }
        out.sort();
        out
    }
}

/// That Python code cannot be loaded.
#[derive(Debug)]
pub struct NotLoaded {
    /// Why.
    pub error: Box<Error>,
    /// The file and the line of the code, if they are known.
    pub place: Option<(PathBuf, u32)>,
}

impl From<Box<Error>> for NotLoaded {
    fn from(error: Box<Error>) -> Self {
        Self { error, place: None }
    }
}

/// What marks a child that has been told of the project.
const COMPILE: u64 = 1;
/// How deep packages may nest.
const DEPTH_LIMIT: usize = 20;

fn collect(
    world: &dyn World,
    directory: &Path,
    name: &str,
    out: &mut Vec<(String, PathBuf)>,
    depth: usize,
) {
    use ordain_source::world::EntryKind;
    let Ok(entries) = world.list(directory) else { return };
    for (file, kind) in entries {
        let stem = file.strip_suffix(".py");
        match (kind, stem) {
            (EntryKind::File, Some("__init__")) => {
                out.push((name.to_owned(), directory.join(&file)))
            }
            (EntryKind::File, Some(stem)) => {
                out.push((format!("{name}.{stem}"), directory.join(&file)));
            }
            (EntryKind::Directory, _)
                if depth < DEPTH_LIMIT
                    && !matches!(
                        file.as_str(),
                        "model" | "files" | "templates" | "__pycache__"
                    ) =>
            {
                let inner = directory.join(&file);
                if world.kind(&inner.join("__init__.py")).is_some() {
                    collect(world, &inner, &format!("{name}.{file}"), out, depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// What the child is told of the project.
#[derive(Clone, Default, Debug)]
pub struct Setup {
    /// The directory of the project.
    pub project: PathBuf,
    /// The name of the project.
    pub name: String,
    /// The directories of modules of version 1, where Python code may import further ones from.
    pub modulepath: Vec<PathBuf>,
    /// The interpreters to try before that of the `PATH`: that of the project's environment.
    pub interpreters: Vec<PathBuf>,
    /// Settings by section.
    pub settings: Vec<(String, Vec<(String, String)>)>,
}

/// The Python code of a project. The child is started when the first module with Python is loaded.
pub struct Python {
    host: Host,
    setup: Setup,
    state: RefCell<State>,
    /// What the child has of the model.
    mirror: RefCell<Mirror>,
    /// The calls that were prepared, and what came of them.
    batch: RefCell<batch::Batch>,
    /// Whether an export gives the contents of files, too.
    wants_files: Cell<bool>,
}

#[derive(Default)]
struct State {
    is_started: bool,
    has_modules: bool,
    /// Warnings of Python code: class and text.
    warnings: Vec<(String, String)>,
    /// What Python code printed while it was loaded.
    printed: String,
    /// The entities that resources are registered for.
    resources: Vec<String>,
}

impl Python {
    /// For a project.
    pub fn new(setup: Setup, limits: Limits) -> Rc<Self> {
        let programs = setup.interpreters.iter().map(|path| path.display().to_string()).collect();
        let host = Host::python(limits, programs);
        Rc::new(Self {
            host,
            setup,
            state: RefCell::default(),
            mirror: RefCell::default(),
            batch: RefCell::default(),
            wants_files: Cell::default(),
        })
    }

    /// Exports give the contents of files from now on.
    pub fn want_files(&self) {
        self.wants_files.set(true);
    }

    /// Whether any module with Python code has been loaded.
    pub fn is_used(&self) -> bool {
        self.state.borrow().has_modules
    }

    /// The warnings of Python code since this was asked last: class and text.
    pub fn take_warnings(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.state.borrow_mut().warnings)
    }

    /// What Python code printed while it was loaded.
    pub fn take_printed(&self) -> String {
        std::mem::take(&mut self.state.borrow_mut().printed)
    }

    /// Loads the Python code of modules, in their order, and gives their plugins.
    ///
    /// # Errors
    /// If there is no Python, or a file cannot be imported.
    pub fn load(
        self: &Rc<Self>,
        world: &dyn World,
        modules: &[Module],
    ) -> Result<Vec<Rc<dyn Plugin>>, NotLoaded> {
        let with_code: Vec<(&Module, Vec<String>)> = modules
            .iter()
            .filter(|module| module.name != "std")
            .map(|module| (module, module.imports(world)))
            .filter(|(_, imports)| !imports.is_empty())
            .collect();
        let Some((first, _)) = with_code.first() else { return Ok(Vec::new()) };
        if !world.runs_processes() {
            return Ok(with_code.iter().flat_map(|(m, _)| declared::plugins(world, m)).collect());
        }
        let mut session =
            self.host.session(world, COMPILE).map_err(|fault| missing(&fault, &first.name))?;
        let mut state = self.state.borrow_mut();
        if !state.is_started {
            session.is_new_for(COMPILE);
            self.talk(&mut session, &self.start_message(modules)).map_err(|f| lost(&f))?;
            state.is_started = true;
        }
        state.has_modules = true;
        let known: serde_json::Map<String, Json> = modules
            .iter()
            .map(|module| (module.name.clone(), json!(module.directory.to_string_lossy())))
            .collect();
        let list: Vec<Json> = with_code
            .iter()
            .map(|(module, imports)| {
                json!({
                    "name": module.name,
                    "directory": module.python.as_ref().map(|path| path.to_string_lossy()),
                    "imports": imports,
                })
            })
            .collect();
        let message = json!({"do": "load", "known": known, "modules": list});
        let answer = self.talk(&mut session, &message).map_err(|fault| lost(&fault))?;
        state.printed.push_str(answer["out"].as_str().unwrap_or_default());
        if let Some(failure) = answer["failures"].get(0) {
            return Err(not_loaded(failure));
        }
        if let Some(error) = answer.get("error") {
            return Err(not_declared(error).into());
        }
        state.warnings.extend(warnings(&answer));
        let names = answer["resources"].as_array().into_iter().flatten();
        state.resources = names.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        let plugins = answer["plugins"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(plugins.iter().map(|said| self.plugin(said)).collect())
    }

    /// What stands in Python code under the names of entities.
    ///
    /// # Errors
    /// If there is no such Python module, or it cannot be looked at.
    pub fn classes(
        &self,
        world: &dyn World,
        names: &[&str],
    ) -> Result<Vec<PythonClass>, Box<Error>> {
        // Without Python nothing can be said of classes, and so nothing wrong either.
        if names.is_empty() || !world.runs_processes() {
            return Ok(Vec::new());
        }
        if !self.is_used() {
            let module = names[0].split("::").next().unwrap_or_default();
            let text = format!("No module named 'inmanta_plugins.{module}'");
            return Err(Error::python("ModuleNotFoundError", text));
        }
        let opened = self.host.session(world, COMPILE);
        let mut session = opened.map_err(|fault| lost(&fault))?;
        let message = json!({"do": "pair", "names": names});
        let answer = self.talk(&mut session, &message).map_err(|fault| lost(&fault))?;
        if let Some(error) = answer.get("error") {
            let class = error["class"].as_str().unwrap_or("Exception");
            return Err(with_trace(Error::python(class, shown(error)), error));
        }
        self.note_warnings(&answer);
        Ok(answer["classes"].as_array().into_iter().flatten().map(python_class).collect())
    }

    /// Keeps what is to be said of what was loaded.
    fn note_warnings(&self, answer: &Json) {
        self.state.borrow_mut().warnings.extend(warnings(answer));
    }

    fn plugin(self: &Rc<Self>, said: &Json) -> Rc<dyn Plugin> {
        Rc::new(Function {
            python: self.clone(),
            number: said["number"].as_u64().unwrap_or_default(),
            signature: signature(said),
            is_tried: Cell::default(),
        })
    }

    fn start_message(&self, modules: &[Module]) -> Json {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let modules: serde_json::Map<String, Json> = modules
            .iter()
            .map(|module| {
                let python = module.python.as_deref().map(text);
                let said = json!({"directory": text(&module.directory), "python": python});
                (module.name.clone(), said)
            })
            .collect();
        let settings: serde_json::Map<String, Json> = self
            .setup
            .settings
            .iter()
            .map(|(section, entries)| {
                let entries: serde_json::Map<String, Json> =
                    entries.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
                (section.clone(), Json::Object(entries))
            })
            .collect();
        json!({
            "do": "start",
            "project": text(&self.setup.project),
            "name": self.setup.name,
            "modules": modules,
            "modulepath": self.setup.modulepath.iter().map(|path| text(path)).collect::<Vec<_>>(),
            "settings": settings,
        })
    }

    /// Sends a message to which the child has no questions.
    fn talk(&self, session: &mut Session<'_>, message: &Json) -> Result<Json, Fault> {
        session.send(message)?;
        loop {
            let answer = session.receive()?;
            match answer.get("ask") {
                Some(_) => {
                    session.send(&json!({"missing": true, "text": "nothing can be asked now"}))?
                }
                None => return Ok(answer),
            }
        }
    }

    /// Sends a message, with what it names and the child does not know, and waits for the next one.
    fn exchange(&self, context: &dyn Context, message: Json, who: &str) -> Result<Json, Stop> {
        let opened = self.host.session(context.world(), COMPILE);
        if opened.map_err(|fault| gone(&fault, who))?.is_new_for(COMPILE) {
            let text = format!("{who} cannot be run: the `python3` process was lost before");
            return Err(Stop::Error(Error::new(Class::Runtime, text)));
        }
        self.try_exchange(context, message).map_err(|fault| gone(&fault, who))
    }

    /// The same with the child that has been talked with before.
    fn try_exchange(&self, context: &dyn Context, mut message: Json) -> Result<Json, Fault> {
        if let Some(news) = self.mirror.borrow_mut().news(context) {
            message["told"] = news;
        }
        let mut session = self.host.session(context.world(), COMPILE)?;
        session.send(&message)?;
        session.receive()
    }

    /// Sends a message and answers the questions that come before the answer. A question may lead
    /// to another conversation before it is answered: a template that calls a plug-in.
    fn converse(
        &self,
        context: &mut dyn Context,
        mut message: Json,
        who: &str,
    ) -> Result<Json, Stop> {
        let mut stopped = None;
        loop {
            let answer = self.exchange(context, message, who)?;
            for line in lines(&answer) {
                context.print(line);
            }
            if answer.get("ask").is_none() {
                return match stopped.filter(|_| answer.get("error").is_some()) {
                    Some(stop) => Err(stop),
                    None => Ok(answer),
                };
            }
            message = match answers::answer(context, &answer, &self.mirror) {
                Ok(reply) => reply,
                Err(stop) => {
                    let reply = answers::stop(&stop, &mut self.mirror.borrow_mut());
                    stopped = Some(stop);
                    reply
                }
            };
        }
    }

    /// The resources of a model, as the child's classes export them.
    ///
    /// # Errors
    /// If one cannot be exported.
    pub fn export(
        &self,
        context: &mut dyn Context,
        instances: &[InstanceId],
    ) -> Result<Exported, Stop> {
        self.mirror.borrow_mut().finish();
        let mut message = self.export_message(context, instances);
        message["files"] = json!(self.wants_files.get());
        let mut answer = self.converse(context, message, "the export")?;
        if let Some(error) = answer.get("error") {
            return Err(raised(error, context, &mut self.mirror.borrow_mut()));
        }
        let texts = |name: &str| -> Vec<String> {
            let list = answer[name].as_array().into_iter().flatten();
            list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let (warnings, skipped) = (texts("warnings"), texts("skipped"));
        let resources = match answer["resources"].take() {
            Json::Array(resources) => resources,
            _ => Vec::new(),
        };
        let numbers = answer["of"].as_array().into_iter().flatten().map(Json::as_u64);
        let instances = numbers.map(|number| number.map(|n| InstanceId(n as u32))).collect();
        let mut files = HashMap::new();
        for (digest, content) in answer["files"].as_object().into_iter().flatten() {
            let text = content.as_str().unwrap_or_default();
            let bytes = ordain_functions::base64::decode(text, Mode::Strict)
                .map_err(|error| Stop::raised("ValueError", error.to_string()))?;
            files.insert(digest.clone(), bytes);
        }
        Ok(Exported { resources, instances, files, warnings, skipped })
    }

    /// The instances by the names of resources, with all that is known of them.
    fn export_message(&self, context: &mut dyn Context, instances: &[InstanceId]) -> Json {
        let State { resources, .. } = &*self.state.borrow();
        let mirror = &mut *self.mirror.borrow_mut();
        // An entity has many instances: what it is exported as is found out once.
        let mut of_entity: FxHashMap<EcoString, Entity> = FxHashMap::default();
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); resources.len()];
        let mut order = Vec::new();
        for &instance in instances {
            let name = context.entity_name(instance);
            if !of_entity.contains_key(name) {
                let is = |name: &String| context.is_instance(instance, name) == Some(true);
                let exported_as = (0..resources.len()).filter(|&at| is(&resources[at])).collect();
                let names = context.attribute_names(instance);
                let name = EcoString::from(name);
                order.push(name.clone());
                of_entity.insert(name, Entity { exported_as, names, rows: Vec::new() });
            }
            let Some(entity) = of_entity.get_mut(context.entity_name(instance)) else { continue };
            for &at in &entity.exported_as {
                found[at].push(instance.0);
            }
            if !entity.exported_as.is_empty() && mirror.completes(instance) {
                mirror.tell(instance);
                let row = answers::row(context, instance, &entity.names, mirror);
                entity.rows.push(row);
            }
        }
        let by_name: serde_json::Map<String, Json> = resources
            .iter()
            .zip(found)
            .map(|(name, of_name)| (name.clone(), json!(of_name)))
            .collect();
        let rows: Vec<Json> = order
            .iter()
            .filter_map(|name| of_entity.remove(name))
            .filter(|entity| !entity.rows.is_empty())
            .map(|entity| Json::Array(vec![answers::names_of(&entity.names), entity.rows.into()]))
            .collect();
        json!({"do": "export", "rows": rows, "instances": by_name})
    }

    /// Runs the finalizers.
    ///
    /// # Errors
    /// If one fails.
    pub fn finish(&self, context: &mut dyn Context) -> Result<(), Box<Error>> {
        let failed = |text: &str| Error::new(Class::Compiler, format!("Finalizer failed: {text}"));
        match self.converse(context, json!({"do": "finish"}), "a finalizer") {
            Ok(answer) => {
                self.note_warnings(&answer);
                let errors = answer["errors"].as_array().into_iter().flatten();
                let errors = errors.chain(answer.get("error"));
                let mut errors: Vec<Error> = errors
                    .map(|error| *failed(error["text"].as_str().unwrap_or_default()))
                    .collect();
                if errors.len() < 2 {
                    return errors.pop().map_or(Ok(()), |error| Err(error.into()));
                }
                let mut out = Error::new(Class::Multi, "");
                out.causes = errors;
                Err(out)
            }
            Err(Stop::Error(error)) => Err(error),
            Err(_) => Err(failed("it asked for what is not there")),
        }
    }
}

/// An entity of which instances are exported.
struct Entity {
    /// The places of the resource classes among all.
    exported_as: Vec<usize>,
    /// The names of its attributes.
    names: Vec<EcoString>,
    /// The instances with their attributes, as a message has them.
    rows: Vec<Json>,
}

/// What the child exported.
#[derive(Debug, Default)]
pub struct Exported {
    /// The resources as JSON.
    pub resources: Vec<Json>,
    /// The instance of each resource, where there is one.
    pub instances: Vec<Option<InstanceId>>,
    /// The contents of files by their digests, if they were asked for.
    pub files: HashMap<String, Vec<u8>>,
    /// What is to be said of them.
    pub warnings: Vec<String>,
    /// The instances that are left out because they are not known yet.
    pub skipped: Vec<String>,
}

/// The warnings of an answer: class and text.
fn warnings(answer: &Json) -> impl Iterator<Item = (String, String)> {
    let pairs = answer["warnings"].as_array().into_iter().flatten();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    pairs.map(move |pair| (text(&pair[0]), text(&pair[1])))
}

fn lines(answer: &Json) -> impl Iterator<Item = &str> {
    answer["out"].as_str().unwrap_or_default().lines()
}

/// A function of a module.
struct Function {
    python: Rc<Python>,
    number: u64,
    signature: Signature,
    /// Whether it gave a value before. Until then its calls are made one by one: what crashes or
    /// hangs mostly does so at once.
    is_tried: Cell<bool>,
}

impl Plugin for Function {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn call(&self, context: &mut dyn Context, arguments: &Arguments) -> Result<Value, Stop> {
        let message = self.message(context, arguments);
        let answer = self.python.converse(context, message, &self.signature.name)?;
        self.result(context, arguments, &answer)
    }

    fn is_python(&self) -> bool {
        true
    }

    fn is_batched(&self) -> bool {
        self.is_tried.get() && !self.signature.has_context
    }

    fn prepare(&self, context: &mut dyn Context, arguments: &Arguments) -> bool {
        let message = self.message(context, arguments);
        self.python.batch.borrow_mut().prepare(message)
    }

    fn call_prepared(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
    ) -> Result<Value, Stop> {
        let answer = self.python.prepared(context, &self.signature.name)?;
        self.result(context, arguments, &answer)
    }
}

impl Function {
    /// What came of a call.
    fn result(
        &self,
        context: &mut dyn Context,
        arguments: &Arguments,
        answer: &Json,
    ) -> Result<Value, Stop> {
        let mirror = &mut *self.python.mirror.borrow_mut();
        match answer.get("error") {
            Some(error) if error["kind"] == "argument" => {
                Err(Stop::Error(self.misfit(error, context, arguments)))
            }
            Some(error) => Err(raised(error, context, mirror)),
            None => {
                self.is_tried.set(true);
                received(&answer["v"], context, mirror)
            }
        }
    }

    /// That an argument cannot be given to the function.
    fn misfit(&self, error: &Json, context: &dyn Context, arguments: &Arguments) -> Box<Error> {
        let name = error["parameter"].as_str().unwrap_or_default();
        let params = self.signature.params.iter().zip(&arguments.values);
        let found = params.into_iter().find(|(param, _)| param.name == name);
        let value = found.and_then(|(_, value)| value.as_ref()).map(|value| value.repr(context));
        let message = format!(
            "Value {} for argument {name} of plugin {} has incompatible type. Expected type: {}",
            value.unwrap_or_default(),
            self.signature.name,
            found.map(|(param, _)| type_text(&param.ty)).unwrap_or_default(),
        );
        let cause = Error::new(Class::Typing, error["text"].as_str().unwrap_or_default());
        Error::new(Class::PluginType, message).caused_by(cause)
    }

    fn message(&self, context: &mut dyn Context, arguments: &Arguments) -> Json {
        let mirror = &mut *self.python.mirror.borrow_mut();
        let mut known = Vec::new();
        for value in arguments.values.iter().flatten() {
            if let Value::Instance(instance) = value
                && mirror.wants(*instance)
            {
                let attributes = answers::known(context, *instance, None, mirror);
                let names = context.attribute_names(*instance);
                let is_there = |name: &str| attributes.iter().any(|pair| pair[0] == name);
                // Relations get their values late, and many are never read.
                if names.iter().any(|n| !is_there(n) && !context.is_relation(*instance, n)) {
                    mirror.lacks(*instance);
                }
                mirror.tell(*instance);
                known.push(json!([instance.0, attributes]));
            }
        }
        let mut named = serde_json::Map::new();
        for (param, value) in self.signature.params.iter().zip(&arguments.values) {
            if let Some(value) = value {
                named.insert(param.name.to_string(), sent(value, mirror));
            }
        }
        let mut message = json!({"do": "call", "number": self.number, "named": named});
        if self.signature.rest.is_some() {
            let rest = arguments.rest.iter().map(|value| sent(value, mirror));
            message["rest"] = rest.collect();
        }
        if self.signature.keywords.is_some() {
            let keywords = arguments.keywords.iter();
            let keywords =
                keywords.map(|(name, value)| json!([name.as_str(), sent(value, mirror)]));
            message["keywords"] = keywords.collect();
        }
        if !known.is_empty() {
            message["known"] = known.into();
        }
        if self.signature.has_context {
            let line = context.location().line;
            message["where"] = json!({"namespace": context.namespace(), "file": "", "line": line});
        }
        let mut after = arguments.values.iter().skip(arguments.positional);
        if self.signature.has_context || after.any(Option::is_some) {
            message["positional"] = json!(arguments.positional);
        }
        message
    }
}

/// A type as messages have it.
fn type_text(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Any => "any".into(),
        TypeExpr::Null => "null".into(),
        TypeExpr::Number => "number".into(),
        TypeExpr::Named(name) | TypeExpr::Written(name) => name.to_string(),
        TypeExpr::Dataclass(names, _) => {
            names.first().map(EcoString::to_string).unwrap_or_default()
        }
        TypeExpr::Known(_) => "any".into(),
        TypeExpr::List(inner) => format!("{}[]", type_text(inner)),
        TypeExpr::Dict(inner) => format!("dict[string, {}]", type_text(inner)),
        TypeExpr::Nullable(inner) => format!("{}?", type_text(inner)),
        TypeExpr::Reference(inner) => format!("Reference[{}]", type_text(inner)),
        TypeExpr::Union(items) => {
            format!("Union[{}]", items.iter().map(type_text).collect::<Vec<_>>().join(","))
        }
    }
}

fn signature(said: &Json) -> Signature {
    let mut signature = Signature::new(said["name"].as_str().unwrap_or_default());
    for param in said["params"].as_array().into_iter().flatten() {
        let made = Param {
            name: param["name"].as_str().unwrap_or_default().into(),
            ty: type_expr(&param["type"]),
            has_default: param["has_default"].as_bool().unwrap_or_default(),
            default: None,
            keyword_only: param["kind"] == "named",
            converts: param["converts"].as_bool().unwrap_or_default(),
        };
        match param["kind"].as_str() {
            Some("rest") => signature.rest = Some(made),
            Some("keywords") => signature.keywords = Some(made),
            _ => signature.params.push(made),
        }
    }
    signature.returns = type_expr(&said["returns"]);
    signature.allow_unknown = said["allow_unknown"].as_bool().unwrap_or_default();
    signature.has_context = said["has_context"].as_bool().unwrap_or_default();
    signature.deprecated = said["deprecated"].as_str().map(EcoString::from);
    signature.file = said["file"].as_str().unwrap_or_default().into();
    signature.line = said["line"].as_u64().unwrap_or_default() as u32;
    signature
}

fn python_class(said: &Json) -> PythonClass {
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    let field = |pair: &Json| {
        let name = EcoString::from(pair[0].as_str().unwrap_or_default());
        (name, (!pair[1].is_null()).then(|| type_expr(&pair[1])))
    };
    PythonClass {
        module: text("module"),
        name: said["name"].as_str().map(str::to_owned),
        is_dataclass: said["is_dataclass"].as_bool().unwrap_or_default(),
        is_frozen: said["is_frozen"].as_bool().unwrap_or_default(),
        fields: said["fields"].as_array().into_iter().flatten().map(field).collect(),
        comment: said["comment"].as_str().map(str::to_owned),
        file: text("file"),
        line: said["line"].as_u64().unwrap_or_default(),
    }
}

/// An exception of a plugin.
fn raised(error: &Json, context: &mut dyn Context, mirror: &mut Mirror) -> Stop {
    let text = error["text"].as_str().unwrap_or_default().to_owned();
    let class = error["class"].as_str().unwrap_or("Exception");
    match error["kind"].as_str() {
        Some("unset") => Stop::Unset(answers::variables(&error["wait"])),
        Some("unknown") => match received(&error["unknown"], context, mirror) {
            Ok(value) if value.is_unknown() => Stop::Unknown(value),
            _ => Stop::Unknown(Value::unknown("")),
        },
        Some("explicit") => {
            let python = format!("{class}: {}", error["shown"].as_str().unwrap_or(&text));
            Stop::Explicit { message: text, python }
        }
        Some("compiler") => {
            let mut made = Error::new(compiler_class(class), text);
            made.python = error["cause"].as_str().map(str::to_owned);
            Stop::Error(made)
        }
        _ => Stop::raised(class, text),
    }
}

fn compiler_class(name: &str) -> Class {
    match name {
        "CompilerException" => Class::Compiler,
        "TypingException" => Class::Typing,
        "InvalidTypeAnnotation" => Class::InvalidTypeAnnotation,
        "NotFoundException" => Class::NotFound,
        "TypeNotFoundException" => Class::TypeNotFound,
        "OptionalValueException" => Class::OptionalValue,
        "AttributeException" => Class::Attribute,
        "ExternalException" => Class::External,
        "ExplicitPluginException" => Class::ExplicitPlugin,
        "DoubleSetException" => Class::DoubleSet,
        "DuplicateException" => Class::Duplicate,
        "UnexpectedReference" => Class::UnexpectedReference,
        _ => Class::Runtime,
    }
}

/// That the child is gone, in the words of an error.
fn gone(fault: &Fault, who: &str) -> Stop {
    Stop::Error(Error::new(Class::Runtime, format!("{fault}, while it ran {who}")))
}

fn lost(fault: &Fault) -> Box<Error> {
    let text = format!("{fault}, while it loaded the Python code of modules");
    let mut error = Error::new(Class::Compiler, text);
    let help = "it has to be a Python 3.9 or later; ORDAIN_PYTHON names another one";
    error.background.get_or_insert_default().help.push(help.into());
    error
}

fn missing(fault: &Fault, module: &str) -> Box<Error> {
    let mut error =
        Error::new(Class::Compiler, format!("module {module} has Python code, but {fault}"));
    if let Some(help) = fault.help() {
        error.background.get_or_insert_default().help.push(help.to_owned());
    }
    error
}

/// The class and the text of an exception, as Python prints it.
fn shown(error: &Json) -> String {
    error["text"].as_str().unwrap_or_default().to_owned()
}

fn not_loaded(failure: &Json) -> NotLoaded {
    let text = |name: &str| failure[name].as_str().unwrap_or_default();
    let error = &failure["error"];
    let message = format!(
        "Unable to load all plug-ins for module {}:\n\t{} while loading plugin module {}: {}",
        text("module"),
        error["class"].as_str().unwrap_or("Exception"),
        text("name"),
        shown(error),
    );
    let line = failure["line"].as_u64().unwrap_or_default() as u32;
    let place = failure["file"].as_str().map(|file| (PathBuf::from(file), line));
    NotLoaded { error: with_trace(Error::new(Class::Compiler, message), error), place }
}

fn not_declared(error: &Json) -> Box<Error> {
    let class = error["class"].as_str().unwrap_or_default();
    let made = match error["kind"].as_str() {
        Some(_) => Error::new(compiler_class(class), shown(error)),
        None => Error::python(class, shown(error)),
    };
    with_trace(made, error)
}

/// Says where in the Python code an exception came from.
fn with_trace(mut error: Box<Error>, said: &Json) -> Box<Error> {
    let frames: Vec<&str> =
        said["trace"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if !frames.is_empty() {
        let help = format!("the Python code went through {}", frames.join(", "));
        error.background.get_or_insert_default().help.push(help);
    }
    error
}
