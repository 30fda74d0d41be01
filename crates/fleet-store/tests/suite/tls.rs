//! TLS to PostgreSQL.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_fleet_store::Postgres;

use crate::databases::{Server, expect_success};

fn openssl(dir: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    command.args(arguments.split_whitespace()).current_dir(dir);
    expect_success(&command.output().unwrap());
}

/// Makes two authorities, and certificates of the first one for `localhost` and for a client.
fn make_certificates(dir: &Path) {
    let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    let of_ca = "-CA ca.pem -CAkey ca.key -addext basicConstraints=critical,CA:FALSE";
    openssl(dir, &format!("{new} -subj /CN=authority -keyout ca.key -out ca.pem"));
    openssl(dir, &format!("{new} -subj /CN=another -keyout another.key -out another.pem"));
    let name = "-subj /CN=localhost -addext subjectAltName=DNS:localhost";
    openssl(dir, &format!("{new} {of_ca} {name} -keyout server.key -out server.pem"));
    openssl(dir, &format!("{new} {of_ca} -subj /CN=ordain -keyout client.key -out client.pem"));
    // The user `ordain` needs a certificate with TCP.
    let rules = "local all all trust\nhostssl all all 127.0.0.1/32 cert\n";
    fs::write(dir.join("rules"), rules).unwrap();
}

/// A copy of a key that belongs to this user, as the files of the server do not.
fn own_key(dir: &Path, mode: u32) -> PathBuf {
    let copy = dir.join(format!("own-{mode:o}.key"));
    fs::write(&copy, fs::read(dir.join("client.key")).unwrap()).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).unwrap();
    copy
}

#[test]
fn servers_are_verified_as_far_as_the_address_says() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = format!(
        "-c listen_addresses=127.0.0.1 -c port={port} -c ssl=on -c ssl_ca_file=DIR/ca.pem \
         -c ssl_cert_file=DIR/server.pem -c ssl_key_file=DIR/server.key -c hba_file=DIR/rules"
    );
    let Some(server) = Server::start(port, &options, &make_certificates) else { return };
    let dir = &server.dir;
    let key = own_key(dir, 0o600);
    let client = format!("sslcert={}/client.pem sslkey={}", dir.display(), key.display());
    let connect = |host: &str, parameters: &str| {
        let address = format!(
            "host={host} hostaddr=127.0.0.1 port={port} user=ordain dbname=postgres {parameters}"
        );
        Postgres::connect(&address, 1).map(drop).map_err(|error| error.to_string())
    };
    let root = |name: &str| format!("sslrootcert={}/{name}.pem {client}", dir.display());
    let (known, unknown) = (root("ca"), root("another"));

    // Nothing is verified without an authority.
    connect("elsewhere", &format!("sslmode=require {client}")).unwrap();
    connect("elsewhere", &client).unwrap();
    connect("elsewhere", &format!("sslmode=verify-ca {known}")).unwrap();
    connect("elsewhere", &format!("sslmode=require {known}")).unwrap();
    connect("localhost", &format!("sslmode=verify-full {known}")).unwrap();
    connect("localhost", &known).unwrap();
    // The certificate of the server itself may take the place of the authority's.
    connect("localhost", &format!("sslmode=verify-full {}", root("server"))).unwrap();
    connect("elsewhere", &format!("sslmode=verify-ca {}", root("server"))).unwrap();

    for parameters in [&known, &root("server")] {
        let error = connect("elsewhere", &format!("sslmode=verify-full {parameters}")).unwrap_err();
        assert!(error.contains("not valid for name"), "{error}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = connect("localhost", &format!("sslmode={mode} {unknown}")).unwrap_err();
        assert!(error.contains("UnknownIssuer"), "{mode}: {error}");
    }
    // The server demands TLS, and a certificate.
    let error = connect("localhost", "sslmode=disable").unwrap_err();
    assert!(error.contains("no encryption"), "{error}");
    assert!(connect("localhost", "sslmode=require").is_err());
    // Others must not read the key.
    let readable = own_key(dir, 0o644);
    let parameters = format!("sslcert={}/client.pem sslkey={}", dir.display(), readable.display());
    let error = connect("localhost", &parameters).unwrap_err();
    assert!(error.contains("other users can read this key"), "{error}");
    let error = connect("localhost", "sslrootcert=/nowhere/ca.pem").unwrap_err();
    assert!(error.starts_with("/nowhere/ca.pem: "), "{error}");
}
