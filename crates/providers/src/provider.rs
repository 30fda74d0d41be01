//! The engine's provider that a provider process implements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_engine::kind::{AttributeError, Change, KindError};
use ordain_engine::kinds::external::{
    Answer, Applied, Call, ExternalProvider, KindDescription, Observation, PrepareRequest,
    PreparedResource, ResourceNumber,
};
use ordain_graph::Resource;
use ordain_plugins::{Fault, ProviderProgram};
use serde_json::{Map, Value as Json, json};

use crate::answers;
use crate::error::ProviderError;
use crate::messages;
use crate::process::Process;
use crate::values::to_json;

/// The time limit for observing one resource.
const OBSERVE_LIMIT: Duration = Duration::from_secs(60);
/// The additional time per resource when several are observed.
const OBSERVE_MORE: Duration = Duration::from_secs(2);
/// The time limit of an action, unless its resource allows more.
const ACTION_LIMIT: Duration = Duration::from_secs(300);
/// The time limit for preparing a graph, and the additional time per resource.
const PREPARE_LIMIT: (Duration, Duration) = (Duration::from_secs(60), Duration::from_millis(100));
/// The time between the limit of a request and the end of a process that ignores it.
const GRACE: Duration = Duration::from_secs(3);
/// The number of failures within [`FAILURE_MEMORY`] after which no process is started.
const MAX_FAILURES: usize = 12;
/// For how long a failure counts.
const FAILURE_MEMORY: Duration = Duration::from_secs(600);

/// The error text of the system for a change in a read-only file system.
const READ_ONLY: &str = "Read-only file system";

/// The settings and facts that the process needs.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// The program.
    pub program: ProviderProgram,
    /// The interpreters to try.
    pub interpreters: Vec<String>,
    /// The members of the first request: directories of modules, facts, settings.
    pub environment: Map<String, Json>,
    /// Whether requests only read, so that the process need not change the machine. If this process
    /// has the privilege, the provider process then can only change temporary files.
    pub is_read_only: bool,
}

/// Runs the code of modules in a process that stays as long as this provider.
pub struct ProcessProvider {
    program: ProviderProgram,
    interpreters: Vec<String>,
    is_read_only: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    process: Option<Process>,
    /// The members of the first request.
    environment: Map<String, Json>,
    /// Whether the process has older ones.
    is_outdated: bool,
    /// The kinds that the process was asked about, with their name attributes.
    kinds: BTreeMap<String, Vec<String>>,
    /// The graphs that a new process must be sent.
    graphs: BTreeMap<u64, KnownGraph>,
    /// The graphs that the current process was sent.
    sent_graphs: BTreeSet<u64>,
    gone_resources: Vec<ResourceNumber>,
    gone_graphs: Vec<u64>,
    failures: Vec<Instant>,
    /// The processor time of ended processes.
    cpu_time: Duration,
}

/// The settings for the start of a process.
struct Start<'a> {
    program: &'a ProviderProgram,
    interpreters: &'a [String],
    is_read_only: bool,
}

/// The resources of a graph as messages.
#[derive(Default)]
struct KnownGraph {
    others: String,
    resources: BTreeMap<ResourceNumber, String>,
}

impl Drop for ProcessProvider {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = state.process.take() {
            process.close();
        }
    }
}

impl ProcessProvider {
    /// Creates a provider. Its process starts with the first request.
    pub fn new(settings: ProviderSettings) -> Self {
        let ProviderSettings { program, interpreters, environment, is_read_only } = settings;
        let state = State { environment, ..State::default() };
        Self { program, interpreters, is_read_only, state: Mutex::new(state) }
    }

