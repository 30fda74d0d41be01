//! Limits: programs end soon with an error that names the line, within the stack of a small thread.
#![allow(clippy::unwrap_used)]

use ordain_ruby::{Error, Foreign, Host, HostError, Limits, Template, Trim, Value};

struct Nothing;

impl Host for Nothing {
    fn variable(&mut self, _: &str) -> Option<Value> {
        None
    }

    fn call(
        &mut self,
        _: Option<&Foreign>,
        _: &str,
        _: &[Value],
    ) -> Result<Option<Value>, HostError> {
        Ok(None)
    }
}

/// The result of a template in a thread with a stack of the usual size.
fn outcome(text: &str) -> String {
    let text = text.to_owned();
    let work = move || {
        let template = match Template::parse(&text, Trim::Explicit) {
            Ok(template) => template,
            Err(e) if e.is_unsupported => return format!("{}: unsupported: {}", e.line, e.message),
            Err(e) => return format!("{}: {}", e.line, e.message),
        };
        let mut limits = Limits { steps: 2_000_000, memory: 64 << 20, stack: 1 << 20 };
        match template.render(&mut Nothing, &mut limits) {
            Ok(text) => format!("text of {} bytes", text.len()),
            Err(Error::Exception(e)) => format!("{}: {}", e.line, e.message),
            Err(Error::Limit { what, line }) => format!("{line}: limit: {what}"),
            Err(Error::Unsupported { what, line }) => format!("{line}: unsupported: {what}"),
            Err(Error::Host { line, .. }) => format!("{line}: host"),
        }
    };
    let thread = std::thread::Builder::new().stack_size(4 << 20).spawn(work).unwrap();
    thread.join().unwrap()
}

fn check(cases: &[(&str, &str)]) {
    for (template, expected) in cases {
        let shown: String = template.chars().take(100).collect();
        assert_eq!(outcome(template), *expected, "{shown}");
    }
}

#[test]
fn growth_ends_at_a_budget() {
    check(&[
        ("\n<% loop { } %>", "2: limit: too many steps"),
        ("\n<% while true do end %>", "2: limit: too many steps"),
        ("<% begin; raise 'x'; rescue; retry; end %>", "1: limit: too many steps"),
        ("<% (1..).each { |x| x } %>", "1: limit: too many steps"),
        ("<%= (1..10**12).to_a.size %>", "1: limit: too many steps"),
        ("<%= (1..10**12).sum %>", "1: limit: too many steps"),
        ("\n\n<% s = 'x'\nloop { s << s } %>", "4: limit: too much memory"),
        ("<% s = 'x'; loop { s += s } %>", "1: limit: too much memory"),
        ("<%= 'x' * 10**12 %>", "1: limit: too much memory"),
        ("<%= 'x'.ljust(10**12) %>", "1: limit: too much memory"),
        ("<%= [0] * 10**12 %>", "1: limit: too many steps"),
        ("<%= Array.new(10**12) %>", "1: limit: too many steps"),
        ("<% a = []; a[10**12] = 1 %>", "1: limit: too many steps"),
        ("<%= 2 ** 10**9 %>", "1: limit: an integer is too big"),
        ("<%= 1 << 10**9 %>", "1: limit: an integer is too big"),
        ("<% x = 3; loop { x *= x } %>", "1: limit: too many steps"),
        ("<%= (1..12).to_a.permutation.to_a.size %>", "1: limit: too much memory"),
        ("<%= (1..60).to_a.combination(30).to_a.size %>", "1: limit: too much memory"),
        ("<%= a = (1..100).to_a; a.product(a, a, a, a).size %>", "1: limit: too many steps"),
        ("<% a = [1]; 60.times { a = [a, a] } %><%= a %>", "1: limit: too many steps"),
        ("<% a = [1]; 60.times { a = [a, a] } %><%= a.flatten.size %>", "1: limit: too many steps"),
        ("<% a = [1]; 60.times { a = [a, a] } %><%= a.to_json %>", "1: limit: too many steps"),
        ("<% a = [1]; 60.times { a = [a, a] } %><%= a.to_yaml.size > 9 %>", "text of 4 bytes"),
    ]);
}

