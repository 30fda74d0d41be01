//! The schema is created once, and a newer one is refused.

use ordain_fleet_store::{FleetStoreError, Postgres, Sqlite, Value, read, write};

use crate::databases::{with_each, with_postgres};

#[test]
fn values_come_back_as_they_went() {
    with_each(|database| {
        let row = [
            Value::from("a\u{1f600}\"'\\"),
            Value::from(i64::MIN),
            Value::from(true),
            Value::Null,
            Value::from(vec![0u8, 255]),
        ];
        write(database, |connection| {
            connection.execute(
                "INSERT INTO certnames (certname, created, facts_expire, deactivated, package_hash)
                 VALUES ($1, $2, $3, $4, $5)",
                &row,
            )
        })
        .unwrap();
        let sql =
            "SELECT certname, created, facts_expire, deactivated, package_hash FROM certnames";
        let found = read(database, None, |connection| connection.row(sql, &[])).unwrap().unwrap();
        assert_eq!(found[0], row[0]);
        assert_eq!(found[1], row[1]);
        assert!(found[2].boolean().unwrap());
        assert_eq!(found[3..], row[3..]);
    });
}

#[test]
fn a_server_that_says_nothing_is_not_available() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("postgresql://{}/x?connect_timeout=1", silent.local_addr().unwrap());
    let error = Postgres::connect(&address, 1).unwrap_err();
    let text = "the database is not available: its server does not answer within 3 s";
    assert_eq!(error.to_string(), text);
}

#[test]
fn failed_transactions_change_nothing() {
    with_each(|database| {
        let result = write(database, |connection| {
            let sql = "INSERT INTO environments (environment) VALUES ($1)";
            connection.execute(sql, &["a".into()])?;
            connection.execute("INSERT INTO nothing VALUES (1)", &[])
        });
        assert!(result.is_err());
        let count = read(database, None, |connection| {
            connection.value("SELECT count(*) FROM environments", &[])
        });
        assert_eq!(count.unwrap(), Some(Value::Integer(0)));
    });
}

#[test]
fn readers_cannot_write() {
    with_each(|database| {
        let result = read(database, None, |connection| {
            connection.execute("INSERT INTO environments (environment) VALUES ('a')", &[])
        });
        assert!(result.is_err());
    });
}

fn mark_as_newer(database: &dyn ordain_fleet_store::Database) {
    let sql = "INSERT INTO schema_version (version) VALUES (1000000)";
    write(database, |connection| connection.execute(sql, &[])).unwrap();
}

#[test]
fn newer_schemas_are_refused_and_known_ones_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fleet.db");
    drop(Sqlite::open(&path, 1, Vec::new()).unwrap());
    mark_as_newer(&Sqlite::open(&path, 1, Vec::new()).unwrap());
    let refused = Sqlite::open(&path, 1, Vec::new()).unwrap_err();
    assert!(matches!(refused, FleetStoreError::NewerSchema { found: 1_000_000, .. }), "{refused}");
    with_postgres(|address| {
        drop(Postgres::connect(address, 1).unwrap());
        mark_as_newer(&Postgres::connect(address, 1).unwrap());
        let refused = Postgres::connect(address, 1).unwrap_err();
        assert!(
            matches!(refused, FleetStoreError::NewerSchema { found: 1_000_000, .. }),
            "{refused}"
        );
    });
}

#[test]
fn servers_that_start_together_make_one_schema() {
    with_postgres(|address| {
        std::thread::scope(|scope| {
            let servers: Vec<_> =
                (0..4).map(|_| scope.spawn(|| Postgres::connect(address, 1))).collect();
            for server in servers {
                server.join().unwrap().unwrap();
            }
        });
    });
}

#[test]
fn panics_use_up_no_connection() {
    with_each(|database| {
        for _ in 0..10 {
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                database.read(None, &mut |_| panic!("in a query"))
            }));
            assert!(panicked.is_err());
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                database.write(&mut |connection| {
                    connection.batch("INSERT INTO environments (environment) VALUES ('a')")?;
                    panic!("in a transaction")
                })
            }));
            assert!(panicked.is_err());
        }
        let count = write(database, |c| c.value("SELECT count(*) FROM environments", &[]));
        assert_eq!(count.unwrap(), Some(Value::Integer(0)));
    });
}

#[test]
fn only_the_owner_can_read_a_file() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let database = Sqlite::open(&dir.path().join("fleet.db"), 1, Vec::new()).unwrap();
    mark_as_newer(&database);
    for file in std::fs::read_dir(dir.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
}