    /// Replaces members of the first request, such as changed facts.
    pub fn update<'v>(&self, members: impl IntoIterator<Item = (&'v str, &'v Value)>) {
        let mut state = self.lock();
        for (name, value) in members {
            let value = to_json(value);
            if state.environment.get(name) != Some(&value) {
                state.environment.insert(name.to_string(), value);
                state.is_outdated = true;
            }
        }
    }

    /// An observation that may have failed because the process is restricted.
    fn explained(&self, observation: Observation) -> Observation {
        let explain = |mut error: KindError| {
            if self.is_read_only && error.0.contains(READ_ONLY) {
                error.0 = format!(
                    "its provider tries to change the machine in order to read it: {}",
                    error.0
                );
            }
            error
        };
        Observation { changes: observation.changes.map_err(explain), ..observation }
    }

    fn start(&self) -> Start<'_> {
        Start {
            program: &self.program,
            interpreters: &self.interpreters,
            is_read_only: self.is_read_only,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Describes kinds. `None` for a kind that no module defines.
    ///
    /// # Errors
    /// When no process can be started.
    pub fn kinds(&self, names: &[String]) -> Result<Vec<Option<KindDescription>>, ProviderError> {
        let mut state = self.lock();
        let answer = state.ask(&self.start(), &kinds_request(names), PREPARE_LIMIT.0)?;
        let found = answer.as_array().map_or(&[][..], Vec::as_slice);
        let describe = |(name, said): (&String, &Json)| {
            let names = |key: &str| -> Vec<String> {
                let all = said[key].as_array().into_iter().flatten();
                all.filter_map(Json::as_str).map(str::to_string).collect()
            };
            if said["unknown"] == true {
                return None;
            }
            let namevars = names("namevars");
            let name_attribute = match &*namevars {
                [one] => one.clone(),
                _ => "name".to_string(),
            };
            let others = names("attributes").into_iter().chain(["name".to_string()]);
            let others: BTreeSet<String> = others.filter(|one| *one != name_attribute).collect();
            state.kinds.insert(name.clone(), namevars);
            Some(KindDescription {
                name: name.clone(),
                doc: String::new(),
                name_attribute,
                attributes: others.into_iter().map(|name| (name, String::new())).collect(),
                is_open: true,
                has_instances: said["instances"] == true,
                providers: said["providers"].is_array().then(|| names("providers")),
                fault: match &said["error"] {
                    Json::Null => None,
                    error => {
                        let error = answers::attribute_error(error);
                        let message = format!("the type {name} cannot be used: {}", error.message);
                        Some(AttributeError { message, ..error })
                    }
                },
            })
        };
        Ok(names.iter().zip(found).map(describe).collect())
    }

    /// The processor time of all processes so far, including programs that they ran.
    pub fn cpu_time(&self) -> Duration {
        let state = self.lock();
        let current = state.process.as_ref().and_then(Process::cpu_time);
        state.cpu_time + current.unwrap_or_default()
    }

    /// Asks about one resource, or about all resources.
    fn request(
        &self,
        (verb, members): (&str, Json),
        limit: Duration,
        call: &Call<'_>,
    ) -> Result<Json, KindError> {
        let limit = call.limit.map_or(limit, |own| own.min(limit));
        let mut request = Map::from_iter([
            ("do".to_string(), verb.into()),
            ("seconds".to_string(), limit.as_secs().max(1).into()),
        ]);
        if let Json::Object(members) = members {
            request.extend(members);
        }
        let request = Json::Object(request).to_string();
        let answer = self.lock().ask(&self.start(), &request, limit + GRACE);
        answer.map_err(|fault| KindError::from(&fault))
    }
}

/// Asks for descriptions of kinds.
fn kinds_request<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    json!({ "do": "kinds", "names": names }).to_string()
}

/// The content of an answer.
fn content(mut answer: Json) -> Result<Json, ProviderError> {
    match answer.get_mut("ok") {
        Some(content) => Ok(content.take()),
        None => Err(ProviderError::Refused(answers::error_text(&answer["error"]))),
    }
}

impl State {
    /// Sends a request to the process; starts the process if necessary.
    fn ask(
        &mut self,
        start: &Start<'_>,
        request: &str,
        limit: Duration,
    ) -> Result<Json, ProviderError> {
        self.start(start)?;
        self.exchange(start, request, limit)
    }

    fn exchange(
        &mut self,
        start: &Start<'_>,
        request: &str,
        limit: Duration,
    ) -> Result<Json, ProviderError> {
        let language = start.program.language;
        let Some(process) = &mut self.process else {
            return Err(Fault::Ended(language, "it is not running".to_owned()).into());
        };
        let used = process.cpu_time();
        match process.ask(request, limit) {
            Ok(answer) => content(answer),
            Err(fault) => {
                self.process = None;
                self.cpu_time += used.unwrap_or_default();
                self.failures.push(Instant::now());
                Err(fault.into())
            }
        }
    }

