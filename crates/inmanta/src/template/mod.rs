//! Jinja2 templates.
//!
//! The engine's objects live longer than a call and may be sent to other threads, the compiler's
//! context may not: what a template reads of the model it has to ask for. Most templates read
//! little, so one is begun with what is known; if it asks for something else it stops, that is
//! looked up, and it begins again, which costs less than a switch between threads. A template that
//! goes on asking is rendered in a thread of its own, to which the answers are sent. What renders
//! stays for all templates of a run, and reads each file once.

mod exchange;
mod objects;
mod text;

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use ecow::EcoString;
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use ordain_source::budget::{self, Uncounted};

use crate::error::{Class, Error};
use crate::functions;
use crate::plugin::{Context, Stop};
use crate::value::Value;
use exchange::{Answer, Asker, Known, Plain, Question, Request};

/// How many steps a template may take.
const FUEL: u64 = 20_000_000;
/// What the thread has for its stack: templates nest, and so do their expressions.
const STACK: usize = 8 << 20;

/// How often a template is begun before it goes to the thread.
const ATTEMPTS: usize = 12;
/// How many templates may be rendered within each other, by plugins that they call.
const NESTED: usize = 100;

/// What is to be rendered, and the way for what comes of it.
struct Job {
    path: String,
    given: Vec<(EcoString, Plain)>,
    known: Known,
    questions: Sender<Request>,
    result: Sender<Result<String, Failure>>,
}

/// What renders the templates of a run.
#[derive(Default, Debug)]
pub struct Renderer {
    /// Rendering here; taken out while it is used, since a plugin may render a template while one is
    /// rendered.
    engine: Option<Engine>,
    /// The thread for templates that ask for much.
    jobs: Option<Sender<Job>>,
    /// The templates that went to the thread, so that they do so at once.
    curious: HashSet<String>,
    /// The names that templates asked for when they were rendered last: these are looked up first.
    asked: HashMap<String, Vec<EcoString>>,
    /// How many are under way.
    nested: usize,
}

/// Renders a template.
///
/// # Errors
/// If there is none at the path, or it cannot be rendered.
pub fn render(
    context: &mut dyn Context,
    path: &str,
    keywords: &[(EcoString, Value)],
) -> Result<String, Stop> {
    let path = functions::extended(context, path)?;
    let given: Vec<(EcoString, Plain)> =
        keywords.iter().map(|(name, value)| (name.clone(), Plain::of(value, context))).collect();
    if context.renderer().nested >= NESTED {
        return Err(Stop::raised("RecursionError", "maximum recursion depth exceeded"));
    }
    context.renderer().nested += 1;
    let text = if context.renderer().curious.contains(&path) {
        in_thread(context, path, given, Known::default())
    } else {
        here(context, path, given)
    };
    context.renderer().nested -= 1;
    text
}

/// Renders a template on this thread, if it asks for little.
fn here(
    context: &mut dyn Context,
    path: String,
    given: Vec<(EcoString, Plain)>,
) -> Result<String, Stop> {
    let engine = match context.renderer().engine.take() {
        Some(engine) => engine,
        None => Engine::new(&context.plugin_names()),
    };
    let mut known = Known::default();
    if given.is_empty() {
        for name in context.renderer().asked.remove(&path).unwrap_or_default() {
            if let Some(value) = context.peek(&name) {
                let answer = Answer::Value(Plain::of(&value, context));
                known.add(Question::Name(name), answer);
            }
        }
    }
    let mut text = None;
    for _ in 0..ATTEMPTS {
        let (made, answered, missing) = engine.render(&path, &given, known, None);
        known = answered;
        let Some(question) = missing else {
            text = Some(made.map_err(Failure::stop));
            break;
        };
        match answer(context, &question, !given.is_empty()) {
            Ok(answer) => known.add(question, answer),
            Err(stop) => {
                text = Some(Err(stop));
                break;
            }
        }
    }
    context.renderer().engine = Some(engine);
    context.renderer().asked.insert(path.clone(), known.names());
    text.unwrap_or_else(|| {
        context.renderer().curious.insert(path.clone());
        in_thread(context, path, given, known)
    })
}

