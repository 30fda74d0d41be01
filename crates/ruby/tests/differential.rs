//! Renders templates with this crate and with the installed Ruby. Text or exception have to be the
//! same.
//!
//! Templates are in `tests/templates/NAME.erb`. `VALUES` sets the variables of both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::process::Command;

use ordain_ruby::{Error, Foreign, Host, HostError, Limits, Template, Trim, Value};

/// The variables of all templates, as Ruby reads them.
const VALUES: &str = r#"
    @name = 'web01'
    @empty = ''
    @port = 8080
    @ratio = 0.75
    @on = true
    @off = false
    @list = ['b', 'a', 'c', 'a']
    @numbers = [3, 1, 2, 10]
    @nested = [[1, [2, 3]], [], ['x']]
    @hash = {'b' => 1, 'a' => [1, 'two'], 'c' => {'d' => nil}}
    @users = [{'name' => 'ann', 'uid' => 3}, {'name' => 'bob', 'uid' => 1}]
    @text = "one two\nthree\n"
"#;

struct Values;

fn s(text: &str) -> Value {
    Value::str(text)
}

fn list(items: &[Value]) -> Value {
    Value::array(items.to_vec())
}

fn user(name: &str, uid: i64) -> Value {
    Value::hash([(s("name"), s(name)), (s("uid"), Value::Int(uid))])
}

impl Host for Values {
    fn variable(&mut self, name: &str) -> Option<Value> {
        let one = Value::Int(1);
        Some(match name {
            "name" => s("web01"),
            "empty" => s(""),
            "port" => Value::Int(8080),
            "ratio" => Value::Float(0.75),
            "on" => Value::Bool(true),
            "off" => Value::Bool(false),
            "list" => list(&[s("b"), s("a"), s("c"), s("a")]),
            "numbers" => list(&[3, 1, 2, 10].map(Value::Int)),
            "nested" => {
                let inner = list(&[Value::Int(2), Value::Int(3)]);
                list(&[list(&[one, inner]), list(&[]), list(&[s("x")])])
            }
            "hash" => {
                let inner = Value::hash([(s("d"), Value::Nil)]);
                let pair = list(&[one.clone(), s("two")]);
                Value::hash([(s("b"), one), (s("a"), pair), (s("c"), inner)])
            }
            "users" => list(&[user("ann", 3), user("bob", 1)]),
            "text" => s("one two\nthree\n"),
            _ => return None,
        })
    }

    fn self_name(&self) -> ecow::EcoString {
        "main:Holder".into()
    }

    fn call(
        &mut self,
        _: Option<&Foreign>,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Value>, HostError> {
        Ok(match (name, args) {
            ("twice", [Value::Str(text)]) => Some(Value::str(text.get().repeat(2))),
            ("fails", []) => {
                let (class, message) = ("ArgumentError".into(), "the host fails".into());
                return Err(HostError::Raise { class, message, number: None });
            }
            _ => None,
        })
    }
}

/// The text of a template, or the class, message and line of an exception.
fn ours(text: &str, trim: Trim) -> String {
    let template = match Template::parse(text, trim) {
        Ok(template) => template,
        Err(error) if error.is_unsupported => return format!("unsupported: {}", error.message),
        Err(error) => return format!("no template: {} (line {})", error.message, error.line),
    };
    match template.render(&mut Values, &mut Limits::default()) {
        Ok(text) => format!("text:\n{text}"),
        Err(Error::Exception(e)) => {
            let class = e.class_name.as_deref().unwrap_or(e.class.name());
            format!("exception:\n{class}\n{}\n{}", e.message, e.line)
        }
        Err(other) => format!("{other:?}"),
    }
}

fn mode(trim: Trim) -> &'static str {
    match trim {
        Trim::None => "nil",
        Trim::Explicit => "'-'",
        Trim::After => "'>'",
        Trim::Lines => "'<>'",
    }
}

/// Renders all files in one Ruby process. A separator line ends each answer.
fn theirs(paths: &[PathBuf], trim: Trim) -> Vec<String> {
    let script = format!(
        r##"
        %w[erb json yaml shellwords digest base64 cgi].each {{ |name| require name }}
        STDOUT.binmode
        ARGV.each do |path|
          object = Class.new do
            define_method(:twice) {{ |text| text * 2 }}
            define_method(:fails) {{ raise ArgumentError, 'the host fails' }}
            define_method(:inspect) {{ 'main' }}
            define_method(:bind) {{ {VALUES}; binding }}
          end
          Object.const_set(:Holder, object) rescue nil
          erb = ERB.new(File.read(path, encoding: 'UTF-8'), trim_mode: {mode})
          erb.filename = 'T'
          answer = begin
            "text:\n" + erb.result(object.new.bind)
          rescue Exception => e
            line = e.backtrace.find {{ |l| l.start_with?('T:') }}.to_s[/\AT:(\d+)/, 1]
            message = e.message.split("\nDid you mean?").first
            "exception:\n#{{e.class}}\n#{{message}}\n#{{line}}"
          end
          print answer, "\0"
          Object.send(:remove_const, :Holder) rescue nil
        end
        "##,
        mode = mode(trim)
    );
    let mut command = Command::new("ruby");
    command.args(["--disable=did_you_mean", "-W0", "-e", &script]).args(paths);
    let output = command.output().expect("ruby is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

fn compare(paths: &[PathBuf], trim: Trim) {
    let theirs = theirs(paths, trim);
    assert_eq!(paths.len(), theirs.len());
    let mut failures = Vec::new();
    for (path, theirs) in paths.iter().zip(theirs) {
        let ours = ours(&std::fs::read_to_string(path).unwrap(), trim);
        // Messages of Ruby's parser are not compared.
        let both_refuse =
            theirs.starts_with("exception:\nSyntaxError") && ours.starts_with("no template:");
        if ours != theirs && !both_refuse {
            let name = path.file_name().unwrap().to_string_lossy();
            failures.push(format!("{name} ({trim:?})\n--- Ruby\n{theirs}\n--- here\n{ours}\n"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn templates() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates");
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    paths
}

#[test]
fn templates_render_as_in_ruby() {
    let paths = templates();
    assert!(paths.len() >= 10, "the templates were not found");
    compare(&paths, Trim::Explicit);
}

#[test]
fn blanks_around_tags_are_those_of_ruby_in_all_modes() {
    let paths: Vec<PathBuf> =
        templates().into_iter().filter(|p| p.to_string_lossy().contains("/trim")).collect();
    assert!(paths.len() >= 2);
    for trim in [Trim::None, Trim::Explicit, Trim::After, Trim::Lines] {
        compare(&paths, trim);
    }
}

/// Single expressions, each a template of its own.
#[test]
fn expressions_give_what_ruby_gives() {
    let all = include_str!("expressions.txt");
    let dir = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (n, line) in all.lines().enumerate() {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        let path = dir.path().join(format!("{:04}", n + 1));
        std::fs::write(&path, format!("<%= ({line}).inspect %>")).unwrap();
        paths.push(path);
    }
    assert!(paths.len() > 300, "the expressions were not found");
    compare(&paths, Trim::Explicit);
}
