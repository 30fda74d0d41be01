//! Pins, and nodes that a user deactivates.

use ordain_fleet_store::{
    Outcome, Pin, deactivate_node, known_revisions, pin_of, pins, put_pin, read, remove_pin,
    verify_audit, write,
};

use crate::databases::with_each;

const NOW: i64 = 1_795_694_400_000_000;

fn pin(revision: &str) -> Pin {
    Pin {
        certname: "web.example.com".to_owned(),
        revision: revision.to_owned(),
        pinned: NOW,
        actor: "root".to_owned(),
    }
}

#[test]
fn pins_are_stored_and_audited() {
    with_each(|database| {
        assert_eq!(write(database, |c| put_pin(c, &pin("one"))).unwrap(), None);
        let before = write(database, |c| put_pin(c, &pin("two"))).unwrap();
        assert_eq!(before.as_deref(), Some("one"));
        assert_eq!(read(database, None, pins).unwrap(), [pin("two")]);
        let found = read(database, None, |c| pin_of(c, "web.example.com")).unwrap();
        assert_eq!(found.as_deref(), Some("two"));
        let remove = || write(database, |c| remove_pin(c, "web.example.com", "me", NOW)).unwrap();
        assert_eq!(remove().as_deref(), Some("two"));
        assert_eq!(remove(), None);
        assert_eq!(read(database, None, pins).unwrap(), []);
        let rows = read(database, None, |c| {
            c.rows("SELECT action, actor, subject, detail FROM audit_log ORDER BY sequence", &[])
        });
        let texts = |row: &Vec<ordain_fleet_store::Value>| {
            row.iter().map(|value| value.text().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        };
        let lines: Vec<String> = rows.unwrap().iter().map(texts).collect();
        assert_eq!(
            lines,
            [
                r#"pin root web.example.com {"revision":"one"}"#,
                r#"pin root web.example.com {"before":"one","revision":"two"}"#,
                r#"unpin me web.example.com {"before":"two"}"#,
            ]
        );
        assert_eq!(read(database, None, verify_audit).unwrap().0, 3);
    });
}

#[test]
fn a_deactivated_node_is_audited() {
    with_each(|database| {
        write(database, |c| {
            let sql = "INSERT INTO certnames (certname, created) VALUES ('web.example.com', 0)";
            c.execute(sql, &[])
        })
        .unwrap();
        let outcome = write(database, |c| deactivate_node(c, "web.example.com", "root", NOW));
        assert_eq!(outcome.unwrap(), Outcome::Stored { changed: true });
        let sql = "SELECT deactivated FROM certnames WHERE certname = 'web.example.com'";
        let time = read(database, None, |c| c.value(sql, &[])).unwrap().unwrap();
        assert_eq!(time.integer().unwrap(), NOW);
        assert_eq!(read(database, None, verify_audit).unwrap().0, 1);
        assert!(read(database, None, known_revisions).unwrap().is_empty());
    });
}
