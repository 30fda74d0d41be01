//! Compiles an answer again. A difference means that an input is not recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use ordain_driver::inputs::CompileRecord;
use ordain_driver::puppet::shared::NodeRequest;
use serde_json::Value as Json;

use super::compiling::compile_node;
use crate::answers::{Head, Outcome, StoredAnswer};
use crate::compile::OpenedEnvironment;
use crate::server::Server;
use crate::storage::{AnswerKey, catalog_digest};

/// The maximum number of inputs in a message.
const MAX_SHOWN: usize = 12;

/// An answer that is compiled again.
pub(crate) struct Recheck {
    pub(crate) server: Arc<Server>,
    pub(crate) env: Arc<OpenedEnvironment>,
    pub(crate) answer_key: AnswerKey,
    pub(crate) request: NodeRequest,
    pub(crate) answer: Arc<StoredAnswer>,
}

impl Recheck {
    /// Compiles, compares, and drops the answer if it is wrong.
    pub(crate) fn run(&self) -> Outcome {
        let Self { server, env, answer_key, request, answer } = self;
        let node = answer_key.node.as_str();
        let result = compile_node(server, env, request);
        if let Ok(compiled) = &result {
            let digest = catalog_digest(&compiled.text, &env.name, &compiled.exported);
            if digest.as_ref() == Some(&answer.digest) {
                server.storage.note_verified(answer_key);
                return Outcome::Equal;
            }
        }
        let Some(answers) = &server.answers else { return Outcome::Outdated };
        let is_current = server.environments.get(&env.name).is_ok_and(|now| {
            now.state() == env.state()
                && answers
                    .difference((&server.environments, &server.storage), env, answer, request)
                    .is_ok()
        });
        if !is_current {
            return Outcome::Outdated;
        }
        answers.forget(answer_key);
        server.storage.forget_answer(answer_key);
        let environment = env.name.as_str();
        match &result {
            Ok(compiled) => {
                let inputs = missed(&answer.record, compiled.record.as_ref());
                let resource = first_difference(answer, &compiled.text);
                tracing::error!(
                    node,
                    environment,
                    inputs,
                    resource,
                    "a stored catalog was wrong, though its recorded inputs were the same; it is \
                     dropped"
                );
            }
            Err(message) => tracing::error!(
                node,
                environment,
                "a stored catalog was wrong: now the compile fails, though its recorded inputs \
                 were the same: {message}"
            ),
        }
        Outcome::Different
    }
}

/// The inputs that a record lacks, or has in another state.
fn missed(stored: &CompileRecord, now: Option<&CompileRecord>) -> String {
    let Some(now) = now else { return String::new() };
    if !now.is_repeatable() {
        return now.unrepeatable().join(", ");
    }
    let differences = stored.differences(now);
    if differences.is_empty() {
        return "one that no record has".to_string();
    }
    let mut names: Vec<String> =
        differences.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
    let more = differences.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

/// The first resource that only one of two catalogs has, or that they have in different forms.
fn first_difference(answer: &StoredAnswer, text: &Bytes) -> String {
    let head = Head { version: Json::Null, code_id: None, uuid: String::new() };
    let stored = answer.body.text(&head);
    let (stored, now) = (resources(&stored), resources(text));
    let differs = |name: &&String| stored.get(*name) != now.get(*name);
    let first = stored.keys().chain(now.keys()).find(differs);
    first.map_or_else(|| "none, but edges or classes".to_string(), String::clone)
}

fn resources(text: &[u8]) -> BTreeMap<String, Json> {
    let mut catalog: Json = serde_json::from_slice(text).unwrap_or_default();
    let resources = catalog.get_mut("resources").map(Json::take).unwrap_or_default();
    let Json::Array(resources) = resources else { return BTreeMap::new() };
    let text = |resource: &Json, key: &str| {
        resource.get(key).and_then(Json::as_str).unwrap_or_default().to_string()
    };
    let named = resources.into_iter().map(|resource| {
        (format!("{}[{}]", text(&resource, "type"), text(&resource, "title")), resource)
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use ordain_data::Value as Data;

    use super::*;
    use crate::answers::Miss;
    use crate::config::Config;

    /// A server whose site program is this text, an open environment, and a request.
    fn server(
        dir: &std::path::Path,
        site: &str,
    ) -> (Arc<Server>, Arc<OpenedEnvironment>, NodeRequest) {
        let manifests = dir.join("code/manifests");
        std::fs::create_dir_all(&manifests).unwrap();
        std::fs::write(manifests.join("site.pp"), site).unwrap();
        std::fs::write(dir.join("code/environment.conf"), "modulepath = modules\n").unwrap();
        let mut config = Config::new(dir.join("code"), dir.join("state"));
        config.names = vec!["localhost".to_string()];
        let (server, _) = crate::start::new_server(config).unwrap();
        let env = server.environments.get("production").unwrap();
        let request = NodeRequest {
            name: "web.example.org".to_string(),
            facts: Data::map([("a", Data::Int(1)), ("b", Data::Int(2))]),
            exports: Some(server.storage.exports()),
            ..NodeRequest::default()
        };
        (Arc::new(server), env, request)
    }

    #[test]
    fn a_wrong_answer_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let (server, env, request) = server(dir.path(), "notify { \"${facts['a']}\": }\n");
        let answers = server.answers.as_ref().unwrap();
        let answer_key = AnswerKey {
            node: request.name.clone(),
            environment: env.name.clone(),
            variant: String::new(),
        };
        let compiled = compile_node(&server, &env, &request).unwrap();
        let record = compiled.record.unwrap();
        let right = catalog_digest(&compiled.text, &env.name, &compiled.exported).unwrap();
        for (digest, wanted) in [(right, Outcome::Equal), (vec![0; 32], Outcome::Different)] {
            let row = answers.keep(&env, &answer_key, record.clone(), (&compiled.text, &digest));
            assert!(row.is_some());
            let answer = answers
                .find((&server.environments, &server.storage), &env, &answer_key, &request)
                .unwrap();
            let recheck = Recheck {
                server: Arc::clone(&server),
                env: Arc::clone(&env),
                answer_key: answer_key.clone(),
                request: request.clone(),
                answer,
            };
            assert_eq!(recheck.run(), wanted);
        }
        let found =
            answers.find((&server.environments, &server.storage), &env, &answer_key, &request);
        assert_eq!(found.err(), Some(Miss::Absent));
    }

    #[test]
    fn a_message_names_the_inputs_that_a_record_lacks() {
        let dir = tempfile::tempdir().unwrap();
        let record = |site: &str| {
            let (server, env, request) = server(dir.path(), site);
            compile_node(&server, &env, &request).unwrap().record.unwrap()
        };
        let one = record("notify { \"${facts['a']}\": }\n");
        assert_eq!(missed(&one, Some(&one)), "one that no record has");
        let text = missed(&one, Some(&record("notify { \"${facts['b']}\": }\n")));
        assert!(text.contains("fact facts.a") && text.contains("fact facts.b"), "{text}");
    }
}
