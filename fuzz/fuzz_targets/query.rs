//! Answers queries of PuppetDB's API, in PQL and as AST, from an empty database. A query may be
//! refused, but neither its translation nor its SQL may fail.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_fleet_store::Sqlite;
use ordain_puppetdb::{QueryRequest, Response, Settings, answer, sqlite_functions};

/// Where queries are sent; the first place takes PQL and AST.
const PLACES: [&str; 8] =
    ["", "/nodes", "/resources", "/facts", "/reports", "/events", "/inventory", "/fact-contents"];

thread_local! {
    static DATABASE: Sqlite = {
        let directory = std::env::temp_dir().join(format!("ordain-fuzz-query-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        Sqlite::open(&directory.join("fleet.sqlite"), 1, sqlite_functions()).expect("a database")
    };
}

fuzz_target!(|input: (u8, &str)| {
    let (place, query) = input;
    let place = PLACES[usize::from(place) % PLACES.len()];
    let Ok(request) = QueryRequest::get(place, &[("query", query)]) else { return };
    DATABASE.with(|database| {
        let mut output = Response::default();
        if let Err(error) = answer(database, &Settings::default(), &request, &mut output) {
            assert!(error.status < 500, "{place} {query}: {error:?}");
        }
    });
});
