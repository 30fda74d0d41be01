//! Contents, secrets, stored answers, the audit log, leases and the inventory of certificates.

use ordain_fleet_store::{
    AnswerKey, AuditEntry, CertificateRow, Database, FleetStoreError, StoreKey, acquire_lease,
    answer, append_audit, certificate_by_serial, certificates_of, clear_current, content,
    current_certificates, put_answer, put_certificate, put_content, put_request,
    put_revocation_list, put_secret, read, release_lease, remove_answer, remove_request, request,
    requests, revocation_list, revoke_all, revoked_serials, secret, set_verified, verify_audit,
    write,
};
use serde_json::{Map, json};

use crate::databases::with_each;

const NOW: i64 = 1_795_694_400_000_000;

fn count(database: &dyn Database, sql: &str) -> i64 {
    read(database, None, |c| c.value(sql, &[])).unwrap().unwrap().integer().unwrap()
}

#[test]
fn contents_are_stored_once() {
    let key = StoreKey::from_bytes([1; 32]);
    let text = "the same line\n".repeat(10_000).into_bytes();
    with_each(|database| {
        for is_secret in [false, true, false, true] {
            let digest = write(database, |c| put_content(c, &key, &text, is_secret, NOW)).unwrap();
            let found = read(database, None, |c| content(c, &key, &digest)).unwrap();
            assert_eq!(found.as_deref(), Some(text.as_slice()));
        }
        assert_eq!(count(database, "SELECT count(*) FROM contents"), 2);
        assert!(count(database, "SELECT max(length(data)) FROM contents") < 500);
        let unknown = read(database, None, |c| content(c, &key, &[0; 32])).unwrap();
        assert_eq!(unknown, None);
    });
}

#[test]
fn secrets_open_only_with_their_key_and_name() {
    let (key, other) = (StoreKey::from_bytes([1; 32]), StoreKey::from_bytes([2; 32]));
    with_each(|database| {
        for value in ["first", "CANARY"] {
            write(database, |c| put_secret(c, &key, "ca", value.as_bytes(), NOW)).unwrap();
        }
        write(database, |c| put_secret(c, &key, "other", b"x", NOW)).unwrap();
        let found = read(database, None, |c| secret(c, &key, "ca")).unwrap();
        assert_eq!(found.as_deref(), Some(b"CANARY".as_slice()));
        assert_eq!(read(database, None, |c| secret(c, &key, "none")).unwrap(), None);
        let wrong = read(database, None, |c| secret(c, &other, "ca")).unwrap_err();
        assert!(matches!(wrong, FleetStoreError::DecryptionFailed { .. }), "{wrong}");
        let sealed = "SELECT sealed FROM secrets WHERE name = 'ca'";
        let sealed = read(database, None, |c| c.value(sealed, &[])).unwrap().unwrap();
        let sealed = sealed.bytes().unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"CANARY"));
        // Replace a secret with that of another name.
        let sql = "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'other')
                   WHERE name = 'ca'";
        write(database, |c| c.execute(sql, &[])).unwrap();
        assert!(read(database, None, |c| secret(c, &key, "ca")).is_err());
    });
}

