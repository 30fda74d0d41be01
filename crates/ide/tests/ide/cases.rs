//! The pages in `tests/cases`: files, of which one has the cursor `$0`, and answers about it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ordain_ide::{
    Analysis, CallItem, Lines, NodeSettings, OutlineItem, Place, Report, Settings, Workspace,
};
use ordain_source::TextRange;
use ordain_testkit::pages::{Answer, Block, pages_are_true};
use tempfile::TempDir;

/// A case: its files are on disk, and the one with the cursor is open in an editor.
struct Case {
    dir: TempDir,
    cursor: Option<(PathBuf, u32)>,
    is_open: Vec<(PathBuf, String)>,
}

impl Case {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), cursor: None, is_open: Vec::new() }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn block(&mut self, block: Block<'_>) -> Option<Answer> {
        if let Some(name) = block.option("file") {
            let path = self.root().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = block.body.replacen("$0", "", 1);
            if let Some(at) = block.body.find("$0") {
                self.cursor = Some((path.clone(), at as u32));
                self.is_open.push((path.clone(), text.clone()));
            }
            std::fs::write(path, text).unwrap();
            return None;
        }
        (block.word(0) == "text").then(|| block.with(self.answer(&block)))
    }

    fn workspace(
        &self,
        directory: &Path,
        node: NodeSettings,
        all_modules: bool,
    ) -> (Workspace, Vec<Report>) {
        let settings = Settings { node, all_modules, ..Settings::default() };
        let mut workspace = Workspace::new(vec![directory.to_path_buf()], settings).unwrap();
        for (path, text) in &self.is_open {
            workspace.set_text(path, text.as_str());
            workspace.check(path);
        }
        let done = workspace.job().run();
        let reports = workspace.finish(done);
        (workspace, reports)
    }

    fn answer(&self, block: &Block<'_>) -> String {
        let node = NodeSettings {
            name: block.option("node").map(str::to_owned),
            facts: block.option("facts").map(|path| self.root().join(path)),
            fact_set: block.option("fact_set").map(str::to_owned),
        };
        let directory = self.root().join(block.option("directory").unwrap_or_default());
        let all_modules = block.option("modules") == Some("all");
        let (workspace, reports) = self.workspace(&directory, node, all_modules);
        let analysis = workspace.analysis();
        let (path, offset) = self.cursor.clone().unwrap_or_default();
        let shown = Shown { analysis: &analysis, root: self.root() };
        match block.word(1) {
            "diagnostics" => shown.reports(&reports),
            "outline" => shown.outline(&path),
            "folds" => shown.folds(&path),
            "definition" => shown.places(&analysis.definitions(&path, offset)),
            "references" => shown.places(&analysis.references(&path, offset, true)),
            "hover" => {
                let text = analysis.hover(&path, offset).map(|hover| hover.markdown);
                let text = text.unwrap_or_else(|| "nothing".into());
                // A fence inside of a fence would end it.
                text.replace("```", "'''") + "\n"
            }
            "completion" => shown.completions(&path, offset, block.option("most")),
            "signature" => shown.signatures(&path, offset),
            "symbols" => shown.symbols(block.word(2)),
            "rename" => shown.rename(&path, offset, block.word(2)),
            "tokens" => shown.tokens(&path),
            "links" => shown.links(&path),
            "actions" => shown.actions(&path, TextRange::new(offset, offset)),
            "hints" => shown.hints(&path),
            "calls" => shown.calls(&path, offset),
            "lenses" => shown.lenses(&path),
            "nodes" => {
                // The first answer lacks the numbers, which a job finds then.
                shown.lenses(&path);
                let mut workspace = workspace;
                let done = workspace.usage_job().run();
                workspace.finish_usage(done);
                Shown { analysis: &workspace.analysis(), root: self.root() }.lenses(&path)
            }
            "format" => {
                let formatted = match block.option("lines").and_then(|lines| lines.split_once('-'))
                {
                    Some((first, last)) => {
                        let number = |line: &str| line.parse::<u32>().unwrap() - 1;
                        analysis.formatted_lines(&path, (number(first), number(last)))
                    }
                    None => analysis.formatted(&path, None),
                };
                match formatted {
                    Ok(text) => text.unwrap_or_default(),
                    Err(error) => format!("{error}\n"),
                }
            }
            other => panic!("a case has no question `{other}`"),
        }
    }
}

