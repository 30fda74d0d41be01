//! Tokens as puppet-lint has them. Its checks speak of them, so their kinds, values and places
//! decide its findings.

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Whitespace,
    Indent,
    Newline,
    Comment,
    SlashComment,
    StarComment,
    /// A built-in type, and the keyword `type`.
    Type,
    ClassRef,
    Number,
    FunctionName,
    Name,
    Variable,
    /// A variable without braces in a string.
    BareVariable,
    /// A string in single quotes.
    SingleQuoted,
    /// A string in double quotes without interpolation.
    DoubleQuoted,
    StringStart,
    StringMiddle,
    StringEnd,
    HeredocOpen,
    Heredoc,
    HeredocStart,
    HeredocMiddle,
    HeredocEnd,
    Regex,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    LParen,
    RParen,
    IsEqual,
    Match,
    FArrow,
    Equals,
    Appends,
    PArrow,
    Plus,
    GreaterEqual,
    RShift,
    Greater,
    LessEqual,
    LlCollect,
    OutEdge,
    OutEdgeSub,
    LCollect,
    LShift,
    Less,
    NoMatch,
    NotEqual,
    Not,
    RrCollect,
    RCollect,
    InEdge,
    InEdgeSub,
    Minus,
    Comma,
    Dot,
    Colon,
    Semic,
    QMark,
    Backslash,
    Times,
    Modulo,
    Pipe,
    Div,
    At,
    Case,
    Class,
    Default,
    Define,
    If,
    Elsif,
    Inherits,
    Node,
    Undef,
    True,
    False,
    /// Another keyword.
    Keyword,
}

impl Kind {
    /// The number of kinds.
    const COUNT: usize = Self::Keyword as usize + 1;

    /// The kind of a keyword.
    pub(super) fn keyword(word: &str) -> Option<Self> {
        Some(match word {
            "case" => Self::Case,
            "class" => Self::Class,
            "default" => Self::Default,
            "define" => Self::Define,
            "if" => Self::If,
            "elsif" => Self::Elsif,
            "inherits" => Self::Inherits,
            "node" => Self::Node,
            "undef" => Self::Undef,
            "true" => Self::True,
            "false" => Self::False,
            "type" => Self::Type,
            "import" | "else" | "and" | "or" | "in" | "unless" | "function" | "attr"
            | "private" => Self::Keyword,
            _ => return None,
        })
    }

    /// Whether a token is space or a comment, which links between code tokens pass over.
    pub(super) fn is_formatting(self) -> bool {
        matches!(
            self,
            Self::Whitespace
                | Self::Indent
                | Self::Newline
                | Self::Comment
                | Self::SlashComment
                | Self::StarComment
        )
    }

    pub(super) fn is_comment(self) -> bool {
        matches!(self, Self::Comment | Self::SlashComment | Self::StarComment)
    }

    /// Whether a `/` after this token begins a regular expression.
    pub(super) fn precedes_regex(self) -> bool {
        matches!(
            self,
            Self::Node
                | Self::LBrace
                | Self::RBrace
                | Self::Match
                | Self::NoMatch
                | Self::Comma
                | Self::LBrack
                | Self::If
                | Self::Elsif
                | Self::LParen
                | Self::Equals
        )
    }

    /// Whether a variable after this token is in an interpolation, where it needs no `$`.
    pub(super) fn opens_interpolation(self) -> bool {
        matches!(
            self,
            Self::StringStart | Self::StringMiddle | Self::HeredocStart | Self::HeredocMiddle
        )
    }

    /// The bracket that closes the one that this is.
    fn closer(self) -> Option<Self> {
        match self {
            Self::LBrace => Some(Self::RBrace),
            Self::LBrack => Some(Self::RBrack),
            Self::LParen => Some(Self::RParen),
            _ => None,
        }
    }

    /// The bracket that opens the one that this is.
    fn opener(self) -> Option<Self> {
        match self {
            Self::RBrace => Some(Self::LBrace),
            Self::RBrack => Some(Self::LBrack),
            Self::RParen => Some(Self::LParen),
            _ => None,
        }
    }
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// The text without its quotes, `$` or `#`.
    pub(super) value: &'t str,
    /// Whether a variable has its `$`.
    pub(super) has_dollar: bool,
    /// The bytes in the file, with quotes, `$` and `#`.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The line that puppet-lint reports, from 1.
    pub(super) line: u32,
    /// The column in characters that puppet-lint reports, from 1.
    pub(super) column: u32,
}

/// The direction of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Next,
    Previous,
}

/// No token.
const NONE: u32 = u32::MAX;

/// All tokens of a file, with links between those that are code.
pub(super) struct Tokens<'t> {
    all: Vec<Token<'t>>,
    next_code: Vec<u32>,
    previous_code: Vec<u32>,
    /// The numbers of all tokens by kind, each kind in order.
    by_kind: Vec<u32>,
    /// The start of each kind in `by_kind`, and the end.
    kind_starts: [u32; Kind::COUNT + 1],
}

