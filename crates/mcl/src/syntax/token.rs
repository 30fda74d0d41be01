//! Tokens.

use ordain_source::TextRange;

/// The kind of a token. The order is that of the language's token table, which messages follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of the token table")]
pub enum TokenKind {
    Newline,
    OpenCurly,
    CloseCurly,
    OpenParen,
    CloseParen,
    OpenBrack,
    CloseBrack,
    If,
    Else,
    For,
    ForKv,
    Bool,
    String,
    Integer,
    Float,
    Equals,
    Dollar,
    Comma,
    Colon,
    Semicolon,
    Elvis,
    Except,
    Rocket,
    Arrow,
    Dot,
    BoolIdentifier,
    StrIdentifier,
    IntIdentifier,
    FloatIdentifier,
    MapIdentifier,
    StructIdentifier,
    VariantIdentifier,
    Identifier,
    CapitalizedIdentifier,
    FuncIdentifier,
    ClassIdentifier,
    IncludeIdentifier,
    ImportIdentifier,
    AsIdentifier,
    PanicIdentifier,
    CollectIdentifier,
    Plus,
    Minus,
    Multiply,
    Divide,
    Eq,
    Neq,
    Lt,
    Gt,
    Lte,
    Gte,
    And,
    Or,
    Not,
    In,
    /// `||`, of released versions; only in the wide edition.
    OldDefault,
    End,
}

impl TokenKind {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newline => "NEWLINE",
            Self::OpenCurly => "OPEN_CURLY",
            Self::CloseCurly => "CLOSE_CURLY",
            Self::OpenParen => "OPEN_PAREN",
            Self::CloseParen => "CLOSE_PAREN",
            Self::OpenBrack => "OPEN_BRACK",
            Self::CloseBrack => "CLOSE_BRACK",
            Self::If => "IF",
            Self::Else => "ELSE",
            Self::For => "FOR",
            Self::ForKv => "FORKV",
            Self::Bool => "BOOL",
            Self::String => "STRING",
            Self::Integer => "INTEGER",
            Self::Float => "FLOAT",
            Self::Equals => "EQUALS",
            Self::Dollar => "DOLLAR",
            Self::Comma => "COMMA",
            Self::Colon => "COLON",
            Self::Semicolon => "SEMICOLON",
            Self::Elvis => "ELVIS",
            Self::Except => "EXCEPT",
            Self::Rocket => "ROCKET",
            Self::Arrow => "ARROW",
            Self::Dot => "DOT",
            Self::BoolIdentifier => "BOOL_IDENTIFIER",
            Self::StrIdentifier => "STR_IDENTIFIER",
            Self::IntIdentifier => "INT_IDENTIFIER",
            Self::FloatIdentifier => "FLOAT_IDENTIFIER",
            Self::MapIdentifier => "MAP_IDENTIFIER",
            Self::StructIdentifier => "STRUCT_IDENTIFIER",
            Self::VariantIdentifier => "VARIANT_IDENTIFIER",
            Self::Identifier => "IDENTIFIER",
            Self::CapitalizedIdentifier => "CAPITALIZED_IDENTIFIER",
            Self::FuncIdentifier => "FUNC_IDENTIFIER",
            Self::ClassIdentifier => "CLASS_IDENTIFIER",
            Self::IncludeIdentifier => "INCLUDE_IDENTIFIER",
            Self::ImportIdentifier => "IMPORT_IDENTIFIER",
            Self::AsIdentifier => "AS_IDENTIFIER",
            Self::PanicIdentifier => "PANIC_IDENTIFIER",
            Self::CollectIdentifier => "COLLECT_IDENTIFIER",
            Self::Plus => "PLUS",
            Self::Minus => "MINUS",
            Self::Multiply => "MULTIPLY",
            Self::Divide => "DIVIDE",
            Self::Eq => "EQ",
            Self::Neq => "NEQ",
            Self::Lt => "LT",
            Self::Gt => "GT",
            Self::Lte => "LTE",
            Self::Gte => "GTE",
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
            Self::In => "IN",
            Self::OldDefault => "OR_OR",
            Self::End => "$end",
        }
    }

    /// The kind as people write it: `end of line`, `` `{` ``.
    pub fn in_words(self) -> String {
        let name = self.name();
        let shown = match name {
            "NEWLINE" => "end of line",
            "$end" => "end of text",
            "STRING" => "text",
            "INTEGER" | "FLOAT" => "number",
            "IDENTIFIER" => "name",
            "CAPITALIZED_IDENTIFIER" => "capitalised name",
            "OPEN_CURLY" => "`{`",
            "CLOSE_CURLY" => "`}`",
            "OPEN_PAREN" => "`(`",
            "CLOSE_PAREN" => "`)`",
            "OPEN_BRACK" => "`[`",
            "CLOSE_BRACK" => "`]`",
            "EQUALS" => "`=`",
            "DOLLAR" => "`$`",
            "COMMA" => "`,`",
            "COLON" => "`:`",
            "SEMICOLON" => "`;`",
            "ELVIS" => "`?:`",
            "EXCEPT" => "`<|>`",
            "ROCKET" => "`=>`",
            "ARROW" => "`->`",
            "DOT" => "`.`",
            "PLUS" => "`+`",
            "MINUS" => "`-`",
            "MULTIPLY" => "`*`",
            "DIVIDE" => "`/`",
            "EQ" => "`==`",
            "NEQ" => "`!=`",
            "LT" => "`<`",
            "GT" => "`>`",
            "LTE" => "`<=`",
            "GTE" => "`>=`",
            "OR_OR" => "`||`",
            "IF" | "ELSE" | "FOR" | "FORKV" | "BOOL" | "AND" | "OR" | "NOT" | "IN" => {
                return format!("`{}`", name.to_lowercase());
            }
            name => match name.strip_suffix("_IDENTIFIER") {
                Some(keyword) => return format!("`{}`", keyword.to_lowercase()),
                None => name,
            },
        };
        shown.to_owned()
    }

    /// The keyword that a word is.
    pub fn keyword(word: &str) -> Option<Self> {
        Some(match word {
            "if" => Self::If,
            "else" => Self::Else,
            "for" => Self::For,
            "forkv" => Self::ForKv,
            "true" | "false" => Self::Bool,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "in" => Self::In,
            "bool" => Self::BoolIdentifier,
            "str" => Self::StrIdentifier,
            "int" => Self::IntIdentifier,
            "float" => Self::FloatIdentifier,
            "map" => Self::MapIdentifier,
            "struct" => Self::StructIdentifier,
            "variant" => Self::VariantIdentifier,
            "func" => Self::FuncIdentifier,
            "class" => Self::ClassIdentifier,
            "include" => Self::IncludeIdentifier,
            "import" => Self::ImportIdentifier,
            "as" => Self::AsIdentifier,
            "panic" => Self::PanicIdentifier,
            "collect" => Self::CollectIdentifier,
            _ => return None,
        })
    }

    /// Whether a type can begin with it.
    pub fn starts_type(self) -> bool {
        matches!(
            self,
            Self::BoolIdentifier
                | Self::StrIdentifier
                | Self::IntIdentifier
                | Self::FloatIdentifier
                | Self::VariantIdentifier
                | Self::OpenBrack
                | Self::MapIdentifier
                | Self::StructIdentifier
                | Self::FuncIdentifier
        )
    }
}

/// A token with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its place.
    pub range: TextRange,
}