struct Shown<'a> {
    analysis: &'a Analysis,
    root: PathBuf,
}

impl Shown<'_> {
    fn path<'p>(&self, path: &'p Path) -> std::path::Display<'p> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }

    fn text(&self, path: &Path) -> String {
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// A range as line, column, and its first line.
    fn range(&self, path: &Path, range: TextRange) -> String {
        let text = self.text(path);
        let lines = Lines::new(text.as_str().into());
        let at = lines.position(range.start);
        let written = text.get(range.start as usize..range.end as usize).unwrap_or("?");
        let written = written.lines().next().unwrap_or_default();
        format!("{}:{} {written}", at.line + 1, at.column + 1)
    }

    fn places(&self, places: &[Place]) -> String {
        let shown = places.iter().map(|place| {
            format!("{}:{}\n", self.path(&place.path), self.range(&place.path, place.range()))
        });
        shown.collect()
    }

    fn reports(&self, reports: &[Report]) -> String {
        let mut out = String::new();
        for report in reports {
            for found in &report.found {
                let range =
                    found.primary.as_ref().map(|label| label.span.range).unwrap_or_default();
                let place = self.range(&report.path, range);
                let place = place.split(' ').next().unwrap_or_default();
                let (path, word) = (self.path(&report.path), found.severity.word());
                writeln!(out, "{path}:{place} {word}[{}] {}", found.code, found.message).unwrap();
            }
        }
        out
    }

    fn outline(&self, path: &Path) -> String {
        fn write(
            shown: &Shown<'_>,
            path: &Path,
            items: &[OutlineItem],
            depth: usize,
            out: &mut String,
        ) {
            for item in items {
                let indent = "  ".repeat(depth);
                let place = shown.range(path, item.range);
                let place = place.split(' ').next().unwrap_or_default();
                let detail = if item.detail.is_empty() {
                    String::new()
                } else {
                    format!(": {}", item.detail)
                };
                writeln!(out, "{indent}{:?} {}{detail} {place}", item.kind, item.name).unwrap();
                write(shown, path, &item.children, depth + 1, out);
            }
        }
        let mut out = String::new();
        write(self, path, &self.analysis.outline(path), 0, &mut out);
        out
    }

    fn folds(&self, path: &Path) -> String {
        let folds = self.analysis.folds(path);
        let shown = folds.iter().map(|fold| {
            let comment = if fold.is_comment { " comment" } else { "" };
            format!("{}-{}{comment}\n", fold.start + 1, fold.end + 1)
        });
        shown.collect()
    }

    fn completions(&self, path: &Path, offset: u32, most: Option<&str>) -> String {
        let found = self.analysis.completions(path, offset);
        let most = most.map_or(12, |most| most.parse().unwrap());
        let mut out = String::new();
        for item in found.items.iter().take(most) {
            let detail = item.detail.replace(&*self.root.to_string_lossy(), "");
            let line =
                format!("{:?} {} | {detail} | {}", item.kind, item.label, item.documentation);
            out.push_str(line.trim_end_matches([' ', '|']));
            out.push('\n');
        }
        if found.items.len() > most {
            writeln!(out, "and {} more", found.items.len() - most).unwrap();
        }
        out
    }

    fn signatures(&self, path: &Path, offset: u32) -> String {
        let Some(help) = self.analysis.signatures(path, offset) else { return "nothing\n".into() };
        let mut out = format!("argument {}\n", help.argument);
        for signature in help.signatures {
            writeln!(out, "{}", signature.label).unwrap();
        }
        out
    }

    fn symbols(&self, query: &str) -> String {
        let found = self.analysis.symbols(query);
        let shown = found
            .iter()
            .map(|(item, path)| format!("{:?} {} {}\n", item.kind, item.name, self.path(path)));
        shown.collect()
    }

    fn rename(&self, path: &Path, offset: u32, new: &str) -> String {
        match self.analysis.rename(path, offset, new) {
            Err(error) => format!("{error}\n"),
            Ok(edits) => {
                let shown = edits.iter().map(|edit| {
                    let place = &edit.place;
                    let range = self.range(&place.path, place.range());
                    format!("{}:{range} -> {}\n", self.path(&place.path), edit.text)
                });
                shown.collect()
            }
        }
    }

    /// The changes that solve the diagnostics at a place, each with the line that it makes.
    fn actions(&self, path: &Path, range: TextRange) -> String {
        let mut out = String::new();
        for action in self.analysis.actions(path, range) {
            let mut text = self.text(path);
            for edit in action.edits.iter().rev() {
                let range = edit.place.start as usize..edit.place.end as usize;
                text.replace_range(range, &edit.text);
            }
            let start = action.edits[0].place.start as usize;
            let line = text[..start].matches('\n').count();
            let line = text.lines().nth(line).unwrap_or_default();
            writeln!(out, "{} [{}]\n    {}", action.title, action.code, line.trim_start()).unwrap();
        }
        out
    }

    fn hints(&self, path: &Path) -> String {
        let text = self.text(path);
        let lines = Lines::new(text.as_str().into());
        let all = TextRange::new(0, text.len() as u32);
        let hints = self.analysis.inlay_hints(path, all);
        let shown = hints.iter().map(|hint| {
            let start = lines.start(lines.line(hint.offset)) as usize;
            let before = text[start..hint.offset as usize].trim_start();
            format!("{before} «{}» {}\n", hint.label, hint.tooltip)
        });
        shown.collect()
    }

    fn calls(&self, path: &Path, offset: u32) -> String {
        let Some(item) = self.analysis.call_item(path, offset) else { return "nothing\n".into() };
        let shown =
            |item: &CallItem| format!("{:?} {} {}", item.kind, item.name, self.path(&item.path));
        let mut out = format!("{}\n", shown(&item));
        let start = item.name_range.start;
        for (from, ranges) in self.analysis.incoming_calls(&item.path, start) {
            let places = ranges.iter().map(|range| self.range(&from.path, *range));
            writeln!(out, "  <- {} at {}", shown(&from), places.collect::<Vec<_>>().join("; "))
                .unwrap();
        }
        for (to, ranges) in self.analysis.outgoing_calls(&item.path, start) {
            let places = ranges.iter().map(|range| self.range(&item.path, *range));
            writeln!(out, "  -> {} at {}", shown(&to), places.collect::<Vec<_>>().join("; "))
                .unwrap();
        }
        out
    }

    fn lenses(&self, path: &Path) -> String {
        let lenses = self.analysis.lenses(path);
        let shown = lenses
            .iter()
            .map(|lens| format!("{} {}\n", self.range(path, lens.place.range()), lens.text));
        shown.collect()
    }

    fn tokens(&self, path: &Path) -> String {
        let tokens = self.analysis.tokens(path);
        let shown = tokens.iter().map(|token| {
            let defines = if token.is_definition { " definition" } else { "" };
            format!("{} {:?}{defines}\n", self.range(path, token.range), token.kind)
        });
        shown.collect()
    }

    fn links(&self, path: &Path) -> String {
        let links = self.analysis.links(path);
        let shown = links
            .iter()
            .map(|link| format!("{} -> {}\n", self.range(path, link.range), self.path(&link.path)));
        shown.collect()
    }
}

#[test]
fn pages_are_answered() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    pages_are_true(&dir, 10, || {
        let mut case = Case::new();
        move |block: Block<'_>| case.block(block)
    });
}