impl<'t> std::ops::Deref for Tokens<'t> {
    type Target = [Token<'t>];

    fn deref(&self) -> &[Token<'t>] {
        &self.all
    }
}

impl<'t> Tokens<'t> {
    /// Links tokens.
    pub(super) fn new(all: Vec<Token<'t>>) -> Self {
        let mut next_code = vec![NONE; all.len()];
        let mut previous_code = vec![NONE; all.len()];
        let mut last = None;
        for (i, token) in all.iter().enumerate() {
            if token.kind.is_formatting() {
                continue;
            }
            if let Some(last) = last {
                next_code[last] = i as u32;
                previous_code[i] = last as u32;
            }
            last = Some(i);
        }
        let (by_kind, kind_starts) = sorted_by_kind(&all);
        Self { all, next_code, previous_code, by_kind, kind_starts }
    }

    /// The tokens of a kind, in order. Checks ask for several kinds, so a search of all tokens each
    /// time takes long.
    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = usize> {
        let at = kind as usize;
        let range = self.kind_starts[at] as usize..self.kind_starts[at + 1] as usize;
        self.by_kind[range].iter().map(|i| *i as usize)
    }

    /// The brace that closes the first one from a token on.
    pub(super) fn body_end(&self, from: usize) -> Option<usize> {
        let mut depth = 0_i64;
        (from..self.len()).find(|i| match self[*i].kind {
            Kind::LBrace => {
                depth += 1;
                false
            }
            Kind::RBrace => {
                depth -= 1;
                depth == 0
            }
            _ => false,
        })
    }

    /// The next code token after a code token.
    pub(super) fn next_code(&self, i: usize) -> Option<usize> {
        self.next_code.get(i).filter(|n| **n != NONE).map(|n| *n as usize)
    }

    /// The code token before a code token.
    pub(super) fn previous_code(&self, i: usize) -> Option<usize> {
        self.previous_code.get(i).filter(|n| **n != NONE).map(|n| *n as usize)
    }

    /// The kind of the next code token.
    pub(super) fn next_code_kind(&self, i: usize) -> Option<Kind> {
        self.next_code(i).map(|n| self.all[n].kind)
    }

    /// The kind of the code token before.
    pub(super) fn previous_code_kind(&self, i: usize) -> Option<Kind> {
        self.previous_code(i).map(|n| self.all[n].kind)
    }

    /// The kind of the token before, space included.
    pub(super) fn kind_before(&self, i: usize) -> Option<Kind> {
        i.checked_sub(1).map(|n| self.all[n].kind)
    }

    /// The nearest token of one of these kinds that is in no bracket of its own, before or after a
    /// token, up to `limit` tokens away.
    pub(super) fn find(
        &self,
        from: usize,
        direction: Direction,
        kinds: &[Kind],
        limit: usize,
    ) -> Option<usize> {
        let mut awaited: Vec<Kind> = Vec::new();
        let is_next = direction == Direction::Next;
        for distance in 1..=limit {
            let i = if is_next { from + distance } else { from.checked_sub(distance)? };
            let kind = self.all.get(i)?.kind;
            let bracket = if is_next { kind.closer() } else { kind.opener() };
            match awaited.last() {
                None if kinds.contains(&kind) => return Some(i),
                Some(end) if *end == kind => {
                    awaited.pop();
                }
                _ => awaited.extend(bracket),
            }
        }
        None
    }

    /// The length in characters of the text that puppet-lint would write for a token.
    pub(super) fn written_length(&self, i: usize) -> u32 {
        let token = &self.all[i];
        let length = token.value.chars().count() as u32;
        let next = self.all.get(i + 1).map(|t| t.kind);
        let before = self.kind_before(i);
        let opens = match next {
            Some(
                Kind::BareVariable
                | Kind::StringMiddle
                | Kind::StringEnd
                | Kind::HeredocMiddle
                | Kind::HeredocEnd,
            ) => 0,
            _ => 2,
        };
        length
            + match token.kind {
                Kind::DoubleQuoted | Kind::SingleQuoted | Kind::Regex => 2,
                Kind::StringStart => 1 + opens,
                Kind::StringMiddle | Kind::HeredocMiddle => closes(before) + opens,
                Kind::StringEnd => closes(before) + 1,
                Kind::HeredocStart => opens,
                Kind::HeredocEnd => closes(before),
                Kind::HeredocOpen => 3,
                Kind::Variable => {
                    let before = self.previous_code_kind(i);
                    let is_inside = before.is_some_and(Kind::opens_interpolation);
                    u32::from(!is_inside || token.has_dollar)
                }
                Kind::BareVariable | Kind::Comment | Kind::SlashComment => 1,
                _ => 0,
            }
    }
}

/// The numbers of tokens by kind, and where each kind starts.
fn sorted_by_kind(all: &[Token<'_>]) -> (Vec<u32>, [u32; Kind::COUNT + 1]) {
    let mut starts = [0; Kind::COUNT + 1];
    for token in all {
        starts[token.kind as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let (mut next, mut sorted) = (starts, vec![0; all.len()]);
    for (i, token) in all.iter().enumerate() {
        let place = &mut next[token.kind as usize];
        sorted[*place as usize] = i as u32;
        *place += 1;
    }
    (sorted, starts)
}

/// The length of the `}` before a part of a string.
pub(super) fn closes(before: Option<Kind>) -> u32 {
    match before {
        Some(
            Kind::BareVariable
            | Kind::StringStart
            | Kind::StringMiddle
            | Kind::HeredocStart
            | Kind::HeredocMiddle,
        ) => 0,
        _ => 1,
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
