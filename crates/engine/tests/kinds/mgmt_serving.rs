//! Kinds of mgmt that serve something: by HTTP and by TFTP.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::s;
use crate::support::serving::{WatchedMachine, ask, get, header, parts};
use ordain_data::Value;
use ordain_engine::kind::Instance;

const SERVER: &str = "mgmt::http::server";
const FILE: &str = "mgmt::http::server::file";
const FLAG: &str = "mgmt::http::server::flag";

#[test]
fn files_are_served_by_http() {
    let kept = WatchedMachine::new();
    kept.machine.write("srv/a.html", "<p>hello");
    kept.machine.write("srv/sub/b", vec![0; 3]);
    kept.machine.write("etc/motd", "0123456789");
    kept.machine.write("tree/x/y", "deep");
    std::os::unix::fs::symlink("/etc/motd", kept.machine.root().join("srv/out")).unwrap();
    let root = [("address", s("127.0.0.1:0")), ("root", s("/srv/"))];
    let server = kept.made(SERVER, "web", &root);
    let address = kept.address(&*server);
    let _files = [
        kept.made(FILE, "/data", &[("data", s("text\n"))]),
        kept.made(FILE, "motd", &[("filename", s("/motd")), ("path", s("/etc/motd"))]),
        kept.made(FILE, "/t/", &[("path", s("/tree/"))]),
        kept.made(FILE, "/other", &[("data", s("x")), ("server", s("another"))]),
    ];
    let answer = get(address, "/data?x=1", "");
    assert_eq!(parts(&answer), ("200", "text\n"));
    assert_eq!(header(&answer, "Content-Type:"), "text/plain; charset=utf-8");
    let answer = get(address, "/a.html", "");
    assert_eq!(parts(&answer), ("200", "<p>hello"));
    assert_eq!(header(&answer, "Content-Type:"), "text/html; charset=utf-8");
    assert_eq!(parts(&get(address, "/sub/%62", "")), ("200", "\0\0\0"));
    assert_eq!(parts(&get(address, "/t/x/y", "")), ("200", "deep"));
    for path in ["/none", "/other", "/", "/sub", "/../etc/motd", "/t/../motd", "/out", "/t/x"] {
        assert_eq!(parts(&get(address, path, "")).0, "404", "{path}");
    }
    let answer = get(address, "/motd", "Range: bytes=2-4\r\n");
    assert_eq!(parts(&answer), ("206", "234"));
    assert_eq!(header(&answer, "Content-Range:"), "bytes 2-4/10");
    assert_eq!(parts(&get(address, "/motd", "Range: bytes=10-\r\n")).0, "416");
    let date = header(&answer, "Last-Modified:");
    let same = get(address, "/motd", &format!("If-Modified-Since: {date}\r\n"));
    assert_eq!(parts(&same), ("304", ""));
    let head = ask(address, "HEAD /motd HTTP/1.0\r\n\r\n");
    assert_eq!((parts(&head), header(&head, "Content-Length:")), (("200", ""), "10"));
    let put = ask(address, "PUT /motd HTTP/1.0\r\nContent-Length: 1\r\n\r\nx");
    assert_eq!((parts(&put).0, header(&put, "Allow:")), ("405", "GET, HEAD"));
    assert_eq!(parts(&ask(address, "nonsense\r\n\r\n")).0, "400");
    // Several requests of one connection.
    let two = "GET /data HTTP/1.1\r\n\r\nGET /data HTTP/1.1\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(address, two).matches("text\n").count(), 2);
}

