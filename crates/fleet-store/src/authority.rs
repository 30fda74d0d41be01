//! The inventory of the certificate authority.

use std::ops::ControlFlow;

use crate::contents::Digest;
use crate::database::Connection;
use crate::error::FleetStoreError;
use crate::value::Value;

/// A certificate that was issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateRow {
    /// SHA-256 of the issuer's name in DER.
    pub issuer: Digest,
    /// The serial number in hexadecimal, without leading zeros.
    pub serial: String,
    /// The common name.
    pub subject: String,
    /// Valid from, in microseconds since 1970.
    pub not_before: i64,
    /// Valid until.
    pub not_after: i64,
    /// SHA-256 of the certificate.
    pub fingerprint: Digest,
    /// The certificate.
    pub pem: String,
    /// When it was issued.
    pub issued: i64,
    /// When it was revoked.
    pub revoked: Option<i64>,
    /// The revocation reason of RFC 5280.
    pub revocation_reason: Option<i64>,
    /// Whether it is the certificate that the node downloads.
    pub is_current: bool,
}

const COLUMNS: &str = "issuer, serial, subject, not_before, not_after, fingerprint, pem, issued,
    revoked, revocation_reason, is_current";

/// Records a certificate, and makes it the current one of its subject.
///
/// # Errors
/// When the database fails, or the issuer already used the serial number.
pub fn put_certificate(
    connection: &mut dyn Connection,
    row: &CertificateRow,
) -> Result<(), FleetStoreError> {
    if row.is_current {
        let sql = "UPDATE ca_certificates SET is_current = FALSE
                   WHERE issuer = $1 AND subject = $2 AND is_current";
        connection.execute(sql, &[row.issuer.as_slice().into(), row.subject.as_str().into()])?;
    }
    let sql = format!(
        "INSERT INTO ca_certificates ({COLUMNS})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
    );
    let values = [
        row.issuer.as_slice().into(),
        row.serial.as_str().into(),
        row.subject.as_str().into(),
        row.not_before.into(),
        row.not_after.into(),
        row.fingerprint.as_slice().into(),
        row.pem.as_str().into(),
        row.issued.into(),
        row.revoked.into(),
        row.revocation_reason.into(),
        row.is_current.into(),
    ];
    connection.execute(&sql, &values).map(drop)
}

/// The certificates of a subject, newest first. Revocation has to cover all of them.
///
/// # Errors
/// When the database fails.
pub fn certificates_of(
    connection: &mut dyn Connection,
    subject: &str,
) -> Result<Vec<CertificateRow>, FleetStoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM ca_certificates WHERE subject = $1 ORDER BY issued DESC, serial"
    );
    collect(connection, &sql, &[subject.into()])
}

/// At most `limit` current certificates, ordered by subject, from the first subject after a name.
///
/// # Errors
/// When the database fails.
pub fn current_certificates(
    connection: &mut dyn Connection,
    after: &str,
    limit: i64,
) -> Result<Vec<CertificateRow>, FleetStoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM ca_certificates WHERE subject > $1 AND is_current
         ORDER BY subject LIMIT $2"
    );
    collect(connection, &sql, &[after.into(), limit.into()])
}

/// The certificate with a serial number.
///
/// # Errors
/// When the database fails.
pub fn certificate_by_serial(
    connection: &mut dyn Connection,
    issuer: &Digest,
    serial: &str,
) -> Result<Option<CertificateRow>, FleetStoreError> {
    let sql = format!("SELECT {COLUMNS} FROM ca_certificates WHERE issuer = $1 AND serial = $2");
    let rows = collect(connection, &sql, &[issuer.as_slice().into(), serial.into()])?;
    Ok(rows.into_iter().next())
}