#[test]
fn recursion_ends_as_in_ruby() {
    let deep = "1: stack level too deep";
    check(&[
        ("<% def f(x) f(x) end; f(1) %>", deep),
        ("<% f = lambda { f.call }; f.call %>", deep),
        ("<% def f(x) [1].map { |y| f(y) } end; f(1) %>", deep),
        ("<% a = []; a << a %><%= a.inspect %>", deep),
        ("<% a = []; a << a %><%= a.flatten %>", deep),
        ("<% a = []; a << a; h = {a => 1}; b = [a] %><%= b == [b] %>", "text of 4 bytes"),
        ("<% h = Hash.new { |h, k| h[k] } %><%= h[1] %>", deep),
        ("<% def f(x) f(x) end; begin; f(1); rescue => e; end %>", deep),
        ("<% a = []; 100000.times { a = [a] } %>done", "text of 4 bytes"),
        ("<% f = nil; 50000.times { g = f; f = lambda { g } } %>done", "text of 4 bytes"),
    ]);
}

#[test]
fn code_that_is_nested_too_deep_is_refused() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a: ", "}"),
        ("-> { ", "}"),
        ("[1].map { ", "}"),
        ("if 1 then ", " end"),
        ("\"#{", "}\""),
        ("!", ""),
        ("- ", ""),
        ("f(", ")"),
        ("def f() ", " end"),
    ] {
        let n = 20_000;
        let template = format!("<% x = {}1{} %>", open.repeat(n), close.repeat(n));
        assert_eq!(outcome(&template), "1: unsupported: code nested this deep", "{open}");
    }
    for (first, more) in [
        ("1", " + 1"),
        ("x = [1]", "[0]"),
        ("'a'", ".to_s"),
        ("1", " && 1"),
        ("x", " = x"),
        ("1", " if 1"),
        ("1", " ? 1 : 1"),
    ] {
        let template = format!("<% {first}{} %>", more.repeat(20_000));
        let refused = outcome(&template);
        assert!(refused.starts_with("1: unsupported: "), "{more}: {refused}");
    }
}

#[test]
fn commands_and_files_are_refused() {
    for code in [
        "system('true')",
        "`true`",
        "%x(true)",
        "exec('true')",
        "exit",
        "exit!",
        "abort",
        "fork",
        "File.read('/etc/passwd')",
        "File.exist?('/')",
        "Dir.glob('*')",
        "IO.read('x')",
        "ENV['HOME']",
        "open('/etc/passwd')",
        "eval('1')",
        "binding",
        "instance_eval('1')",
        "require 'socket'",
        "load 'x'",
        "Process.pid",
        "sleep 1",
        "puts 'x'",
        "print 'x'",
        "$stdout.puts 'x'",
        "gets",
        "rand",
        "srand",
        "Time.now",
        "ObjectSpace.count_objects",
        "Kernel.system('true')",
        "at_exit { }",
        "Thread.new { }",
        "trap('INT') { }",
        "class X; end",
        "module X; end",
        "X = 1",
        "BEGIN { }",
        "alias a b",
        "undef a",
        "@@x",
        "__FILE__",
        "super",
        "warn 'x'",
        "'abc'.unpack('C*')",
        "[1, 2].cycle",
        "2r",
        "case 1; in Integer then 1; end",
        "'x'.hash",
    ] {
        let outcome = outcome(&format!("\n<% {code} %>"));
        assert!(outcome.starts_with("2: unsupported: "), "{code}: {outcome}");
    }
}

#[test]
fn broken_templates_name_the_line() {
    for (template, line) in [
        ("\n<% if x %>", "2"),
        ("\n<% end %>", "2"),
        ("\n\n<%= 1 + %>", "3"),
        ("<% [1, 2 %>", "1"),
        ("\n<%= 'x %>", "2"),
        ("<% @list.each do |x %>", "1"),
        ("a\n<% } %>\n", "2"),
        ("<% x = %>", "1"),
        ("<% def %>", "1"),
        ("<% /x %>", "1"),
        ("<% <<EOS\nx %>", "2"),
        ("<%= \u{1}5 %>", "1"),
        ("<%= ) %>", "1"),
        ("<% 1 2 %>", "1"),
        ("<% case 1 %><% end %>", "1"),
    ] {
        let outcome = outcome(template);
        assert!(outcome.starts_with(&format!("{line}: ")), "{template}: {outcome}");
        assert!(!outcome.contains("unsupported"), "{template}: {outcome}");
    }
    // The content of a tag that is never closed is text.
    assert_eq!(outcome("text <% 'never closed'"), "text of 20 bytes");
    assert_eq!(outcome(""), "text of 0 bytes");
}