#[test]
fn a_server_lives_as_long_as_it_is_declared() {
    let kept = WatchedMachine::new();
    let port = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let text = format!("127.0.0.1:{port}");
    let address = text.parse().unwrap();
    let server = kept.made(SERVER, &text, &[]);
    let first = kept.made(FILE, "/f", &[("data", s("1"))]);
    assert_eq!(parts(&get(address, "/f", "")), ("200", "1"));
    // The next graph changes both, and takes them over.
    let changed = [("name", s(&text)), ("timeout", Value::Int(9))];
    let next = kept.parse(SERVER, &text, &changed);
    let second = kept.parse(FILE, "/f", &[("data", s("2"))]);
    assert_eq!(kept.machine.messages(&*second), ["content: content changed 'old' to 'new'"]);
    kept.machine.converge(&*second);
    drop((server, first));
    assert_eq!(parts(&get(address, "/f", "")), ("200", "2"));
    assert_eq!(kept.machine.converge(&*next).len(), 1);
    assert_eq!(parts(&get(address, "/f", "")), ("200", "2"));
    drop(second);
    assert_eq!(parts(&get(address, "/f", "")).0, "404");
    drop(next);
    assert!(TcpStream::connect(address).is_err());
    TcpListener::bind(address).unwrap();
}

#[test]
fn a_run_that_ends_serves_nothing() {
    let mut kept = WatchedMachine::new();
    kept.machine.host.stays = false;
    let server = kept.parse(SERVER, "127.0.0.1:0", &[]);
    assert_eq!(kept.machine.messages(&*server), [""; 0]);
    let said = server.take_log().remove(0).message;
    assert_eq!(said, "127.0.0.1:0 is served only during `ordain watch`");
    assert!(server.sent(&kept.machine.host).unwrap().is_empty());
    let file = kept.parse(FILE, "/f", &[]);
    assert_eq!(kept.machine.messages(&*file), [""; 0]);
    assert_eq!(file.take_log().len(), 1);
}

#[test]
fn invalid_routes_are_refused() {
    let kept = WatchedMachine::new();
    for (kind, title, attribute) in [
        (SERVER, "localhost:80", ("root", s("/"))),
        (SERVER, ":80", ("root", s("/srv"))),
        (FILE, "/f", ("path", s("etc"))),
        (FLAG, "f", ("key", s("k"))),
    ] {
        assert!(kept.try_parse(kind, title, &[attribute]).is_err(), "{kind} {title}");
    }
    let both = [("path", s("/a")), ("data", s("x"))];
    assert!(kept.try_parse(FILE, "/f", &both).is_err());
    let tree = [("path", s("/a/")), ("longpoll", Value::Bool(true))];
    assert!(kept.try_parse(FILE, "/f", &tree).is_err());
    let server = kept.parse(SERVER, "127.0.0.1:0", &[("root", s("/none/"))]);
    assert!(server.compare(&kept.machine.host).unwrap_err().0.ends_with("is not a directory"));
    let taken = kept.made(SERVER, "127.0.0.1:0", &[]);
    let again = kept.parse(SERVER, &kept.address(&*taken).to_string(), &[]);
    let changes = again.compare(&kept.machine.host).unwrap();
    let error = again.apply(&kept.machine.host, &changes).unwrap_err();
    assert!(error.0.starts_with("Could not listen at 127.0.0.1:"), "{error}");
}

#[test]
fn a_value_that_is_sent_is_handed_on() {
    let kept = WatchedMachine::new();
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let address = kept.address(&*server);
    let flag = kept.made(FLAG, "/flag", &[("key", s("k"))]);
    let value = || flag.sent(&kept.machine.host).unwrap().remove(0).1;
    assert_eq!(value(), s(""));
    let post = |body: &str| {
        let length = body.len();
        ask(address, &format!("POST /flag HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}"))
    };
    assert_eq!(parts(&post("other=1&k=a+b%21")).0, "200");
    assert_eq!(kept.machine.converge(&*flag), ["value: defined 'value' as 'a b!'"]);
    assert_eq!(value(), s("a b!"));
    post("other=1");
    assert_eq!(kept.machine.converge(&*flag), ["value: undefined 'value' from 'a b!'"]);
    assert_eq!(parts(&get(address, "/flag", "")).0, "404");
    let long = format!("POST /flag HTTP/1.0\r\nContent-Length: {}\r\n\r\n", 2 << 20);
    assert_eq!(parts(&ask(address, &long)).0, "413");
    let pieces = "POST /flag HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(parts(&ask(address, pieces)).0, "411");
}

