//! Resource types of modules, as `lib/puppet/type/NAME.rb`.
//!
//! Such a type is written in Ruby. A compile needs the names of its attributes and its name
//! attributes, which are read from the text of the file. Both interfaces are supported,
//! `Puppet::Type.newtype` and `Puppet::ResourceApi.register_type`. A file that makes attributes in
//! other ways, or has title patterns, is run (see [`crate::plugins`]). A type that does not run
//! accepts any attribute.

use std::path::PathBuf;

use ecow::EcoString;

use crate::types::models::layout::TitlePatterns;

/// A resource type as its file in Ruby describes it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RubyType {
    /// Names of its attributes, metaparameters left out.
    pub attributes: Vec<EcoString>,
    /// The attributes that together name a resource.
    pub namevars: Vec<EcoString>,
    /// Whether it may have attributes that are not in the list.
    pub open: bool,
    /// Whether two resources may not have the same name.
    pub isomorphic: bool,
    /// Whether it has title patterns.
    pub patterns: bool,
    /// Whether the text of the file does not describe the type completely, so that the file must
    /// run.
    pub unclear: bool,
    /// The patterns, if they are known without running the code.
    pub title_patterns: Option<TitlePatterns>,
    /// The error in the file, if it cannot be used.
    pub broken: Option<String>,
    /// The file.
    pub file: PathBuf,
}

impl RubyType {
    /// A type with these attributes, of which the first is the name attribute. `open` allows other
    /// attributes.
    pub fn named(attributes: Vec<EcoString>, open: bool) -> Self {
        let namevars = attributes.first().cloned().into_iter().collect();
        Self { attributes, namevars, open, isomorphic: true, ..Self::default() }
    }

    /// Reads the file of a type.
    pub fn read(text: &str) -> Self {
        let out = Self { isomorphic: true, ..Self::default() };
        let mut reader = Reader { out, table: None, logs: false };
        let mut in_comment = false;
        for line in text.lines() {
            if line.starts_with("=begin") || line.starts_with("=end") {
                in_comment = line.starts_with("=begin");
            } else if !in_comment {
                reader.line(line);
            }
        }
        let mut out = std::mem::take(&mut reader.out);
        out.open |= out.attributes.is_empty();
        out.patterns = text.contains("title_patterns")
            // Only the code itself says how its titles are read, or that they cannot be.
            || !out.open && !text.contains("register_type") && out.key_attributes() != 1;
        if out.namevars.is_empty() {
            out.namevars.push("name".into());
        }
        out.unclear = out.open || out.patterns || reader.logs;
        out
    }

    /// Whether the type has, or may have, an attribute of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.open || name == "provider" || self.attributes.iter().any(|a| a == name)
    }

    /// The number of attributes that name a resource: those marked so, and `name`.
    fn key_attributes(&self) -> usize {
        let has = |names: &[EcoString]| names.iter().any(|name| name == "name");
        self.namevars.len() + usize::from(has(&self.attributes) && !has(&self.namevars))
    }

    fn add(&mut self, name: &str) {
        self.attributes.push(name.into());
    }

    fn name_by_latest(&mut self) {
        if let Some(latest) = self.attributes.last()
            && !self.namevars.contains(latest)
        {
            self.namevars.push(latest.clone());
        }
    }
}

/// The state of the reader: the result, and the columns of the table `attributes: { … }`.
struct Reader {
    out: RubyType,
    table: Option<Table>,
    /// Whether its body logs something.
    logs: bool,
}

/// The columns of code that runs when the file is loaded.
const BODY: usize = 2;
/// Logging methods, except those of levels that compiles do not show.
const LOGS: [&str; 6] = [".notice", ".warning", ".err", ".alert", ".crit", ".emerg"];

/// The table of attributes of `register_type`, recognised by the columns of its lines.
struct Table {
    /// The column of the line that opened it.
    start: usize,
    /// The column of its keys, once one was seen.
    keys: Option<usize>,
}

/// Calls that add attributes from other code.
const FROM_ELSEWHERE: &[&str] = &["include", "extend", "instance_eval", "class_eval", "send"];

