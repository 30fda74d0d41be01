//! Authorities below a root of another program, and copies of directories.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::*;
use ordain_ca::{
    CaError, CertificateAuthority, GenerateOptions, ImportFiles, Settings, SignOptions,
};
use tempfile::TempDir;

/// A root and an intermediate CA that `openssl` created, in one directory.
struct Company {
    temp: TempDir,
}

const CONFIG: &str = "\
[req]
distinguished_name=dn
[dn]
[v3_ca]
basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
[no_ca]
basicConstraints=critical,CA:FALSE
subjectKeyIdentifier=hash
[ca]
default_ca=root
[root]
database=index.txt
crlnumber=crlnumber
default_md=sha256
default_days=3650
default_crl_days=365
serial=rootserial
new_certs_dir=.
policy=any
unique_subject=no
copy_extensions=none
crl_extensions=crl
[any]
commonName=supplied
organizationName=optional
[crl]
authorityKeyIdentifier=keyid
";

impl Company {
    fn new(key: &str) -> Self {
        let company = Self { temp: tempfile::tempdir().unwrap() };
        fs::write(company.path("openssl.cnf"), CONFIG).unwrap();
        fs::write(company.path("index.txt"), "").unwrap();
        fs::write(company.path("crlnumber"), "1000").unwrap();
        fs::write(company.path("rootserial"), "2A").unwrap();
        company.key("root.key", key);
        let root = "req -new -x509 -config openssl.cnf -extensions v3_ca -days 3650 -key root.key -out root.pem -subj";
        company.run(root, &["/O=Example Corp/CN=Example Root"]);
        company.key("int.key", key);
        company
            .run("req -new -config openssl.cnf -key int.key -out int.csr -subj", &["/CN=Fleet CA"]);
        company.sign("v3_ca", "int.pem");
        company.list();
        company
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn run(&self, args: &str, more: &[&str]) {
        let output = std::process::Command::new("openssl")
            .current_dir(self.temp.path())
            .args(args.split(' '))
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn key(&self, name: &str, kind: &str) {
        match kind {
            "rsa" => self.run("genrsa -traditional -out", &[name, "2048"]),
            curve => self.run("ecparam -genkey -out", &[name, "-name", curve]),
        }
    }

    fn sign(&self, extensions: &str, to: &str) {
        let args = "ca -batch -config openssl.cnf -cert root.pem -keyfile root.key -in int.csr -notext -extensions";
        self.run(args, &[extensions, "-out", to]);
    }

    fn list(&self) {
        let args = "ca -gencrl -config openssl.cnf -cert root.pem -keyfile root.key -out root.crl";
        self.run(args, &[]);
    }

    fn bundle(&self) -> Vec<u8> {
        [self.read("root.pem"), self.read("int.pem")].concat()
    }

    fn import(
        &self,
        bundle: &[u8],
        key: &str,
        crls: &[u8],
    ) -> Result<CertificateAuthority, CaError> {
        let key = self.read(key);
        let files = ImportFiles { bundle, key: &key, crls };
        let dir = self.path("ca");
        let _ = fs::remove_dir_all(&dir);
        CertificateAuthority::import(&dir, files, Settings::default())
    }
}

#[test]
fn intermediates_sign_under_a_root() {
    if !has_openssl() {
        return;
    }
    for key in ["rsa", "prime256v1", "secp384r1"] {
        let company = Company::new(key);
        let ca = company.import(&company.bundle(), "int.key", &company.read("root.crl")).unwrap();
        assert_eq!(mode(&company.path("ca/ca_key.pem")), 0o600);
        let names: Vec<_> = ca.chain().iter().map(|c| c.common_name().unwrap()).collect();
        assert_eq!(names, ["Fleet CA", "Example Root"]);
        ca.submit("web", csr("web", "").as_bytes()).unwrap();
        let web = ca.sign("web", &SignOptions::default()).unwrap();
        verify(&ca, &web.pem()).unwrap();
        assert_eq!(ca.expirations().unwrap().lists.len(), 2);
        ca.revoke(&["web".into()]).unwrap();
        assert!(verify(&ca, &web.pem()).unwrap_err().contains("certificate revoked"));
        // The list of the root is still there.
        assert_eq!(ca.crl().unwrap().pem.matches("BEGIN X509 CRL").count(), 2);
    }
}

#[test]
fn imports_that_do_not_match_are_refused() {
    if !has_openssl() {
        return;
    }
    let company = Company::new("prime256v1");
    let other = Company::new("prime256v1");
    let (bundle, crl) = (company.bundle(), company.read("root.crl"));
    let refused = |bundle: &[u8], key: &str, crls: &[u8], reason: &str| {
        let error = company.import(bundle, key, crls).unwrap_err();
        assert!(error.to_string().contains(reason), "{reason}: {error}");
        assert!(!company.path("ca").exists(), "{reason}");
    };
    refused(&company.read("int.pem"), "int.key", &crl, "the bundle lacks the certificate");
    refused(&company.read("root.pem"), "int.key", &crl, "no certificate of the bundle belongs");
    refused(b"", "int.key", &crl, "no certificate");
    refused(&bundle, "int.csr", &crl, "private key");
    refused(&bundle, "int.key", b"", "no revocation list of 'Example Root'");
    refused(&bundle, "int.key", &other.read("root.crl"), "wrong signature");
    let foreign_root = [other.read("root.pem"), company.read("int.pem")].concat();
    refused(&foreign_root, "int.key", &crl, "wrong signature");
    company.sign("no_ca", "leaf.pem");
    let leaf = [company.read("root.pem"), company.read("leaf.pem")].concat();
    refused(&leaf, "int.key", &crl, "is not a certificate authority");
    company.run("ca -config openssl.cnf -cert root.pem -keyfile root.key -revoke int.pem", &[]);
    company.list();
    refused(&bundle, "int.key", &company.read("root.crl"), "'Fleet CA' is revoked");
}

#[test]
fn imports_do_not_replace_an_authority() {
    if !has_openssl() {
        return;
    }
    let company = Company::new("prime256v1");
    let (bundle, key, crls) = (company.bundle(), company.read("int.key"), company.read("root.crl"));
    let files = ImportFiles { bundle: &bundle, key: &key, crls: &crls };
    let fixture = Fixture::new(Settings::default());
    let error = CertificateAuthority::import(&fixture.dir(), files, Settings::default());
    assert!(matches!(error, Err(CaError::Exists(_))));
}

#[test]
fn lists_of_the_root_are_updated() {
    if !has_openssl() {
        return;
    }
    let company = Company::new("prime256v1");
    let ca = company.import(&company.bundle(), "int.key", &company.read("root.crl")).unwrap();
    let old = company.read("root.crl");
    company.list();
    let new = company.read("root.crl");
    ca.import_crls(&new).unwrap();
    let pem = ca.crl().unwrap().pem;
    let line =
        |text: &[u8]| String::from_utf8_lossy(text).lines().rev().nth(1).unwrap().to_string();
    assert!(pem.contains(&line(&new)));
    // An older list does not replace a newer one.
    ca.import_crls(&old).unwrap();
    assert_eq!(ca.crl().unwrap().pem, pem);
    // A list with the root's name, signed by another key.
    let other = Company::new("prime256v1");
    fs::write(other.path("crlnumber"), "FFFF").unwrap();
    other.list();
    ca.import_crls(&other.read("root.crl")).unwrap();
    assert_eq!(ca.crl().unwrap().pem, pem);
    // The root revokes the intermediate, so the chain would become invalid.
    company.run("ca -config openssl.cnf -cert root.pem -keyfile root.key -revoke int.pem", &[]);
    company.list();
    let error = ca.import_crls(&company.read("root.crl")).unwrap_err();
    assert!(error.to_string().contains("is revoked"), "{error}");
    assert_eq!(ca.crl().unwrap().pem, pem);
}

#[test]
fn authorities_are_renewed() {
    if !has_openssl() {
        return;
    }
    // `openssl` checks against the current time.
    let clock = TestClock::new(jiff::Timestamp::now().as_second() - 100 * 86_400);
    let fixture = Fixture::new(clock.settings());
    let (web, gone) = (fixture.enrol("web"), fixture.enrol("gone"));
    fixture.ca.revoke(&["gone".into()]).unwrap();
    clock.forward(100);
    let renewed = fixture.ca.renew_authority(None).unwrap();
    let (old, new) = (fixture.ca.certificate(), renewed.certificate());
    assert_eq!(new.not_after().as_second(), old.not_after().as_second() + 100 * 86_400);
    // Certificates from puppetserver contain the serial number.
    assert_eq!(new.serial(), old.serial());
    for ca in [&fixture.ca, &renewed] {
        assert!(ca.identify(web.der()).is_ok());
        assert!(matches!(ca.identify(gone.der()), Err(CaError::Revoked(_))));
    }
    verify(&renewed, &web.pem()).unwrap();
    let later = renewed.generate("later", &GenerateOptions::default()).unwrap();
    // Agents with the old certificate of the authority accept new certificates of nodes.
    assert!(fixture.ca.identify(later.certificate.der()).is_ok());
}

#[test]
fn certificates_of_an_intermediate_are_replaced() {
    if !has_openssl() {
        return;
    }
    let company = Company::new("prime256v1");
    let ca = company.import(&company.bundle(), "int.key", &company.read("root.crl")).unwrap();
    let web = ca.generate("web", &GenerateOptions::default()).unwrap().certificate;
    let error = ca.renew_authority(None).unwrap_err();
    assert!(error.to_string().contains("Example Root"), "{error}");
    company.sign("v3_ca", "renewed.pem");
    let renewed = [company.read("root.pem"), company.read("renewed.pem")].concat();
    let replaced = ca.replace_chain(&renewed, None).unwrap();
    assert_ne!(replaced.certificate().serial(), ca.certificate().serial());
    verify(&replaced, &web.pem()).unwrap();
    let other = Company::new("prime256v1");
    for bundle in [other.bundle(), company.read("renewed.pem"), company.read("root.pem")] {
        assert!(ca.replace_chain(&bundle, None).is_err());
    }
    assert!(ca.replace_chain(&renewed, Some(&other.read("root.crl"))).is_err());
    // Move the intermediate below another root.
    fs::copy(company.path("int.csr"), other.path("int.csr")).unwrap();
    other.sign("v3_ca", "moved.pem");
    let moved = [other.read("moved.pem"), other.read("root.pem")].concat();
    assert!(ca.replace_chain(&moved, None).is_err());
    let moved = ca.replace_chain(&moved, Some(&other.read("root.crl"))).unwrap();
    verify(&moved, &web.pem()).unwrap();
}

/// puppetserver writes the serial number of the issuer into certificates, and `openssl` compares
/// it.
#[test]
fn certificates_that_name_a_serial_number_stay_valid() {
    if !has_openssl() {
        return;
    }
    let company = Company::new("prime256v1");
    let ca = company.import(&company.bundle(), "int.key", &company.read("root.crl")).unwrap();
    company.key("web.key", "prime256v1");
    company.run("req -new -config openssl.cnf -key web.key -out web.csr -subj", &["/CN=web"]);
    fs::write(company.path("ext.cnf"), "authorityKeyIdentifier=keyid,issuer:always\n").unwrap();
    let sign = "x509 -req -in web.csr -CA int.pem -CAkey int.key -set_serial 77 -days 30 -extfile ext.cnf -out";
    company.run(sign, &[company.path("ca/signed/web.pem").to_str().unwrap()]);
    company.sign("v3_ca", "renewed.pem");
    let renewed = [company.read("root.pem"), company.read("renewed.pem")].concat();
    let error = ca.replace_chain(&renewed, None).unwrap_err();
    assert!(error.to_string().contains("web names the serial number of its issuer"), "{error}");
    ca.replace_chain(&company.bundle(), None).unwrap();
}

#[test]
fn copies_go_on_with_other_serial_numbers() {
    if !has_openssl() {
        return;
    }
    let fixture = Fixture::new(Settings::default());
    let (web, db) = (fixture.enrol("web"), fixture.enrol("db"));
    fixture.ca.submit("waits", csr("waits", "").as_bytes()).unwrap();
    fixture.ca.revoke(&["db".into()]).unwrap();
    let (backup, restored) = (fixture.temp.path().join("backup"), fixture.temp.path().join("new"));
    fixture.ca.export(&backup).unwrap();
    assert_eq!(mode(&backup.join("ca_key.pem")), 0o600);
    let later = fixture.enrol("later");
    let ca = CertificateAuthority::restore(&restored, &backup, Settings::default()).unwrap();
    assert_eq!(ca.identify(web.der()).unwrap().certname.as_str(), "web");
    assert!(ca.is_revoked(&db).unwrap());
    let waits = ca.sign("waits", &SignOptions::default()).unwrap();
    assert!(waits.serial().as_u64() > later.serial().as_u64().map(|n| n + 50_000));
    for (dir, from) in [(&restored, &backup), (&fixture.dir(), &backup)] {
        let error = CertificateAuthority::restore(dir, from, Settings::default());
        assert!(matches!(error, Err(CaError::NotEmpty(_))));
    }
    let none =
        CertificateAuthority::restore(&backup.join("x"), Path::new("/none"), Settings::default());
    assert!(matches!(none, Err(CaError::Incomplete { .. })));
}

/// Whether `puppetserver ca` is installed.
fn has_puppetserver() -> bool {
    let runs = std::process::Command::new("puppetserver").arg("--version").output();
    ordain_testkit::peer(runs.is_ok_and(|o| o.status.success()), "puppetserver")
}

/// Runs `puppetserver ca` on a directory.
fn puppetserver_ca(root: &Path, args: &[&str]) -> String {
    let root = root.to_str().unwrap();
    // No server listens on this port; the program checks that.
    let config = format!(
        "[main]\nconfdir={root}\nvardir={root}/var\nssldir={root}/ssl\ncadir={root}/ca\n\
         certname=puppet.example.org\nserver=localhost\nca_server=localhost\nca_port=9\n\
         localcacert={root}/ca/ca_crt.pem\nhostcrl={root}/ca/ca_crl.pem\nkeylength=2048\n"
    );
    let path = format!("{root}/puppet.conf");
    fs::write(&path, config).unwrap();
    let output = std::process::Command::new("puppetserver")
        .arg("ca")
        .args(args)
        .args(["--config", &path])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {text}{error}");
    text
}

#[test]
fn directories_of_puppetserver_are_taken_over() {
    if !has_openssl() || !has_puppetserver() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    puppetserver_ca(temp.path(), &["setup"]);
    let dir = temp.path().join("ca");
    let before = fs::read(dir.join("ca_crt.pem")).unwrap();
    let ca = CertificateAuthority::open(&dir, Settings::default()).unwrap();
    assert_eq!(ca.bundle_pem().as_bytes(), before);
    assert_eq!(fs::read(dir.join("ca_crl.pem")).unwrap(), ca.crl().unwrap().pem.as_bytes());
    // The certificate of its server is still known, and is an administrator's.
    let server = ca.certificate_pem("puppet.example.org").unwrap().unwrap();
    let server = ordain_ca::Certificate::from_pem(&server).unwrap();
    assert!(ca.identify(server.der()).unwrap().is_admin);
    ca.submit("web", csr("web", "").as_bytes()).unwrap();
    let web = ca.sign("web", &SignOptions::default()).unwrap();
    assert_eq!(web.serial().as_u64(), Some(2));
    verify(&ca, &web.pem()).unwrap();
    verify(
        &ca,
        &String::from_utf8(fs::read(dir.join("signed/puppet.example.org.pem")).unwrap()).unwrap(),
    )
    .unwrap();
    ca.revoke(&["web".into()]).unwrap();
    assert!(verify(&ca, &web.pem()).unwrap_err().contains("certificate revoked"));
    // puppetserver can use the directory again.
    puppetserver_ca(temp.path(), &["generate", "--ca-client", "--certname", "admin.example.org"]);
    puppetserver_ca(temp.path(), &["prune"]);
    let ca = CertificateAuthority::open(&dir, Settings::default()).unwrap();
    let admin = ca.certificate_pem("admin.example.org").unwrap().unwrap();
    let admin = ordain_ca::Certificate::from_pem(&admin).unwrap();
    assert_eq!(admin.serial().as_u64(), Some(3));
    assert!(ca.identify(admin.der()).unwrap().is_admin);
    verify(&ca, &admin.pem()).unwrap();
    assert!(ca.is_revoked(&web).unwrap());
    // Ordain revokes certificates that puppetserver signed, in both lists for infrastructure nodes.
    fs::write(dir.join("infra_inventory.txt"), "puppet.example.org\n").unwrap();
    ca.revoke(&["puppet.example.org".into(), "admin.example.org".into()]).unwrap();
    assert!(ca.is_revoked(&server).unwrap() && ca.is_revoked(&admin).unwrap());
    let entries = |file: &str| {
        let path = dir.join(file);
        let text = openssl_ok(&["crl", "-noout", "-text", "-in", path.to_str().unwrap()]);
        text.matches("Serial Number").count()
    };
    assert_eq!((entries("ca_crl.pem"), entries("infra_crl.pem")), (3, 1));
}

#[test]
fn puppetserver_reads_directories_of_ordain() {
    if !has_openssl() || !has_puppetserver() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("ca");
    let ca = CertificateAuthority::create(
        &dir,
        &ordain_ca::CreateOptions::default(),
        Settings::default(),
    )
    .unwrap();
    ca.generate("web", &GenerateOptions::default()).unwrap();
    ca.revoke(&["web".into()]).unwrap();
    puppetserver_ca(temp.path(), &["generate", "--ca-client", "--certname", "admin.example.org"]);
    puppetserver_ca(temp.path(), &["prune"]);
    let ca = CertificateAuthority::open(&dir, Settings::default()).unwrap();
    let admin = ca.certificate_pem("admin.example.org").unwrap().unwrap();
    let admin = ordain_ca::Certificate::from_pem(&admin).unwrap();
    assert_eq!(admin.serial().as_u64(), Some(3));
    verify(&ca, &admin.pem()).unwrap();
}

/// `puppetserver ca import` and Ordain accept the same files.
#[test]
fn imports_agree_with_puppetserver() {
    if !has_openssl() || !has_puppetserver() {
        return;
    }
    let company = Company::new("rsa");
    fs::write(company.path("bundle.pem"), company.bundle()).unwrap();
    let ca = company.import(&company.bundle(), "int.key", &company.read("root.crl")).unwrap();
    let crls = company.path("crls.pem");
    fs::write(&crls, ca.crl().unwrap().pem.as_bytes()).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let path = |name: &str| company.path(name).to_str().unwrap().to_string();
    puppetserver_ca(
        temp.path(),
        &[
            "import",
            "--cert-bundle",
            &path("bundle.pem"),
            "--private-key",
            &path("int.key"),
            "--crl-chain",
            &path("crls.pem"),
        ],
    );
    let theirs = CertificateAuthority::open(&temp.path().join("ca"), Settings::default()).unwrap();
    assert_eq!(theirs.certificate().der(), ca.certificate().der());
}