#[test]
fn one_can_wait_until_a_file_changes() {
    let kept = WatchedMachine::new();
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let address = kept.address(&*server);
    let long = ("longpoll", Value::Bool(true));
    let first = kept.made(FILE, "/f", &[("data", s("1")), long.clone()]);
    let answer = get(address, "/f", "");
    assert_eq!(parts(&answer), ("200", "1"));
    let since = format!("If-Modified-Since: {}\r\n", header(&answer, "Last-Modified:"));
    let start = Instant::now();
    let waiting = std::thread::spawn(move || get(address, "/f", &since));
    std::thread::sleep(Duration::from_millis(200));
    assert!(!waiting.is_finished());
    let _second = kept.made(FILE, "/f", &[("data", s("2")), long]);
    drop(first);
    let answer = waiting.join().unwrap();
    assert_eq!(parts(&answer), ("200", "2"));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    let since = format!("If-Modified-Since: {}\r\n", header(&answer, "Last-Modified:"));
    let waiting = std::thread::spawn(move || get(address, "/f", &since));
    std::thread::sleep(Duration::from_millis(200));
    drop(server);
    let answer = waiting.join().unwrap();
    assert_eq!((parts(&answer).0, header(&answer, "Retry-After:")), ("503", "1"));
}

/// The granted options, and the file or an error.
type Fetched = (Option<Vec<u8>>, Result<Vec<u8>, Vec<u8>>);

/// Fetches a file by TFTP; the first copy of each block is ignored.
fn fetch(address: SocketAddr, request: &[u8]) -> Fetched {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.send_to(request, address).unwrap();
    let (mut granted, mut out, mut wanted, mut length) = (None, Vec::new(), 1_u16, 512);
    let mut is_late = true;
    loop {
        let mut buffer = vec![0; 70_000];
        let (count, from) = socket.recv_from(&mut buffer).unwrap();
        let packet = &buffer[..count];
        match packet[..2] {
            [0, 5] => return (granted, Err(packet[2..].to_vec())),
            [0, 6] => {
                if packet.windows(7).any(|bytes| bytes == b"blksize") {
                    length = 1000;
                }
                granted = Some(packet[2..].to_vec());
                socket.send_to(&[0, 4, 0, 0], from).unwrap();
            }
            _ => {
                let number = u16::from_be_bytes([packet[2], packet[3]]);
                if std::mem::take(&mut is_late) {
                    continue;
                }
                socket.send_to(&[0, 4, packet[2], packet[3]], from).unwrap();
                if number == wanted {
                    out.extend_from_slice(&packet[4..]);
                    wanted = wanted.wrapping_add(1);
                    if count - 4 < length {
                        return (granted, Ok(out));
                    }
                }
            }
        }
    }
}

#[test]
fn files_are_served_by_tftp() {
    let kept = WatchedMachine::new();
    let big: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
    kept.machine.write("boot/kernel", &big);
    let attributes =
        [("address", s("127.0.0.1:0")), ("root", s("/boot/")), ("timeout", Value::Int(1))];
    let server = kept.made("mgmt::tftp::server", "t", &attributes);
    let address = kept.address(&*server);
    let _file = kept.made("mgmt::tftp::file", "menu", &[("data", s("a\nb"))]);
    let (granted, file) = fetch(address, b"\0\x01menu\0octet\0");
    assert_eq!((granted, file), (None, Ok(b"a\nb".to_vec())));
    assert_eq!(fetch(address, b"\0\x01menu\0netascii\0").1, Ok(b"a\r\nb".to_vec()));
    let (granted, file) = fetch(address, b"\0\x01kernel\0octet\0blksize\x001000\0tsize\x000\0");
    assert_eq!(granted.unwrap(), b"blksize\x001000\0tsize\x00100000\0");
    assert!(file == Ok(big));
    for (request, code) in [
        (&b"\0\x01none\0octet\0"[..], 1),
        (b"\0\x01../etc/passwd\0octet\0", 1),
        (b"\0\x02menu\0octet\0", 2),
        (b"\0\x01menu\0mail\0", 4),
    ] {
        let error = fetch(address, request).1.unwrap_err();
        assert_eq!(u16::from_be_bytes([error[0], error[1]]), code);
    }
    drop(server);
    UdpSocket::bind(address).unwrap();
}

