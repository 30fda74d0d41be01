//! Tokens.

/// The kinds of tokens, by the names of the reference grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum TokenKind {
    /// End of the text.
    Eof,
    /// A lexical error; `aux` is its index among the errors.
    Error,
    Name,
    Word,
    ClassRef,
    Variable,
    Number,
    Regex,
    Str,
    DqPre,
    DqMid,
    DqPost,
    Heredoc,
    Sublocate,
    EppStart,
    EppEnd,
    EppEndTrim,
    RenderString,
    RenderExpr,
    LBrack,
    ListStart,
    RBrack,
    LBrace,
    SelBrace,
    RBrace,
    LParen,
    WsLParen,
    RParen,
    Equals,
    Appends,
    Deletes,
    IsEqual,
    NotEqual,
    Match,
    NoMatch,
    GreaterEqual,
    Greater,
    LessEqual,
    Less,
    FArrow,
    PArrow,
    LShift,
    LlCollect,
    LCollect,
    RShift,
    RrCollect,
    RCollect,
    Plus,
    Minus,
    Div,
    Times,
    Modulo,
    Not,
    Dot,
    Pipe,
    At,
    AtAt,
    Colon,
    Comma,
    Semic,
    QMark,
    /// `~` and every character that begins no token.
    Other,
    InEdge,
    InEdgeSub,
    OutEdge,
    OutEdgeSub,
    True,
    False,
    And,
    Attr,
    Case,
    Class,
    Default,
    Define,
    Else,
    Elsif,
    Function,
    If,
    In,
    Inherits,
    Node,
    Or,
    Private,
    Type,
    Undef,
    Unless,
}

impl TokenKind {
    /// The keyword that a bare word is, if it is one.
    pub(crate) fn keyword(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"and" => Self::And,
            b"attr" => Self::Attr,
            b"case" => Self::Case,
            b"class" => Self::Class,
            b"default" => Self::Default,
            b"define" => Self::Define,
            b"else" => Self::Else,
            b"elsif" => Self::Elsif,
            b"false" => Self::False,
            b"function" => Self::Function,
            b"if" => Self::If,
            b"in" => Self::In,
            b"inherits" => Self::Inherits,
            b"node" => Self::Node,
            b"or" => Self::Or,
            b"private" => Self::Private,
            b"true" => Self::True,
            b"type" => Self::Type,
            b"undef" => Self::Undef,
            b"unless" => Self::Unless,
            _ => return None,
        })
    }

    /// Whether this is a keyword, `true` and `false` included.
    pub(crate) fn is_keyword(self) -> bool {
        self as u8 >= Self::True as u8
    }

    /// Whether this keyword may be the name of an attribute.
    pub(crate) fn is_attribute_keyword(self) -> bool {
        self.is_keyword() && !matches!(self, Self::True | Self::False)
    }
}

/// A token with its place. Places past the end of the text are in a heredoc ([`super::Segment`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Index of the text of a string or of an error.
    pub(crate) aux: u32,
}
