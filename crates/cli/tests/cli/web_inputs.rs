//! `ordain merge` with inputs on web servers.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;

/// Serves a few documents in a background thread.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(&stream));
        }
    });
    address
}

fn answer(mut stream: &TcpStream) {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
    let password = head.iter().find(|line| line.to_lowercase().starts_with("authorization:"));
    let user = password.and_then(|line| line.split(' ').next_back()).unwrap_or("none");
    let (status, headers, body) = match path {
        "/t.yml" => ("200 OK", "", "a: (( merge ))\nb: (( a + 1 ))\n".to_owned()),
        "/s.yml" => ("200 OK", "", "a: 1\n".to_owned()),
        "/bad.yml" => ("200 OK", "", "a: [1\n".to_owned()),
        "/text" => ("200 OK", "", "hello".to_owned()),
        "/user.yml" => ("200 OK", "", format!("user: {user}\n")),
        "/moved" => ("302 Found", "Location: /s.yml\r\n", String::new()),
        "/around" => ("302 Found", "Location: /around\r\n", String::new()),
        "/endless" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            while stream.write_all(&[b'#'; 1 << 16]).is_ok() {}
            return;
        }
        _ => ("404 Not Found", "", "nothing is here\n".to_owned()),
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

/// Runs `ordain`. Returns standard output and standard error.
fn ordain(arguments: &[&str], directory: &std::path::Path) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    let out = command.args(arguments).current_dir(directory).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr))
}

#[test]
fn templates_and_stubs_are_fetched_if_that_is_allowed() {
    let (server, dir) = (serve(), tempfile::tempdir().unwrap());
    let url = |path: &str| format!("http://{server}{path}");
    let (template, stub, moved) = (url("/t.yml"), url("/s.yml"), url("/moved"));
    for stub in [&stub, &moved] {
        let (printed, said) = ordain(&["merge", "--allow-http", &template, stub], dir.path());
        assert_eq!((printed.as_str(), said.as_str()), ("a: 1\nb: 2\n", ""));
    }
    let (printed, said) = ordain(&["merge", &template, &stub], dir.path());
    assert_eq!(printed, "");
    assert!(said.contains("fetched from the net with --allow-http only"), "{said}");
    let user = format!("http://me:p%40ss@{server}/user.yml");
    let (printed, _) = ordain(&["merge", "--allow-http", &user], dir.path());
    assert_eq!(printed, "user: bWU6cEBzcw==\n");
}

#[test]
fn fetch_errors_do_not_contain_the_password() {
    let (server, dir) = (serve(), tempfile::tempdir().unwrap());
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = |path: &str| format!("http://me:hunter2@{server}{path}");
    let cases = [
        (url("/nope.yml"), "[status 404]: nothing is here"),
        (url("/around"), "redirect"),
        (url("/endless"), "more than 16 MiB"),
        (url("/bad.yml"), "bad.yml"),
        (format!("http://me:hunter2@{free}/a.yml"), "refused"),
        ("http://".to_owned(), "this is not the address of a server"),
    ];
    for (address, wanted) in &cases {
        for report in ["ordain", "spiff++"] {
            let arguments = ["merge", "--allow-http", "--report", report, address];
            let (printed, said) = ordain(&arguments, dir.path());
            assert_eq!(printed, "");
            assert!(said.contains(wanted) && !said.contains("hunter2"), "{address}: {said}");
        }
    }
}

#[test]
fn expressions_read_from_servers() {
    let (server, dir) = (serve(), tempfile::tempdir().unwrap());
    let file = |text: String| std::fs::write(dir.path().join("t.yml"), text).unwrap();
    file(format!(
        "text: (( read(\"http://{server}/text\") ))\nmap: (( read(\"http://{server}/s.yml\") ))\n\
         other: (( read(\"http://{server}/nope\") || \"none\" ))\n"
    ));
    let (printed, said) = ordain(&["merge", "--allow-http", "t.yml"], dir.path());
    assert_eq!((printed.as_str(), said.as_str()), ("map:\n  a: 1\nother: none\ntext: hello\n", ""));
    let (_, said) = ordain(&["merge", "t.yml", "--report", "spiff++"], dir.path());
    assert!(said.contains("with --allow-http only"), "{said}");
    let (_, said) = ordain(&["merge", "--allow-http", "--no-exec", "t.yml"], dir.path());
    assert!(!said.is_empty(), "{said}");
    file(format!("a: (( read(\"http://me:hunter2@{server}/nope.yml\") ))\n"));
    for report in ["ordain", "spiff", "spiff++"] {
        let arguments = ["merge", "--allow-http", "--report", report, "t.yml"];
        let (_, said) = ordain(&arguments, dir.path());
        assert!(said.contains("[status 404]: nothing is here"), "{said}");
        assert!(said.contains("read(") && !said.contains("hunter2"), "{said}");
    }
}
