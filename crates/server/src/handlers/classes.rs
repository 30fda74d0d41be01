//! `GET environment_classes`: the classes of an environment with their parameters.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_functions::digest;
use ordain_puppet::syntax::ast::{Definition, Expr, ExprId, Param, Program};
use ordain_puppet::syntax::parse;
use ordain_source::{Severity, SourceMap};
use serde_json::{Map, Value as Json, json};

use super::{blocking, no_environment};
use crate::compile::OpenedEnvironment;
use crate::principal::Admin;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Server;

/// The longest manifest that is read, in bytes.
const MAX_LENGTH: u64 = 16 << 20;
/// The depth up to which defaults are written as literals.
const MAX_DEPTH: u32 = 64;

/// Lists the classes of an environment.
pub(crate) async fn classes(server: Arc<Server>, _: Admin, request: Request) -> Reply {
    let name = match request.environment() {
        Ok(name) => name.to_string(),
        Err(reply) => return reply,
    };
    let known = request.header("if-none-match").unwrap_or_default();
    // A proxy that compresses marks the tag.
    let known = known.trim_end_matches("--gzip").trim_matches('"').to_string();
    blocking(server, move |server| {
        let env = match server.environments.get(&name) {
            Ok(env) => env,
            Err(error) => return no_environment(&name, error),
        };
        let files: Vec<Json> = manifests(&env).iter().map(|path| classes_of(path)).collect();
        let text = json!({ "files": files, "name": name }).to_string();
        let tag = digest::sha256(text.as_bytes());
        let reply = match tag == known {
            true => Reply::empty(hyper::StatusCode::NOT_MODIFIED),
            false => Reply::new(hyper::StatusCode::OK, crate::reply::JSON, text),
        };
        reply.header("etag", format!("\"{tag}\""))
    })
    .await
}

/// The manifests of an environment and of its modules, in order of path.
fn manifests(env: &OpenedEnvironment) -> Vec<PathBuf> {
    let mut todo = vec![env.dir.join("manifests")];
    todo.extend(env.modules.iter().map(|(_, dir)| dir.join("manifests")));
    let mut found = Vec::new();
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            // A link may lead back to a directory above.
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory {
                todo.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pp") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn classes_of(path: &Path) -> Json {
    let path_text = path.display().to_string();
    let error = |message: String| json!({ "error": message, "path": path_text });
    let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if length > MAX_LENGTH {
        return error(format!("{path_text} is longer than {MAX_LENGTH} bytes"));
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(failure) => return error(format!("{path_text}: {failure}")),
    };
    let sources = SourceMap::new();
    let file = sources.add(path, text.as_str());
    let parsed = parse(file, text);
    let wrong = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    if let Some(wrong) = wrong {
        return error(ordain_driver::puppet::shared::puppet_message(wrong, &sources));
    }
    let program = &parsed.program;
    let classes: Vec<Json> = program
        .definitions
        .iter()
        .filter_map(|id| match &program.exprs[*id] {
            Expr::Definition(definition) => Some(program.definition(*definition)),
            _ => None,
        })
        .filter_map(|definition| match definition {
            Definition::Class { name, params, .. } => {
                let params = program.params(*params).iter().map(|param| parameter(program, param));
                let params: Vec<Json> = params.collect();
                Some(json!({ "name": name.as_str(), "params": params }))
            }
            _ => None,
        })
        .collect();
    json!({ "classes": classes, "path": path_text })
}

fn parameter(program: &Program, param: &Param) -> Json {
    let mut out = Map::new();
    if let Some(default) = param.default {
        if let Some(literal) = literal(program, default, 0) {
            out.insert("default_literal".into(), literal);
        }
        out.insert("default_source".into(), program.text(program.range(default)).into());
    }
    out.insert("name".into(), param.name.as_str().into());
    if let Some(kind) = param.kind {
        out.insert("type".into(), program.text(program.range(kind)).into());
    }
    Json::Object(out)
}

/// The value of a literal that JSON has.
fn literal(program: &Program, id: ExprId, depth: u32) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |id: ExprId| literal(program, id, depth + 1);
    match &program.exprs[id] {
        Expr::Bool(value) => Some((*value).into()),
        Expr::Int { value, .. } => Some((*value).into()),
        Expr::Float(value) => Some((*value).into()),
        Expr::Str(text) | Expr::Name(text) => Some(text.as_str().into()),
        Expr::Paren(id) => inner(*id),
        Expr::Minus(id) => match inner(*id)? {
            Json::Number(number) => match number.as_i64() {
                Some(value) => Some(value.checked_neg()?.into()),
                None => Some((-number.as_f64()?).into()),
            },
            _ => None,
        },
        Expr::List(items) => program
            .list(*items)
            .iter()
            .map(|id| inner(*id))
            .collect::<Option<Vec<_>>>()
            .map(Json::from),
        Expr::Hash(entries) => {
            let mut out = Map::new();
            for pair in program.list(*entries).chunks_exact(2) {
                let [key, value] = pair else { return None };
                let Json::String(key) = inner(*key)? else { return None };
                out.insert(key, inner(*value)?);
            }
            Some(Json::Object(out))
        }
        _ => None,
    }
}