    /// Starts a process, unless one runs, and sends it everything that the previous one had.
    fn start(&mut self, start: &Start<'_>) -> Result<(), ProviderError> {
        if self.process.is_some() {
            return if self.is_outdated { self.open(start) } else { Ok(()) };
        }
        self.failures.retain(|at| at.elapsed() < FAILURE_MEMORY);
        if self.failures.len() >= MAX_FAILURES {
            let text = format!("it failed {MAX_FAILURES} times and is not started again");
            return Err(Fault::Start(start.program.language, text).into());
        }
        self.process = Some(Process::start(start.program, start.interpreters, start.is_read_only)?);
        self.sent_graphs.clear();
        self.open(start)?;
        if !self.kinds.is_empty() {
            let names: Vec<&String> = self.kinds.keys().collect();
            let request = kinds_request(&names);
            self.exchange(start, &request, PREPARE_LIMIT.0)?;
        }
        let graphs: Vec<u64> = self.graphs.keys().copied().collect();
        for graph in graphs {
            let numbers: Vec<_> = self.graphs[&graph].resources.keys().copied().collect();
            if !numbers.is_empty() {
                self.prepare(start, graph, &numbers)?;
            }
        }
        Ok(())
    }

    /// Sends the members of the first request.
    fn open(&mut self, start: &Start<'_>) -> Result<(), ProviderError> {
        let mut open = self.environment.clone();
        open.insert("do".into(), "open".into());
        self.is_outdated = false;
        self.exchange(start, &Json::Object(open).to_string(), PREPARE_LIMIT.0).map(drop)
    }

    /// Sends resources of a graph.
    fn prepare(
        &mut self,
        start: &Start<'_>,
        graph: u64,
        numbers: &[ResourceNumber],
    ) -> Result<Vec<Json>, ProviderError> {
        let Some(known) = self.graphs.get(&graph) else { return Ok(Vec::new()) };
        let resources = numbers.iter().filter_map(|number| known.resources.get(number));
        let is_new = self.sent_graphs.insert(graph);
        let others = is_new.then_some(known.others.as_str());
        let gone_resources = std::mem::take(&mut self.gone_resources);
        let gone_graphs = std::mem::take(&mut self.gone_graphs);
        let gone = (&*gone_resources, &*gone_graphs);
        let request = messages::prepare(graph, resources.map(String::as_str), others, gone);
        let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let limit = PREPARE_LIMIT.0 + PREPARE_LIMIT.1 * count;
        let answer = self.exchange(start, &request, limit)?;
        match answer {
            Json::Array(answers) if answers.len() == numbers.len() => Ok(answers),
            _ => {
                let text = "it does not answer for each resource".to_owned();
                Err(Fault::Garbled(start.program.language, text).into())
            }
        }
    }

    /// Prepares resources. If the process fails, retries with halves, so that only the resources at
    /// fault get the error.
    fn prepare_apart(
        &mut self,
        start: &Start<'_>,
        graph: u64,
        numbers: &[ResourceNumber],
    ) -> Vec<Result<Json, ProviderError>> {
        let texts: Vec<_> = match self.graphs.get_mut(&graph) {
            // A newly started process must not get these resources at start-up.
            Some(known) => numbers.iter().map(|number| known.resources.remove(number)).collect(),
            None => Vec::new(),
        };
        let started = self.start(start);
        if let Some(known) = self.graphs.get_mut(&graph) {
            let texts = numbers.iter().zip(texts);
            known.resources.extend(texts.filter_map(|(number, text)| Some((*number, text?))));
        }
        let answers = match started {
            Ok(()) => self.prepare(start, graph, numbers),
            Err(fault) => return numbers.iter().map(|_| Err(fault.clone())).collect(),
        };
        match (answers, numbers) {
            (Ok(answers), _) => answers.into_iter().map(Ok).collect(),
            (Err(fault), [number]) => {
                if let Some(known) = self.graphs.get_mut(&graph) {
                    known.resources.remove(number);
                }
                vec![Err(fault)]
            }
            (Err(_), _) => {
                let (one, two) = numbers.split_at(numbers.len() / 2);
                let mut all = self.prepare_apart_without(start, graph, one, two);
                all.extend(self.prepare_apart(start, graph, two));
                all
            }
        }
    }

