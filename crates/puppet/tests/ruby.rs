//! What modules bring in Ruby: what is not run is known by name.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_puppet::catalog::compile::Node;
use ordain_puppet::eval::Settings;
use ordain_puppet::load::{Environment, Options, Site};
use ordain_puppet::session::compile_node;
use ordain_source::{MemoryWorld, SourceMap};

/// The code and message of the error of a program, and the line that it is about.
fn error_of(code: &str, files: &[(&str, &str)]) -> (String, String, Option<usize>) {
    let sources = Arc::new(SourceMap::new());
    let options = Options {
        world: Arc::new(MemoryWorld::with_files(files.iter().copied())),
        sources: Arc::clone(&sources),
        name: "production".into(),
        dir: None,
        modulepath: vec![PathBuf::from("/modules")],
        site: Site::Code(code.into()),
        hiera_config: None,
        strict: Settings::default().strict,
    };
    let (env, _) = Environment::open(options).ok().unwrap();
    let node = Node { name: "web".into(), ..Node::default() };
    let compiled = compile_node(&env, Settings::default(), &node);
    let error = compiled.report.diagnostics.first().unwrap();
    let line = error.primary.as_ref().map(|p| {
        let before = &code[..p.span.range.start as usize];
        before.matches('\n').count() + 1
    });
    (error.code.to_string(), error.message.clone(), line)
}

#[test]
fn functions() {
    for file in ["functions/garden/dig_up.rb", "parser/functions/garden/dig_up.rb"] {
        let file = format!("/modules/garden/lib/puppet/{file}");
        let (code, message, line) =
            error_of("$a = 1\n$b = garden::dig_up(2)\n", &[(&file, "# Ruby")]);
        assert_eq!((code.as_str(), line), ("puppet::ruby", Some(2)));
        assert!(message.contains("'garden::dig_up'") && message.contains(&file), "{message}");
        assert!(message.contains("Ruby"), "{message}");
    }
}

#[test]
fn templates() {
    let file = "/modules/garden/templates/sign.erb";
    let code = "\nnotify { template('garden/sign.erb'): }";
    for (text, what) in [
        ("1\n<%= system('ls') %>", "`system' in line 2"),
        ("<%= `ls` %>", "a command in backticks in line 1"),
        ("<%= Etc.getlogin %>", "the constant Etc in line 1"),
    ] {
        let (id, message, line) = error_of(code, &[(file, text)]);
        assert_eq!((id.as_str(), line), ("puppet::ruby", Some(2)));
        assert!(message.contains(file) && message.contains(what), "{message}");
    }
    let (id, message, _) = error_of(code, &[(file, "<% if %>")]);
    assert_eq!(id, "puppet::runtime-error");
    assert!(message.starts_with(&format!("{file}:1: syntax error")), "{message}");
    let (id, message, _) = error_of("$a = inline_template('<%= exit %>')", &[]);
    assert_eq!(id, "puppet::ruby");
    assert!(message.contains("`exit' in line 1"), "{message}");
    let text = "<%= scope.function_template(['garden/sign.erb']) %>";
    let (_, message, _) = error_of(code, &[(file, text)]);
    assert!(message.contains("stack level too deep"), "{message}");
    let (_, message, _) = error_of(code, &[(file, "\n<% loop { } %>")]);
    assert!(message.contains("Line: 2\n  Detail: too many steps"), "{message}");
    let other = Path::new("/modules/garden/manifests/init.pp").display().to_string();
    let (_, message, _) = error_of("$a = template('garden/no.erb')", &[(&other, "")]);
    assert!(message.contains("Could not find template 'garden/no.erb'"), "{message}");
}