/// Renders a template in the thread.
fn in_thread(
    context: &mut dyn Context,
    path: String,
    given: Vec<(EcoString, Plain)>,
    known: Known,
) -> Result<String, Stop> {
    let jobs = match context.renderer().jobs.take() {
        Some(jobs) => jobs,
        None => start(context.plugin_names())?,
    };
    let (questions, receiver) = channel();
    let (result, results) = channel();
    let broken = || Stop::raised("RuntimeError", "the template could not be run");
    let has_keywords = !given.is_empty();
    jobs.send(Job { path, given, known, questions, result }).map_err(|_| broken())?;
    let stopped = serve(context, &receiver, has_keywords);
    let text = results.recv().map_err(|_| broken())?;
    context.renderer().jobs = Some(jobs);
    match stopped {
        Some(stop) => Err(stop),
        None => text.map_err(Failure::stop),
    }
}

/// Why a text is not there, said in the thread.
struct Failure {
    class: &'static str,
    text: String,
}

impl Failure {
    fn stop(self) -> Stop {
        match self.class {
            "" => Stop::Error(Error::new(Class::NotFound, self.text)),
            class => Stop::raised(class, self.text),
        }
    }
}

/// Starts the thread, which ends when nobody can give it anything to do.
fn start(plugins: Vec<EcoString>) -> Result<Sender<Job>, Stop> {
    let (jobs, receiver) = channel::<Job>();
    let work = move || {
        let engine = Engine::new(&plugins);
        for Job { path, given, known, questions, result } in receiver {
            let (text, ..) = engine.render(&path, &given, known, Some(questions));
            // Whoever wanted the text may be gone.
            let _ = result.send(text);
        }
    };
    let thread = thread::Builder::new().name("templates".into()).stack_size(STACK);
    thread.spawn(work).map_err(|error| Stop::raised("OSError", error.to_string()))?;
    Ok(jobs)
}

/// The template engine with what was read of templates.
#[derive(Debug)]
struct Engine {
    environment: Environment<'static>,
    asker: Asker,
}

impl Engine {
    fn new(plugins: &[EcoString]) -> Self {
        let asker = Asker::default();
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_fuel(Some(budget::scaled(FUEL)));
        environment.set_formatter(text::write);
        environment.set_unknown_method_callback(text::method);
        text::register(&mut environment);
        let loader = asker.clone();
        environment.set_loader(move |name| match loader.ask(Question::Template(name.into())) {
            Answer::Text(text) => Ok(text),
            _ => Err(minijinja::Error::new(ErrorKind::InvalidOperation, "stopped")),
        });
        objects::register(&mut environment, &asker, plugins);
        Self { environment, asker }
    }

    /// Renders a template; what is asked and not known goes there, or else ends it. Gives what is
    /// known, and the question that it ended with.
    fn render(
        &self,
        path: &str,
        given: &[(EcoString, Plain)],
        known: Known,
        questions: Option<Sender<Request>>,
    ) -> (Result<String, Failure>, Known, Option<Question>) {
        // What an operator of the engine makes is not counted there.
        budget::at(&format!("the template {path}"));
        let _uncounted = Uncounted::begin();
        let _work = text::Work::begin();
        self.asker.begin(known, questions);
        let scope = objects::scope(&self.asker, given.to_vec());
        let template = self.environment.get_template(path);
        let text = template.and_then(|template| template.render(scope));
        let text = text.map_err(|error| failure(&error, &self.asker));
        let (known, missing) = self.asker.end();
        (text, known, missing)
    }
}

fn failure(error: &minijinja::Error, asker: &Asker) -> Failure {
    let mut innermost = error;
    while let Some(cause) = std::error::Error::source(innermost)
        && let Some(cause) = cause.downcast_ref::<minijinja::Error>()
    {
        innermost = cause;
    }
    let detail = || innermost.detail().map_or_else(|| innermost.to_string(), str::to_owned);
    match innermost.kind() {
        ErrorKind::UndefinedError => Failure { class: "", text: asker.undefined(&detail()) },
        ErrorKind::TemplateNotFound => Failure {
            class: "jinja2.exceptions.TemplateNotFound",
            text: missing_template(&detail()),
        },
        ErrorKind::SyntaxError => {
            Failure { class: "jinja2.exceptions.TemplateSyntaxError", text: detail() }
        }
        ErrorKind::UnknownFilter | ErrorKind::UnknownTest => {
            Failure { class: "jinja2.exceptions.TemplateAssertionError", text: detail() }
        }
        ErrorKind::UnknownMethod => Failure { class: "AttributeError", text: detail() },
        _ => Failure { class: "TypeError", text: detail() },
    }
}