    /// Prepares resources while the other resources of the graph are withheld.
    fn prepare_apart_without(
        &mut self,
        start: &Start<'_>,
        graph: u64,
        numbers: &[ResourceNumber],
        held_back: &[ResourceNumber],
    ) -> Vec<Result<Json, ProviderError>> {
        let mut texts = Vec::new();
        if let Some(known) = self.graphs.get_mut(&graph) {
            let take = |number: &ResourceNumber| Some((*number, known.resources.remove(number)?));
            texts.extend(held_back.iter().filter_map(take));
        }
        let all = self.prepare_apart(start, graph, numbers);
        if let Some(known) = self.graphs.get_mut(&graph) {
            known.resources.extend(texts);
        }
        all
    }

    /// Runs the checks of types before a run.
    fn check(
        &mut self,
        start: &Start<'_>,
        of: &[ResourceNumber],
    ) -> Result<Vec<Json>, ProviderError> {
        let request = json!({ "do": "check", "of": of }).to_string();
        match self.ask(start, &request, ACTION_LIMIT)? {
            Json::Array(answers) => Ok(answers),
            _ => Ok(Vec::new()),
        }
    }
}

/// A resource that could not be prepared.
fn refused(error: &ProviderError) -> PreparedResource {
    PreparedResource { errors: vec![error.into()], ..PreparedResource::default() }
}

impl ExternalProvider for ProcessProvider {
    fn prepares_graphs(&self) -> bool {
        true
    }

    fn observes_together(&self) -> bool {
        true
    }

    fn verifies(&self) -> bool {
        false
    }

    fn prepare(&self, request: &PrepareRequest<'_>) -> Vec<PreparedResource> {
        let mut state = self.lock();
        let known = state.graphs.entry(request.graph).or_default();
        if known.others.is_empty() {
            let others = request.others.iter().map(|(number, r)| messages::outline(*number, r));
            known.others = format!("[{}]", others.collect::<Vec<_>>().join(","));
        }
        let texts = request.resources.iter();
        let texts =
            texts.map(|(number, resource)| (*number, messages::declared(*number, resource)));
        known.resources.extend(texts);
        let numbers: Vec<ResourceNumber> = request.resources.iter().map(|(n, _)| *n).collect();
        if numbers.is_empty() {
            return Vec::new();
        }
        let answers = state.prepare_apart(&self.start(), request.graph, &numbers);
        let mut checks = Vec::new();
        let mut prepared: Vec<PreparedResource> = Vec::new();
        for (number, answer) in numbers.iter().zip(answers) {
            let (resource, has_check) = match answer {
                Ok(answer) => answers::prepared(&answer),
                Err(fault) => (refused(&fault), false),
            };
            if has_check && resource.errors.is_empty() {
                checks.push(*number);
            }
            prepared.push(resource);
        }
        if !checks.is_empty() {
            let found = state.check(&self.start(), &checks).unwrap_or_default();
            for answer in found.iter().filter(|answer| !answer["error"].is_null()) {
                let place = numbers.iter().position(|n| answer["id"].as_u64() == Some(*n));
                if let Some(resource) = place.and_then(|place| prepared.get_mut(place)) {
                    resource.errors.push(answers::attribute_error(&answer["error"]));
                }
            }
        }
        prepared
    }

    fn forget(&self, resources: &[ResourceNumber], graphs: &[u64]) {
        let mut state = self.lock();
        for graph in graphs {
            state.graphs.remove(graph);
        }
        for known in state.graphs.values_mut() {
            resources.iter().for_each(|number| drop(known.resources.remove(number)));
        }
        if state.process.is_some() {
            state.gone_resources.extend(resources);
            state.gone_graphs.extend(graphs);
        }
    }

