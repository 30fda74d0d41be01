//! The routes of the API, each with the principal that may use it.

use hyper::Method;
use ordain_puppetdb::limits::MAX_LENGTH;

use super::route::Route;
use crate::handlers::{
    bucket, ca, catalog, catalog_v4, classes, code, denied, explorer, explorer_actions as actions,
    files, graph, node, population, puppetdb as pdb, shadow, shared, sign_in, status, submit,
    tasks,
};

/// The API for agents. `max_body` is the maximum length of facts, reports and files.
pub(crate) fn table(max_body: u64) -> Vec<Route> {
    let mut routes = authority();
    routes.extend(puppet(max_body));
    routes.extend(own(max_body));
    routes.extend(explore());
    routes.extend(administration(max_body));
    routes.extend(puppetdb(max_body));
    routes
}

/// PuppetDB's API, and the state that its clients ask for.
pub(crate) fn puppetdb(max_body: u64) -> Vec<Route> {
    let (get, post) = (Method::GET, Method::POST);
    let query = "/pdb/query/v4/{path}";
    let mut routes = vec![
        // Paths have titles of resources and values of facts.
        Route::new(get.clone(), query, pdb::query).empty_segments().slashes(),
        Route::new(post.clone(), query, pdb::query)
            .empty_segments()
            .slashes()
            .max_body(MAX_LENGTH as u64),
        Route::new(post, "/pdb/cmd/v1", pdb::command).max_body(max_body),
        Route::new(get.clone(), "/pdb/meta/v1/version", pdb::version),
        Route::new(get.clone(), "/pdb/meta/v1/server-time", pdb::server_time),
        Route::new(get.clone(), "/metrics/v2/list", population::list),
        Route::new(get, "/metrics/v2/read/{name}", population::read),
    ];
    routes.extend(state());
    routes
}

/// The address of monitoring.
pub(crate) fn monitoring() -> Vec<Route> {
    let mut routes = state();
    routes.push(Route::new(Method::GET, "/metrics", status::metrics));
    routes
}

fn authority() -> Vec<Route> {
    let (get, put, post, delete) = (Method::GET, Method::PUT, Method::POST, Method::DELETE);
    let list = "/puppet-ca/v1/certificate_revocation_list";
    vec![
        Route::new(get.clone(), "/puppet-ca/v1/certificate/{name}", ca::certificate),
        Route::new(
            get.clone(),
            "/puppet-ca/v1/certificate_revocation_list/{name}",
            ca::revocation_list,
        ),
        Route::new(put.clone(), list, ca::import_lists).max_body(16 << 20),
        Route::new(get.clone(), "/puppet-ca/v1/certificate_request/{name}", ca::request),
        Route::new(put.clone(), "/puppet-ca/v1/certificate_request/{name}", ca::submit),
        Route::new(delete.clone(), "/puppet-ca/v1/certificate_request/{name}", ca::delete_request),
        Route::new(post.clone(), "/puppet-ca/v1/certificate_renewal", ca::renew),
        Route::new(get.clone(), "/puppet-ca/v1/certificate_status/{name}", ca::status),
        Route::new(put.clone(), "/puppet-ca/v1/certificate_status/{name}", ca::set_status),
        Route::new(delete, "/puppet-ca/v1/certificate_status/{name}", ca::delete_status),
        Route::new(get.clone(), "/puppet-ca/v1/certificate_statuses/{name}", ca::statuses),
        Route::new(post.clone(), "/puppet-ca/v1/sign", ca::sign).max_body(4 << 20),
        Route::new(post, "/puppet-ca/v1/sign/all", ca::sign_all),
        Route::new(put, "/puppet-ca/v1/clean", ca::clean).max_body(4 << 20),
        Route::new(get, "/puppet-ca/v1/expirations", ca::expirations),
    ]
}