/// The name out of the engine's sentence on a template that does not exist.
fn missing_template(text: &str) -> String {
    text.split('"').nth(1).map_or_else(|| text.to_owned(), str::to_owned)
}

/// Answers the questions of the thread until it ends. Gives what kept a question from being
/// answered.
fn serve(
    context: &mut dyn Context,
    receiver: &Receiver<Request>,
    has_keywords: bool,
) -> Option<Stop> {
    let mut stopped = None;
    for request in receiver {
        let answer = match &stopped {
            Some(_) => Answer::Stopped,
            None => match answer(context, &request.question, has_keywords) {
                Ok(answer) => answer,
                Err(stop) => {
                    stopped = Some(stop);
                    Answer::Stopped
                }
            },
        };
        // Whoever asked may be gone, and then nobody waits.
        let _ = request.reply.send(answer);
    }
    stopped
}

fn answer(
    context: &mut dyn Context,
    question: &Question,
    has_keywords: bool,
) -> Result<Answer, Stop> {
    match question {
        Question::Template(name) => template_text(context, name).map(Answer::Text),
        Question::Name(name) if !has_keywords => {
            let found = context.lookup(name);
            optional(context, found, name)
        }
        Question::Name(_) => Ok(Answer::Nothing),
        Question::Module(name) => Ok(match context.module_directory(name) {
            Some(_) => Answer::Value(Plain::Namespace(name.clone())),
            None => Answer::Nothing,
        }),
        Question::NameIn(namespace, name) => {
            let found = context.lookup_in(namespace, name);
            optional(context, found, name)
        }
        Question::Attribute(instance, name) => {
            let found = context.attribute(*instance, name);
            optional(context, found, name)
        }
        Question::Call(plugin, arguments) => {
            let arguments: Vec<Value> = arguments.iter().map(Plain::value).collect();
            let value = context.call(plugin, &arguments, &[])?;
            Ok(Answer::Value(Plain::of(&value, context)))
        }
    }
}

/// What was found, or that there is nothing: no such name, or an optional relation without a value.
fn optional(context: &dyn Context, found: Result<Value, Stop>, path: &str) -> Result<Answer, Stop> {
    match found {
        Ok(Value::Unknown(unknown)) => Err(Stop::Unknown(Value::Unknown(unknown))),
        Ok(Value::Reference(reference)) => {
            let shown = Value::Reference(reference).repr(context);
            Err(Stop::explicit(format!(
                "Encountered reference in Jinja template for variable {path} (= `{shown}`)"
            )))
        }
        Ok(value) => Ok(Answer::Value(Plain::of(&value, context))),
        Err(Stop::Error(error))
            if matches!(error.class, Class::NotFound | Class::OptionalValue) =>
        {
            Ok(Answer::Nothing)
        }
        Err(stop) => Err(stop),
    }
}

/// The text of a template: the first part of its name is a module or, if empty, the project.
fn template_text(context: &dyn Context, name: &str) -> Result<Option<String>, Stop> {
    let (module, rest) = name.split_once('/').unwrap_or((name, ""));
    let root = match module {
        "" => Some(context.project_directory()),
        _ => context.module_directory(module),
    };
    let is_inside = !rest.split('/').any(|part| part == "..");
    let Some(root) = root.filter(|_| is_inside) else { return Ok(None) };
    let Ok(bytes) = context.world().read(&root.join("templates").join(rest)) else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text.replace("\r\n", "\n"))),
        Err(_) => {
            let text = format!("the template {name} is not UTF-8");
            Err(Stop::raised("UnicodeDecodeError", text))
        }
    }
}