impl Reader {
    fn line(&mut self, line: &str) {
        let code = line.trim_start();
        if code.is_empty() || code.starts_with('#') {
            return;
        }
        let column = line.len() - code.len();
        if self.table.is_some() {
            return self.table_line(code, column);
        }
        let word: &str = &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())];
        let rest = &code[word.len()..];
        if word == "Puppet" && column <= BODY && LOGS.iter().any(|log| rest.starts_with(log)) {
            self.logs = true;
            return;
        }
        match word {
            "newparam" | "newproperty" | "newcheck" => self.attribute(rest),
            "ensurable" => self.out.add("ensure"),
            "isnamevar" => self.out.name_by_latest(),
            "attributes" if rest.starts_with(':') && rest.trim_end().ends_with('{') => {
                self.table = Some(Table { start: column, keys: None });
            }
            _ if FROM_ELSEWHERE.contains(&word) && rest.starts_with([' ', '(']) => {
                self.out.open = true;
            }
            _ if code.starts_with("@isomorphic") => {
                self.out.isomorphic = !rest.contains("false") && !code.contains("false");
            }
            // `%w[a b].each { |x| newparam(x) }`
            _ => self.out.open |= code.contains("newparam(") || code.contains("newproperty("),
        }
    }

    /// `newparam(:name, namevar: true) do`
    fn attribute(&mut self, rest: &str) {
        let rest = rest.trim_start_matches(['(', ' ']);
        let name = rest.trim_start_matches([':', '\'', '"']);
        let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
        if name.len() == rest.len() || end == 0 {
            self.out.open = true;
            return;
        }
        self.out.add(&name[..end]);
        let options = &name[end..];
        let mark = |option: &str| {
            let after = options.split(option).nth(1)?;
            Some(after.trim_start_matches([' ', ':', '=', '>']).starts_with("true"))
        };
        let has_word = |word: &str| options.split(|c| !is_word(c)).any(|found| found == word);
        if mark("namevar") == Some(true) || has_word("isnamevar") {
            self.out.name_by_latest();
        }
    }

    fn table_line(&mut self, code: &str, column: usize) {
        let Some(table) = &mut self.table else { return };
        if column <= table.start && code.starts_with('}') {
            self.table = None;
            return;
        }
        let keys = *table.keys.get_or_insert(column);
        let name = code.trim_start_matches([':', '\'', '"']);
        let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
        let after = name[end..].trim_start_matches(['\'', '"', ' ', ':', '=', '>']);
        if column == keys && end > 0 && after.starts_with('{') {
            self.out.add(&name[..end]);
        }
        if code.contains("behaviour") && code.contains(":namevar") {
            self.out.name_by_latest();
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newtype() {
        let found = RubyType::read(
            "Puppet::Type.newtype(:pond) do\n  # newparam(:no)\n  ensurable do\n  end\n\
             \n  newparam(:path, :namevar => true) do\n    desc 'newparam(:text)'\n  end\n\
             \n  newproperty :depth, parent: Some::Thing do\n  end\n  newparam('fish')\nend\n",
        );
        assert_eq!(found.attributes, ["ensure", "path", "depth", "fish"]);
        assert_eq!(found.namevars, ["path"]);
        assert!(found.isomorphic);
    }

    #[test]
    fn the_name_is_said_inside() {
        let found = RubyType::read(
            "Puppet::Type.newtype(:pond) do\n  @isomorphic = false\n  newparam :command do\n    \
             isnamevar\n  end\n  newparam :name do\n  end\nend\n",
        );
        assert_eq!(found.namevars, ["command"]);
        assert!(!found.isomorphic && !found.open);
        assert!(found.knows("command") && found.knows("provider") && !found.knows("fish"));
    }

    #[test]
    fn code_that_cannot_be_read_leaves_the_type_open() {
        for text in [
            "Puppet::Type.newtype(:a) do\n  newparam(:name)\n  [:b].each { |x| newparam(x) }\nend\n",
            "Puppet::Type.newtype(:a) do\n  newparam(:name)\n  newparam(x)\nend\n",
            "Puppet::Type.newtype(:a) do\n  newparam(:name)\n  include Other\nend\n",
            "Maker.create_type(:a)\n",
        ] {
            assert!(RubyType::read(text).knows("anything"), "{text}");
        }
    }

    #[test]
    fn resource_api() {
        let found = RubyType::read(
            "Puppet::ResourceApi.register_type(\n  name: 'pond',\n  attributes: {\n    ensure: {\n      \
             type: 'Enum[present, absent]',\n    },\n    place: {\n      type: 'String',\n      \
             behaviour: :namevar,\n    },\n    side:   {\n      behaviour: :namevar\n    },\n  },\n  \
             autorequire: {\n    file: '$path',\n  }\n)\n",
        );
        assert_eq!(found.attributes, ["ensure", "place", "side"]);
        assert_eq!(found.namevars, ["place", "side"]);
        assert!(!found.open);
    }
}
