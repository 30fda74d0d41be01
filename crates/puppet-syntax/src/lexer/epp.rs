//! Templates: text with `<% … %>` tags.

use super::{EppMode, Fatal, Lexer, Step, TokenKind};

/// The kind of tag that follows a piece of a template's text.
enum Next {
    End,
    Code,
    Expr,
}

impl Lexer<'_, '_> {
    /// `%>` or `-%>`, and the text that follows.
    pub(super) fn epp_close(&mut self, len: usize, kind: TokenKind) -> Step {
        let start = self.pos;
        self.pos += len;
        if self.epp == EppMode::Expr {
            self.push(kind, start, start + len);
        }
        if kind == TokenKind::EppEnd {
            self.epp = EppMode::Text;
        }
        self.epp_text(kind == TokenKind::EppEndTrim)
    }

    /// Lexes the text until the next tag.
    pub(super) fn epp_text(&mut self, skip_leading: bool) -> Step {
        let start = self.pos;
        let (text, next) = self.epp_scan(skip_leading)?;
        let end = self.pos;
        let keep_empty = matches!(next, Next::End);
        if let Some(text) = text.filter(|t| keep_empty || !t.is_empty()) {
            self.push_text(TokenKind::RenderString, start, end, text.as_str().into());
        }
        match next {
            Next::End => self.epp_open = false,
            Next::Code => {
                self.epp = EppMode::Code;
                self.epp_open = true;
            }
            Next::Expr => {
                self.push(TokenKind::RenderExpr, start, start);
                self.epp = EppMode::Expr;
                self.epp_open = true;
            }
        }
        Ok(())
    }

    fn epp_scan(&mut self, mut skip_leading: bool) -> Result<(Option<String>, Next), Fatal> {
        let mut out = String::new();
        while self.pos < self.bytes.len() {
            let rest = &self.text[self.pos..];
            let tag = rest.find("<%");
            let mut part = &rest[..tag.unwrap_or(rest.len())];
            if std::mem::take(&mut skip_leading) {
                part = part.trim_start_matches([' ', '\t']);
                part = part.strip_prefix('\r').unwrap_or(part);
                part = part.strip_prefix('\n').unwrap_or(part);
            }
            out.push_str(&part.replace("%%>", "%>"));
            let Some(tag) = tag else {
                self.pos = self.bytes.len();
                return Ok((Some(out), Next::End));
            };
            self.epp_tag = self.pos + tag;
            self.pos += tag + 2;
            match self.bytes.get(self.pos) {
                None => {
                    return Err(self.fatal("EPP_UNBALANCED_EXPRESSION", self.pos, || {
                        "Unbalanced embedded expression - opening <% and reaching end of input"
                            .into()
                    }));
                }
                Some(b'-') => {
                    self.pos += 1;
                    out.truncate(out.trim_end_matches([' ', '\t']).len());
                    return Ok((Some(out), Next::Code));
                }
                Some(b'%') => {
                    self.pos += 1;
                    out.push_str("<%");
                }
                Some(b'=') => {
                    self.pos += 1;
                    return Ok((Some(out), Next::Expr));
                }
                Some(b'#') => skip_leading = self.epp_comment(&mut out)?,
                Some(_) => return Ok((Some(out), Next::Code)),
            }
        }
        // Text before a comment or `<%%` that ends the template is dropped, as upstream does.
        Ok((None, Next::End))
    }

    /// Skips `#…%>`; returns whether the following blanks are dropped.
    fn epp_comment(&mut self, out: &mut String) -> Result<bool, Fatal> {
        let start = self.pos;
        let bytes = self.bytes;
        let ends = |w: &[u8]| w[0] != b'%' && w[1] == b'%' && w[2] == b'>';
        let Some(i) = bytes[start..].windows(3).position(ends) else {
            return Err(self.fatal("EPP_UNBALANCED_COMMENT", start, || {
                "Reaching end after opening <%# without seeing %>".into()
            }));
        };
        self.pos = start + i + 3;
        if bytes.get(start + 1) == Some(&b'-') && i + 3 > 1 {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        }
        Ok(bytes[start + i] == b'-')
    }
}