fn puppet(max_body: u64) -> Vec<Route> {
    let (get, put, post) = (Method::GET, Method::PUT, Method::POST);
    let bucket = "/puppet/v3/file_bucket_file/{path}";
    vec![
        Route::new(get.clone(), "/puppet/v3/node/{name}", node::node),
        Route::new(get.clone(), "/puppet/v3/environments", node::environments),
        Route::new(get.clone(), "/puppet/v3/catalog/{name}", catalog::compile),
        Route::new(post.clone(), "/puppet/v3/catalog/{name}", catalog::compile).max_body(max_body),
        Route::new(put.clone(), "/puppet/v3/report/{name}", submit::report).max_body(max_body),
        Route::new(put.clone(), "/puppet/v3/facts/{name}", submit::facts).max_body(max_body),
        Route::new(get.clone(), "/puppet/v3/file_metadata/{path}", files::metadata),
        Route::new(post.clone(), "/puppet/v3/file_metadata/{path}", files::metadata),
        Route::new(get.clone(), "/puppet/v3/file_metadatas/{path}", files::metadatas),
        Route::new(post, "/puppet/v3/file_metadatas/{path}", files::metadatas),
        Route::new(get.clone(), "/puppet/v3/file_content/{path}", files::content),
        Route::new(get.clone(), "/puppet/v3/static_file_content/{path}", files::static_content),
        Route::new(get.clone(), "/puppet/v3/tasks", tasks::tasks),
        Route::new(get.clone(), "/puppet/v3/tasks/{path}", tasks::task),
        // Their paths end with the absolute path of a file.
        Route::new(Method::HEAD, bucket, bucket::head).empty_segments(),
        Route::new(put, bucket, bucket::put).max_body(max_body).empty_segments(),
        Route::new(get, bucket, bucket::get).empty_segments(),
    ]
}

/// The API for Ordain's own agents and administrators.
fn own(max_body: u64) -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/ordain/v1/graph/{name}", graph::graph).max_body(max_body),
        Route::new(Method::GET, "/ordain/v1/changes/{name}", graph::changes),
        Route::new(Method::GET, "/ordain/v1/shared/{name}", shared::changes),
        Route::new(Method::POST, "/ordain/v1/shared/{name}", shared::change).max_body(max_body),
        Route::new(Method::GET, "/ordain/v1/shadow", shadow::document),
        Route::new(Method::GET, "/ordain/v1/shadow/page", shadow::page),
    ]
}

/// The pages of the web explorer, and the actions on them.
fn explore() -> Vec<Route> {
    let (get, post) = (Method::GET, Method::POST);
    let pin = "/explore/api/nodes/{name}/pin";
    vec![
        Route::new(get.clone(), "/explore/signin", sign_in::begin),
        Route::new(get.clone(), "/explore/signin/callback", sign_in::finish),
        Route::new(post.clone(), "/explore/signout", sign_in::end),
        Route::new(post.clone(), "/explore/api/runs", actions::runs::start).max_body(1 << 20),
        Route::new(post.clone(), "/explore/api/runs/{name}/stop", actions::runs::stop),
        Route::new(post.clone(), "/explore/api/runs/{name}/resume", actions::runs::resume),
        Route::new(Method::PUT, pin, actions::nodes::pin),
        Route::new(Method::DELETE, pin, actions::nodes::unpin),
        Route::new(
            post.clone(),
            "/explore/api/nodes/{name}/deactivate",
            actions::nodes::deactivate,
        ),
        Route::new(get.clone(), "/explore/api/certificates", actions::certificates::list),
        Route::new(get.clone(), "/explore/api/certificates/{name}", actions::certificates::status),
        Route::new(
            post.clone(),
            "/explore/api/certificates/{name}/sign",
            actions::certificates::sign,
        ),
        Route::new(
            post.clone(),
            "/explore/api/certificates/{name}/reject",
            actions::certificates::reject,
        ),
        Route::new(post, "/explore/api/certificates/{name}/revoke", actions::certificates::revoke),
        Route::new(get, "/explore/{path}", explorer::get),
    ]
}

fn administration(max_body: u64) -> Vec<Route> {
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    let pool = "/puppet-admin-api/v1/jruby-pool";
    vec![
        Route::new(post.clone(), "/puppet/v4/catalog", catalog_v4::compile).max_body(max_body),
        Route::new(get.clone(), "/puppet/v3/environment_modules", code::modules),
        Route::new(get.clone(), "/puppet/v3/environment_classes", classes::classes),
        Route::new(delete.clone(), "/puppet-admin-api/v1/environment-cache", code::forget),
        // There is no pool of interpreters to empty.
        Route::new(delete, pool, denied),
        Route::new(get.clone(), "/puppet-admin-api/v1/jruby-pool/thread-dump", denied),
        Route::new(post.clone(), "/puppet/v3/compile", denied),
        Route::new(get.clone(), "/puppet/v3/environment_transports", denied),
        Route::new(get.clone(), "/puppet/v3/plans", denied),
        Route::new(get, "/puppet/v3/plans/{path}", denied),
    ]
}

fn state() -> Vec<Route> {
    let get = Method::GET;
    vec![
        Route::new(get.clone(), "/status/v1/simple", status::simple),
        Route::new(get.clone(), "/status/v1/simple/{name}", status::simple),
        Route::new(get.clone(), "/status/v1/services", status::services),
        Route::new(get.clone(), "/status/v1/services/{name}", status::services),
        Route::new(get, "/healthz", status::health),
    ]
}