#[test]
fn answers_are_stored_with_their_inputs() {
    let key = StoreKey::from_bytes([1; 32]);
    let answer_key =
        AnswerKey { certname: "a.example.com", environment: "production", variant: "rich" };
    let other = AnswerKey { variant: "pson", ..answer_key };
    with_each(|database| {
        write(database, |c| {
            put_answer(c, &key, &answer_key, Some("abc"), (b"catalog CANARY", b"inputs"), NOW)
        })
        .unwrap();
        let found = read(database, None, |c| answer(c, &key, &answer_key)).unwrap().unwrap();
        assert_eq!((found.code_id.as_deref(), found.compiled), (Some("abc"), NOW));
        assert_eq!((found.verified, found.inputs.as_slice()), (None, b"inputs".as_slice()));
        let catalog = read(database, None, |c| content(c, &key, &found.catalog)).unwrap();
        assert_eq!(catalog.as_deref(), Some(b"catalog CANARY".as_slice()));
        assert_eq!(read(database, None, |c| answer(c, &key, &other)).unwrap(), None);
        write(database, |c| set_verified(c, &answer_key, NOW + 1)).unwrap();
        let found = read(database, None, |c| answer(c, &key, &answer_key)).unwrap().unwrap();
        assert_eq!(found.verified, Some(NOW + 1));
        // Another compile replaces it and is not verified.
        write(database, |c| put_answer(c, &key, &answer_key, None, (b"new", b"i"), NOW + 2))
            .unwrap();
        let found = read(database, None, |c| answer(c, &key, &answer_key)).unwrap().unwrap();
        assert_eq!((found.code_id, found.verified), (None, None));
        let plain = "SELECT count(*) FROM contents WHERE NOT is_secret";
        assert_eq!(count(database, plain), 0);
        write(database, |c| remove_answer(c, &answer_key)).unwrap();
        assert_eq!(read(database, None, |c| answer(c, &key, &answer_key)).unwrap(), None);
    });
}

#[test]
fn changes_to_the_audit_log_are_found() {
    with_each(|database| {
        assert_eq!(read(database, None, verify_audit).unwrap().0, 0);
        let detail: Map<_, _> =
            [("why".to_owned(), json!("a | b")), ("a".to_owned(), json!(1))].into_iter().collect();
        for i in 1..=20 {
            let entry = AuditEntry {
                at: NOW + i,
                actor: "admin.example.com",
                action: "sign",
                subject: "node",
                detail: &detail,
            };
            assert_eq!(write(database, |c| append_audit(c, &entry)).unwrap(), i);
        }
        let (last, hash) = read(database, None, verify_audit).unwrap();
        assert_eq!(last, 20);
        assert_ne!(hash, [0; 32]);
        for (change, found) in [
            ("UPDATE audit_log SET subject = 'node2' WHERE sequence = 7", 7),
            ("UPDATE audit_log SET at = at + 1 WHERE sequence = 5", 5),
            ("DELETE FROM audit_log WHERE sequence = 3", 3),
            ("DELETE FROM audit_log WHERE sequence = 1", 1),
        ] {
            write(database, |c| c.execute(change, &[])).unwrap();
            let error = read(database, None, verify_audit).unwrap_err();
            let FleetStoreError::Audit { sequence } = error else { panic!("{error}") };
            assert_eq!(sequence, found, "{change}");
        }
    });
}