    fn observe(&self, of: &[ResourceNumber], call: &Call<'_>) -> Vec<Observation> {
        let more = u32::try_from(of.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let own = call.timeout.unwrap_or_default().max(OBSERVE_LIMIT);
        let limit = call.limit.map_or(own, |limit| limit.min(own));
        let members = json!({
            "do": "observe", "of": of, "fresh": call.is_fresh, "seconds": limit.as_secs().max(1),
        });
        let limit = limit + OBSERVE_MORE * more + GRACE;
        let answer = self.lock().ask(&self.start(), &members.to_string(), limit);
        let failed =
            |text: String| Observation { changes: Err(KindError::new(text)), log: Vec::new() };
        match answer {
            Ok(Json::Array(answers)) => {
                let by_number: BTreeMap<u64, &Json> = answers
                    .iter()
                    .filter_map(|answer| Some((answer["id"].as_u64()?, answer)))
                    .collect();
                let missing = || failed("the provider process gave no answer".to_string());
                let of = of.iter().map(|number| by_number.get(number));
                of.map(|found| found.map_or_else(missing, |a| answers::observation(a)))
                    .map(|observation| self.explained(observation))
                    .collect()
            }
            Ok(_) => of.iter().map(|_| failed("the answer is no list".to_string())).collect(),
            Err(fault) => of.iter().map(|_| failed(fault.to_string())).collect(),
        }
    }

    fn apply(&self, of: ResourceNumber, changes: &[Change], call: &Call<'_>) -> Applied {
        let names: Vec<&str> = changes.iter().map(|change| change.property.as_str()).collect();
        let limit = action_limit(call);
        match self.request(("apply", json!({ "of": of, "changes": names })), limit, call) {
            Ok(answer) => Applied {
                outcomes: answers::outcomes(&answer, changes),
                log: answers::log(&answer),
                result: answers::failure(&answer),
            },
            Err(error) => Applied { outcomes: Vec::new(), log: Vec::new(), result: Err(error) },
        }
    }

    fn refresh(&self, of: ResourceNumber, call: &Call<'_>) -> Answer<()> {
        match self.request(("refresh", json!({ "of": of })), action_limit(call), call) {
            Ok(answer) => Answer { result: answers::failure(&answer), log: answers::log(&answer) },
            Err(error) => Answer::failed(error),
        }
    }

    fn generate(&self, of: ResourceNumber, call: &Call<'_>) -> Answer<Vec<Resource>> {
        match self.request(("generate", json!({ "of": of })), action_limit(call), call) {
            Ok(answer) => {
                let made = answer["resources"].as_array().into_iter().flatten();
                let made = made.filter_map(answers::generated).collect();
                let result = answers::failure(&answer).map(|()| made);
                Answer { result, log: answers::log(&answer) }
            }
            Err(error) => Answer::failed(error),
        }
    }

    fn retrieve(
        &self,
        of: ResourceNumber,
        call: &Call<'_>,
    ) -> Result<Option<Vec<(String, Value)>>, KindError> {
        let answer = self.request(("retrieve", json!({ "of": of })), OBSERVE_LIMIT, call)?;
        answers::failure(&answer)?;
        Ok(Some(answers::retrieved(&answer)))
    }

    fn instances(&self, kind: &str, call: &Call<'_>) -> Result<Vec<Resource>, KindError> {
        let answer = self.request(("instances", json!({ "kind": kind })), ACTION_LIMIT, call)?;
        answers::failure(&answer)?;
        let names = self.lock().kinds.get(kind).cloned().unwrap_or_default();
        let found = answer["resources"].as_array().into_iter().flatten();
        Ok(found.filter_map(|found| answers::instance(found, &names)).collect())
    }
}

/// The time limit of an action of a resource.
fn action_limit(call: &Call<'_>) -> Duration {
    call.timeout.map_or(ACTION_LIMIT, |own| own.max(ACTION_LIMIT))
}

impl ProviderSettings {
    /// Settings with modules; [`ProviderSettings::set`] adds facts and other members.
    pub fn new(
        program: ProviderProgram,
        interpreters: Vec<String>,
        modules: impl IntoIterator<Item = (String, PathBuf)>,
    ) -> Self {
        let modules = modules.into_iter();
        let modules: Map<String, Json> =
            modules.map(|(name, dir)| (name, dir.display().to_string().into())).collect();
        let environment = Map::from_iter([("modules".to_string(), Json::Object(modules))]);
        Self { program, interpreters, environment, is_read_only: false }
    }

    /// Sets a member of the first request.
    pub fn set(&mut self, name: &str, value: &Value) {
        self.environment.insert(name.to_string(), to_json(value));
    }
}