const CLIENT: &str = "mgmt::http::client";

#[test]
fn a_file_is_fetched() {
    let kept = WatchedMachine::new();
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let base = format!("http://{}", kept.address(&*server));
    let first = kept.made(FILE, "/f", &[("data", s("one"))]);
    kept.machine.write("var/lib/ordain/.keep", "");
    let url = format!("{base}/f");
    let client = kept.parse(CLIENT, "/got", &[("url", s(&url))]);
    assert_eq!(kept.machine.converge(&*client), [format!("ensure: fetched {url}")]);
    assert_eq!(kept.machine.read("got"), "one");
    let sent = client.sent(&kept.machine.host).unwrap();
    assert_eq!(sent, [("content", s("one"))]);
    let _second = kept.made(FILE, "/f", &[("data", s("two"))]);
    drop(first);
    assert_eq!(kept.machine.converge(&*client), [format!("content: fetched {url}")]);
    assert_eq!(kept.machine.read("got"), "two");
    // A document of the same age is not fetched, unless that is requested.
    let time = std::fs::metadata(kept.machine.root().join("got")).unwrap().modified().unwrap();
    kept.machine.write("got", "spoiled");
    let file = std::fs::File::options().write(true).open(kept.machine.root().join("got"));
    file.unwrap().set_modified(time).unwrap();
    assert_eq!(kept.machine.messages(&*client), [""; 0]);
    let always = [("url", s(&url)), ("mtime_check", Value::Bool(false))];
    kept.machine.converge(&*kept.parse(CLIENT, "/got", &always));
    assert_eq!(kept.machine.read("got"), "two");
    // The name is no path: it is only passed on.
    let other = kept.made(CLIENT, "other", &[("url", s(&url))]);
    assert_eq!(other.sent(&kept.machine.host).unwrap(), [("content", s("two"))]);
}

/// A server with a certificate that `ca.crt`, in its working directory, has signed.
const SECURE: &str = r#"
cat > names <<< "subjectAltName=DNS:localhost"
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
openssl req -newkey rsa:2048 -nodes -keyout key -out request -subj /CN=localhost
openssl x509 -req -in request -CA ca.crt -CAkey ca.key -CAcreateserial -out crt -days 2 -extfile names
mkdir www && echo hello > www/body
exec python3 -c '
import functools, http.server, ssl
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="www")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("crt", "key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
'
"#;

/// Ends a program with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn server_certificates_have_to_be_trusted() {
    let has_openssl = Command::new("openssl").arg("version").output().is_ok();
    if !ordain_testkit::peer(has_openssl, "openssl") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut server = Command::new("bash");
    server.args(["-ec", SECURE]).current_dir(&directory);
    server.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Running(server.spawn().unwrap());
    let mut port = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let port = port.trim();
    let kept = WatchedMachine::new();
    kept.machine.write("var/lib/ordain/.keep", "");
    let url = format!("https://localhost:{port}/body");
    let client = kept.parse(CLIENT, "/got", &[("url", s(&url))]);
    let host = &kept.machine.host;
    let error = |client: &dyn Instance| match client.compare(host) {
        Ok(changes) => client.apply(host, &changes).unwrap_err().0,
        Err(error) => error.0,
    };
    let trusts = |file: &str| {
        let text = std::fs::read(directory.path().join(file)).unwrap();
        kept.machine.write("etc/ssl/certs/ca-certificates.crt", text);
    };
    assert!(error(&*client).ends_with("invalid peer certificate: UnknownIssuer"));
    trusts("ca.crt");
    assert_eq!(kept.machine.converge(&*client), [format!("ensure: fetched {url}")]);
    assert_eq!(kept.machine.read("got"), "hello\n");
    // Another host name than the certificate's.
    let other = format!("https://127.0.0.1:{port}/body");
    let client = kept.parse(CLIENT, "/other", &[("url", s(&other))]);
    assert!(error(&*client).contains("certificate not valid for name"));
}