#[test]
fn servers_add_to_the_audit_log_at_once() {
    with_each(|database| {
        let detail = Map::new();
        std::thread::scope(|scope| {
            for server in ["a", "b", "c", "d"] {
                let entry = AuditEntry {
                    at: NOW,
                    actor: server,
                    action: "x",
                    subject: "y",
                    detail: &detail,
                };
                scope.spawn(move || {
                    for _ in 0..5 {
                        write(database, |c| append_audit(c, &entry)).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(database, None, verify_audit).unwrap().0, 20);
    });
}

#[test]
fn one_server_holds_a_lease() {
    with_each(|database| {
        let acquire = |holder: &str, now: i64| {
            write(database, |c| acquire_lease(c, "gc", holder, (now, now + 10))).unwrap()
        };
        assert_eq!(acquire("a", 0), Some(1));
        assert_eq!(acquire("b", 5), None);
        assert_eq!(acquire("a", 5), Some(1));
        assert_eq!(acquire("b", 15), Some(2));
        assert_eq!(acquire("a", 16), None);
        write(database, |c| release_lease(c, "gc", "a")).unwrap();
        assert_eq!(acquire("a", 16), None);
        write(database, |c| release_lease(c, "gc", "b")).unwrap();
        assert_eq!(acquire("a", 16), Some(3));
    });
}

fn certificate(serial: &str, subject: &str, issued: i64) -> CertificateRow {
    CertificateRow {
        issuer: [9; 32],
        serial: serial.into(),
        subject: subject.into(),
        not_before: issued,
        not_after: issued + 100,
        fingerprint: [3; 32],
        pem: format!("PEM {serial}"),
        issued,
        revoked: None,
        revocation_reason: None,
        is_current: true,
    }
}

#[test]
fn all_certificates_of_a_subject_are_revoked() {
    with_each(|database| {
        for (serial, subject, issued) in [("1", "a", 1), ("a0", "a", 2), ("3", "b", 3)] {
            write(database, |c| put_certificate(c, &certificate(serial, subject, issued))).unwrap();
        }
        let twice = write(database, |c| put_certificate(c, &certificate("1", "z", 9)));
        assert!(twice.is_err());
        let serials = |rows: Vec<CertificateRow>| {
            rows.into_iter().map(|row| (row.serial, row.is_current)).collect::<Vec<_>>()
        };
        let of_a = read(database, None, |c| certificates_of(c, "a")).unwrap();
        assert_eq!(serials(of_a), [("a0".into(), true), ("1".into(), false)]);
        let current = read(database, None, |c| current_certificates(c, "", 10)).unwrap();
        assert_eq!(serials(current), [("a0".into(), true), ("3".into(), true)]);
        let current = read(database, None, |c| current_certificates(c, "a", 10)).unwrap();
        assert_eq!(serials(current), [("3".into(), true)]);
        assert_eq!(write(database, |c| revoke_all(c, "a", Some(1), 50)).unwrap(), 2);
        assert_eq!(write(database, |c| revoke_all(c, "a", None, 60)).unwrap(), 0);
        let revoked = read(database, None, |c| revoked_serials(c, &[9; 32], 0)).unwrap();
        assert_eq!(revoked, [("1".into(), 50, Some(1)), ("a0".into(), 50, Some(1))]);
        let revoked = read(database, None, |c| revoked_serials(c, &[9; 32], 102)).unwrap();
        assert_eq!(revoked, [("a0".into(), 50, Some(1))]);
        let row = read(database, None, |c| certificate_by_serial(c, &[9; 32], "a0")).unwrap();
        let row = row.unwrap();
        assert_eq!((row.revoked, row.pem.as_str()), (Some(50), "PEM a0"));
        write(database, |c| clear_current(c, "a")).unwrap();
        let current = read(database, None, |c| current_certificates(c, "", 10)).unwrap();
        assert_eq!(serials(current), [("3".into(), true)]);
    });
}

#[test]
fn requests_and_revocation_lists_are_stored() {
    with_each(|database| {
        assert!(write(database, |c| put_request(c, "b", "PEM b", NOW)).unwrap());
        assert!(write(database, |c| put_request(c, "a", "PEM a", NOW)).unwrap());
        assert!(!write(database, |c| put_request(c, "a", "another", NOW)).unwrap());
        assert_eq!(read(database, None, |c| request(c, "a")).unwrap().as_deref(), Some("PEM a"));
        let all = read(database, None, requests).unwrap();
        assert_eq!(all, [("a".into(), "PEM a".into()), ("b".into(), "PEM b".to_owned())]);
        assert!(write(database, |c| remove_request(c, "a")).unwrap());
        assert!(!write(database, |c| remove_request(c, "a")).unwrap());
        for (number, stored) in [(1, true), (3, true), (3, false), (2, false)] {
            let pem = format!("CRL {number}");
            let done =
                write(database, |c| put_revocation_list(c, &[1; 32], number, &pem, NOW)).unwrap();
            assert_eq!(done, stored, "{number}");
        }
        let list = read(database, None, |c| revocation_list(c, &[1; 32])).unwrap();
        assert_eq!(list, Some((3, "CRL 3".into(), NOW)));
        assert_eq!(read(database, None, |c| revocation_list(c, &[2; 32])).unwrap(), None);
        assert_eq!(count(database, "SELECT count(*) FROM ca_requests"), 1);
    });
}