/// The serial numbers that an issuer revoked, with time and reason, for its revocation list. Leaves
/// out certificates that expired before `not_after`.
///
/// # Errors
/// When the database fails.
pub fn revoked_serials(
    connection: &mut dyn Connection,
    issuer: &Digest,
    not_after: i64,
) -> Result<Vec<(String, i64, Option<i64>)>, FleetStoreError> {
    let mut revoked = Vec::new();
    let sql = "SELECT serial, revoked, revocation_reason FROM ca_certificates
               WHERE issuer = $1 AND not_after >= $2 AND revoked IS NOT NULL ORDER BY revoked, serial";
    connection.each(sql, &[issuer.as_slice().into(), not_after.into()], &mut |row| {
        let [serial, at, reason] = row else {
            return Err(FleetStoreError::failed("three columns expected"));
        };
        let reason = reason.optional(Value::integer)?;
        revoked.push((serial.text()?.to_owned(), at.integer()?, reason));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(revoked)
}

/// Revokes all certificates of a subject that are not revoked yet. Returns how many.
///
/// # Errors
/// When the database fails.
pub fn revoke_all(
    connection: &mut dyn Connection,
    subject: &str,
    reason: Option<i64>,
    now: i64,
) -> Result<u64, FleetStoreError> {
    let sql = "UPDATE ca_certificates SET revoked = $1, revocation_reason = $2
               WHERE subject = $3 AND revoked IS NULL";
    connection.execute(sql, &[now.into(), reason.into(), subject.into()])
}

/// Leaves a subject without a current certificate. The inventory keeps its certificates.
///
/// # Errors
/// When the database fails.
pub fn clear_current(
    connection: &mut dyn Connection,
    subject: &str,
) -> Result<(), FleetStoreError> {
    let sql = "UPDATE ca_certificates SET is_current = FALSE WHERE subject = $1 AND is_current";
    connection.execute(sql, &[subject.into()]).map(drop)
}

/// Stores the certificate request of a subject. Returns `false` if there already is one.
///
/// # Errors
/// When the database fails.
pub fn put_request(
    connection: &mut dyn Connection,
    subject: &str,
    pem: &str,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let sql = "INSERT INTO ca_requests (subject, pem, received) VALUES ($1, $2, $3)
               ON CONFLICT (subject) DO NOTHING";
    Ok(connection.execute(sql, &[subject.into(), pem.into(), now.into()])? > 0)
}

/// The certificate requests with their subjects, ordered by subject.
///
/// # Errors
/// When the database fails.
pub fn requests(connection: &mut dyn Connection) -> Result<Vec<(String, String)>, FleetStoreError> {
    let rows = connection.rows("SELECT subject, pem FROM ca_requests ORDER BY subject", &[])?;
    rows.iter()
        .map(|row| match row.as_slice() {
            [subject, pem] => Ok((subject.text()?.to_owned(), pem.text()?.to_owned())),
            _ => Err(FleetStoreError::failed("two columns expected")),
        })
        .collect()
}

/// The certificate request of a subject.
///
/// # Errors
/// When the database fails.
pub fn request(
    connection: &mut dyn Connection,
    subject: &str,
) -> Result<Option<String>, FleetStoreError> {
    let pem =
        connection.value("SELECT pem FROM ca_requests WHERE subject = $1", &[subject.into()])?;
    pem.map(|pem| pem.text().map(str::to_owned)).transpose()
}

/// Deletes the certificate request of a subject. Returns `false` if there is none.
///
/// # Errors
/// When the database fails.
pub fn remove_request(
    connection: &mut dyn Connection,
    subject: &str,
) -> Result<bool, FleetStoreError> {
    let sql = "DELETE FROM ca_requests WHERE subject = $1";
    Ok(connection.execute(sql, &[subject.into()])? > 0)
}

/// Stores an issuer's revocation list, unless one with the same or a higher number is stored.
/// Returns whether it was stored.
///
/// # Errors
/// When the database fails.
pub fn put_revocation_list(
    connection: &mut dyn Connection,
    issuer: &Digest,
    number: i64,
    pem: &str,
    now: i64,
) -> Result<bool, FleetStoreError> {
    let sql = "INSERT INTO ca_revocation_lists (issuer, number, pem, updated)
               VALUES ($1, $2, $3, $4)
               ON CONFLICT (issuer) DO UPDATE SET number = excluded.number, pem = excluded.pem,
                   updated = excluded.updated
               WHERE ca_revocation_lists.number < excluded.number";
    let row = [issuer.as_slice().into(), number.into(), pem.into(), now.into()];
    Ok(connection.execute(sql, &row)? > 0)
}

/// An issuer's revocation list: its number, its text, and when it was signed.
///
/// # Errors
/// When the database fails.
pub fn revocation_list(
    connection: &mut dyn Connection,
    issuer: &Digest,
) -> Result<Option<(i64, String, i64)>, FleetStoreError> {
    let sql = "SELECT number, pem, updated FROM ca_revocation_lists WHERE issuer = $1";
    match connection.row(sql, &[issuer.as_slice().into()])?.as_deref() {
        Some([number, pem, updated]) => {
            Ok(Some((number.integer()?, pem.text()?.to_owned(), updated.integer()?)))
        }
        _ => Ok(None),
    }
}

fn collect(
    connection: &mut dyn Connection,
    sql: &str,
    parameters: &[Value],
) -> Result<Vec<CertificateRow>, FleetStoreError> {
    connection.rows(sql, parameters)?.iter().map(|row| certificate(row)).collect()
}

fn certificate(row: &[Value]) -> Result<CertificateRow, FleetStoreError> {
    let [
        issuer,
        serial,
        subject,
        not_before,
        not_after,
        fingerprint,
        pem,
        issued,
        revoked,
        reason,
        current,
    ] = row
    else {
        return Err(FleetStoreError::failed("eleven columns expected"));
    };
    Ok(CertificateRow {
        issuer: crate::contents::digest(issuer)?,
        serial: serial.text()?.to_owned(),
        subject: subject.text()?.to_owned(),
        not_before: not_before.integer()?,
        not_after: not_after.integer()?,
        fingerprint: crate::contents::digest(fingerprint)?,
        pem: pem.text()?.to_owned(),
        issued: issued.integer()?,
        revoked: revoked.optional(Value::integer)?,
        revocation_reason: reason.optional(Value::integer)?,
        is_current: current.boolean()?,
    })
}
