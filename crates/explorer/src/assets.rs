//! The files of the pages, embedded in the program.

/// A file for browsers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asset {
    /// The content type.
    pub content_type: &'static str,
    /// The content.
    pub text: &'static str,
    /// Whether a browser may keep it for ever: its address changes with its content.
    pub is_immutable: bool,
}

/// The policy for the pages: they load nothing from elsewhere, run no scripts or styles but the files
/// of this crate, and no other site shows them in a frame.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal: $type:expr),+ $(,)?) => {
        /// The files: name, content type, content.
        const FILES: &[(&str, &str, &str)] =
            &[$(($name, $type, include_str!(concat!("../assets/", $name)))),+];
    };
}

files! {
    "actions.js": JS,
    "api.js": JS,
    "app.js": JS,
    "audit.js": JS,
    "certificates.js": JS,
    "compare.js": JS,
    "diff.js": JS,
    "dom.js": JS,
    "fleet_runs.js": JS,
    "graph.js": JS,
    "node.js": JS,
    "nodes.js": JS,
    "overview.js": JS,
    "report.js": JS,
    "repository.js": JS,
    "runs.js": JS,
    "search.js": JS,
    "session.js": JS,
    "table.js": JS,
    "why.js": JS,
    "style.css": CSS,
    "icon.svg": SVG,
}

/// The page, with `VERSION` in place of the version of the files.
const PAGE: &str = include_str!("../assets/index.html");

/// The version of the files: a digest of all contents. It is a part of their addresses, so that a
/// browser never mixes files of two releases.
pub fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| {
        let all: Vec<&str> = FILES.iter().flat_map(|(name, _, text)| [*name, *text]).collect();
        let mut digest = ordain_functions::digest::sha256(all.join("\0").as_bytes());
        digest.truncate(16);
        digest
    })
}

/// The file at a path below `/explore/`: the page itself, or `assets/VERSION/NAME`.
pub fn asset(segments: &[&str]) -> Option<Asset> {
    static FILLED: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    match segments {
        [] => {
            let text = FILLED.get_or_init(|| PAGE.replace("VERSION", version()));
            Some(Asset { content_type: HTML, text, is_immutable: false })
        }
        ["assets", found, name] if *found == version() => {
            let (_, content_type, text) = FILES.iter().find(|(own, ..)| own == name)?;
            Some(Asset { content_type, text, is_immutable: true })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_file_has_an_address() {
        let page = asset(&[]).unwrap();
        assert!(!page.is_immutable && page.text.contains(&format!("assets/{}/app.js", version())));
        for (name, ..) in FILES {
            assert!(asset(&["assets", version(), name]).unwrap().is_immutable);
        }
        assert_eq!(asset(&["assets", "0", "app.js"]), None);
        assert_eq!(asset(&["assets", version(), "index.html"]), None);
    }

    #[test]
    fn no_file_loads_anything_from_elsewhere_or_parses_html() {
        let names = ["://", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "style="];
        let allowed = "http://www.w3.org/2000/svg";
        for (file, _, text) in FILES.iter().chain(&[("index.html", HTML, PAGE)]) {
            let text = text.replace(allowed, "");
            for name in names {
                assert!(!text.contains(name), "{file} has {name}");
            }
        }
        assert!(!PAGE.contains("<style") && PAGE.matches("<script").count() == 1);
    }
}