#[test]
fn fetched_content_has_its_checksum() {
    let kept = WatchedMachine::new();
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let url = format!("http://{}/f", kept.address(&*server));
    let _file = kept.made(FILE, "/f", &[("data", s("hello\n"))]);
    let wrong = [("url", s(&url)), ("sha256", s(&"0".repeat(64)))];
    let client = kept.parse(CLIENT, "/got", &wrong);
    let changes = client.compare(&kept.machine.host).unwrap();
    let error = client.apply(&kept.machine.host, &changes).unwrap_err();
    assert!(error.0.contains("sha256 mismatch: got 5891b5b5"), "{error}");
    assert!(!kept.machine.root().join("got").exists());
    let sum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
    let right = [("url", s(&url)), ("sha256", s(sum))];
    let client = kept.made(CLIENT, "/got", &right);
    // A right file causes no request.
    drop(server);
    assert_eq!(kept.machine.messages(&*client), [""; 0]);
    kept.machine.write("got", "spoiled");
    let changes = client.compare(&kept.machine.host).unwrap();
    assert!(client.apply(&kept.machine.host, &changes).is_err());
    assert_eq!(kept.machine.read("got"), "spoiled");
    for (name, value) in [("url", "ftp://h/"), ("sha256", "x"), ("method", "get")] {
        let bad = [("url", s("http://h/")), (name, s(value))];
        assert!(kept.try_parse(CLIENT, "/got", &bad[usize::from(name == "url")..]).is_err());
    }
}

#[test]
fn a_proxy_keeps_what_it_fetched() {
    let kept = WatchedMachine::new();
    let upstream = WatchedMachine::new();
    let from = upstream.made(SERVER, "127.0.0.1:0", &[]);
    let base = format!("http://{}/pub/", upstream.address(&*from));
    let one = upstream.made(FILE, "/pub/a b/one", &[("data", s("first"))]);
    let server = kept.made(SERVER, "127.0.0.1:0", &[]);
    let address = kept.address(&*server);
    let mirror = [("sub", s("/m/")), ("head", s(&base)), ("cache", s("/cache/"))];
    let _proxy = kept.made("mgmt::http::server::proxy", "/m/", &mirror);
    let answer = get(address, "/m/a%20b/one", "");
    assert_eq!((parts(&answer), header(&answer, "Content-Length:")), (("200", "first"), "5"));
    assert_eq!(kept.machine.read("cache/a b/one"), "first");
    assert_eq!(parts(&get(address, "/m/none", "")).0, "404");
    for path in ["/m/../x", "/m//x", "/m/"] {
        assert_eq!(parts(&get(address, path, "")).0, "404", "{path}");
    }
    assert!(!kept.machine.root().join("cache/none").exists());
    drop((from, one));
    assert_eq!(parts(&get(address, "/m/a%20b/one", "")), ("200", "first"));
    assert_eq!(parts(&get(address, "/m/two", "")).0, "500");
    let left: Vec<_> = std::fs::read_dir(kept.machine.root().join("cache")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let head = [("head", s("ftp://h/"))];
    assert!(kept.try_parse("mgmt::http::server::proxy", "/m/", &head).is_err());
}
