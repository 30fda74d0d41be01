//! `auto`: the size of a resource pool, counted from the jobs that use it.

use std::rc::Rc;

use super::evaluator::{Env, Evaluator};
use crate::diagnostics::stop::{Eval, Stop};
use crate::syntax::ast::{PathStep, Reference};
use crate::value::Value;

impl Evaluator<'_> {
    pub(crate) fn auto(&mut self, env: &Env) -> Eval<Value> {
        let path = self.context_path(env.place);
        let pool = match &path[..] {
            [pools, pool, size] if pools == "resource_pools" && size == "size" => {
                pool.rsplit_once(':').map_or(pool.as_str(), |(_, name)| name)
            }
            _ => return Err(Stop::failed("auto only allowed for size entry in resource pools")),
        };
        let path: Rc<[PathStep]> = Rc::new([PathStep::Key("jobs".into())]);
        let jobs = Reference { tag: None, absolute: true, path };
        let jobs = match self.reference(&jobs, env) {
            Err(Stop::Failed(_)) => return Err(Stop::failed("no jobs found")),
            other => other?.value,
        };
        let Value::List(jobs) = jobs else { return Err(Stop::failed("jobs must be a list")) };
        let mut size = 0i64;
        for job in &jobs.items {
            let Value::Map(job) = &job.value else { continue };
            let field = |name: &str| job.get(name).map(|i| &i.value);
            match field("resource_pool") {
                Some(Value::Str(name)) if name == pool => {}
                _ => continue,
            }
            let Some(Value::Int(instances)) = field("instances") else {
                let name = field("name").and_then(Value::as_str).map_or("?", |n| n.as_str());
                return Err(Stop::failed(format!("job {name} has no number of instances")));
            };
            size = size.wrapping_add(*instances);
        }
        Ok(Value::Int(size))
    }
}
