//! Syntax errors of expressions in the form of spiff++.
//!
//! spiff++ parses expressions by a parsing expression grammar, and its errors name the phrase that
//! ended furthest to the right, even if an alternative that contains it failed. This file contains
//! as much of that grammar as is needed to find the phrase; evaluation uses another parser.

use rustc_hash::FxHashMap;

/// The maximum length of an expression, in characters.
const MAX_LENGTH: usize = 4_000;

/// The maximum depth of nested phrases.
const MAX_DEPTH: u32 = 300;

/// The rules of the grammar.
#[derive(Clone, Copy)]
enum Pattern {
    /// These characters.
    Text(&'static str),
    /// One character for which this holds.
    One(fn(char) -> bool),
    /// A phrase of the grammar by its name.
    Named(MemoizedRule),
    /// A phrase without a name of its own.
    Part(&'static Pattern),
    /// One after the other.
    All(&'static [Pattern]),
    /// The first that matches.
    First(&'static [Pattern]),
    /// It, or nothing.
    Maybe(&'static Pattern),
    /// It, as often as it matches.
    Many(&'static Pattern),
    /// Succeeds if it does not match here.
    Not(&'static Pattern),
}

use Pattern::{All, First, Many, Maybe, Named, Not, One, Part, Text};

/// The rules that are matched more than once at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum MemoizedRule {
    Whole,
    Expression,
    Level7,
    Level5,
    Level4,
    Level3,
    Level2,
    Level1,
    Level0,
    Chained,
    Qualified,
    Call,
    Expressions,
    Range,
    Grouped,
    Assignments,
    Body,
    Lambda,
    Parameters,
    NextName,
    Reference,
    FollowUp,
    Key,
    Gap,
    Blank,
}

const ANY: Pattern = One(|_| true);
const DIGIT: Pattern = One(|c| c.is_ascii_digit());
const SOME_DIGITS: Pattern = All(&[DIGIT, Many(&DIGIT)]);
const MINUS: Pattern = Maybe(&Text("-"));
const MARK: Pattern = One(|c| matches!(c, '.' | ':'));
const BLANK: Pattern = Named(MemoizedRule::Blank);
const GAP: Pattern = Named(MemoizedRule::Gap);
const EXPRESSION: Pattern = Named(MemoizedRule::Expression);
const LEVEL7: Pattern = Named(MemoizedRule::Level7);
const BODY: Pattern = Named(MemoizedRule::Body);

/// A blank between words.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

const WORD: Pattern = One(is_word);
const KEY_CHARACTERS: Pattern = All(&[WORD, Many(&One(|c| is_word(c) || c == '-'))]);
const NAME: Pattern = Part(&All(&[WORD, Many(&WORD)]));
const TAG_COMPONENT: Pattern =
    Part(&All(&[One(|c| c.is_ascii_alphabetic() || c == '_'), Many(&WORD)]));
const TAG: Pattern = Part(&All(&[TAG_COMPONENT, Many(&All(&[MARK, TAG_COMPONENT]))]));
const INDEX: Pattern = Part(&All(&[Text("["), MINUS, SOME_DIGITS, Text("]")]));

/// An operator with its right operand.
macro_rules! operation {
    ($operator:expr, $operand:ident) => {
        Part(&All(&[$operator, GAP, Named(MemoizedRule::$operand)]))
    };
}

/// Operands of a level with operations of the next one between them.
macro_rules! level {
    ($operand:ident, $operations:expr) => {
        All(&[Named(MemoizedRule::$operand), Many(&All(&[GAP, $operations]))])
    };
}

/// A mapping: its word, its operand, its lambda, and its end.
macro_rules! mapping {
    ($start:literal, $end:literal) => {
        Part(&All(&[Text($start), LEVEL7, BODY, Text($end)]))
    };
}

const WHOLE: Pattern = All(&[
    First(&[
        Part(&All(&[BLANK, Text("prefer"), GAP, EXPRESSION])),
        Part(&All(&[
            BLANK,
            MARKER,
            Many(&Part(&All(&[GAP, MARKER]))),
            BLANK,
            Maybe(&Named(MemoizedRule::Grouped)),
            BLANK,
        ])),
        EXPRESSION,
    ]),
    Not(&ANY),
]);

const MARKER: Pattern = Part(&All(&[
    Text("&"),
    First(&[
        Text("template"),
        Text("temporary"),
        Text("local"),
        Text("inject"),
        Text("state"),
        Text("default"),
        Text("dynamic"),
        Part(&All(&[Text("tag:"), Maybe(&Text("*")), TAG])),
    ]),
]));

const SCOPED: Pattern = Part(&All(&[
    BLANK,
    Part(&All(&[Part(&Text("(")), BLANK, Maybe(&Named(MemoizedRule::Assignments)), Text(")")])),
    BLANK,
    EXPRESSION,
]));

const LEVEL_7: Pattern = All(&[
    BLANK,
    LEVEL6,
    Many(&All(&[GAP, Part(&All(&[Part(&First(&[Text("||"), Text("//")])), GAP, LEVEL6]))])),
]);

const LEVEL6: Pattern = Part(&First(&[
    Part(&All(&[Named(MemoizedRule::Level5), BLANK, Text("?"), EXPRESSION, Text(":"), EXPRESSION])),
    Named(MemoizedRule::Level5),
]));

const COMPARISONS: Pattern =
    Part(&First(&[Text("=="), Text("!="), Text("<="), Text(">="), Text(">"), Text("<")]));

const NUMBER: Pattern = Part(&All(&[
    MINUS,
    DIGIT,
    Many(&One(|c| c.is_ascii_digit() || c == '_')),
    Maybe(&All(&[Text("."), SOME_DIGITS])),
    Maybe(&All(&[First(&[Text("e"), Text("E")]), MINUS, SOME_DIGITS])),
    Not(&Text("::")),
]));

const LEVEL_0: Pattern = First(&[
    Part(&All(&[
        SOME_DIGITS,
        Text("."),
        SOME_DIGITS,
        Text("."),
        SOME_DIGITS,
        Text("."),
        SOME_DIGITS,
    ])),
    Part(&All(&[
        Text("\""),
        Many(&First(&[Text("\\\""), All(&[Not(&Text("\"")), ANY])])),
        Text("\""),
    ])),
    NUMBER,
    Part(&First(&[Text("true"), Text("false")])),
    Part(&Text("~~")),
    Part(&First(&[Text("nil"), Text("~")])),
    Part(&All(&[Text("$"), NAME])),
    Part(&All(&[Text("!"), BLANK, Named(MemoizedRule::Level0)])),
    Part(&All(&[Text("*"), Named(MemoizedRule::Level0)])),
    Part(&First(&[REFERENCE_MERGE, SIMPLE_MERGE])),
    Part(&Text("auto")),
    Part(&All(&[
        Text("lambda"),
        First(&[Part(&All(&[GAP, EXPRESSION])), Named(MemoizedRule::Lambda)]),
    ])),
    Named(MemoizedRule::Chained),
]);

const REPLACE: Pattern = Part(&Text("replace"));
const REQUIRED: Pattern = Part(&Text("required"));
const ON: Pattern = Part(&All(&[Text("on"), GAP, NAME]));

const REFERENCE_MERGE: Pattern = Part(&All(&[
    Text("merge"),
    Not(&All(&[GAP, REQUIRED])),
    Maybe(&All(&[GAP, First(&[REPLACE, ON])])),
    GAP,
    Named(MemoizedRule::Reference),
]));

const SIMPLE_MERGE: Pattern = Part(&All(&[
    Text("merge"),
    Not(&Text("(")),
    Maybe(&All(&[GAP, First(&[REPLACE, REQUIRED, ON])])),
]));

const SYNC: Pattern = Part(&All(&[
    Text("sync["),
    LEVEL7,
    First(&[
        All(&[
            First(&[
                All(&[Named(MemoizedRule::Lambda), Part(&All(&[Text(","), EXPRESSION]))]),
                All(&[BODY, BODY]),
            ]),
            Maybe(&All(&[Text("|"), EXPRESSION])),
        ]),
        BODY,
    ]),
    Text("]"),
]));

const CHAINED: Pattern = All(&[
    First(&[
        mapping!("map{", "}"),
        SYNC,
        mapping!("catch[", "]"),
        mapping!("map[", "]"),
        mapping!("filter[", "]"),
        mapping!("filter{", "}"),
        mapping!("select{", "}"),
        mapping!("select[", "]"),
        Part(&All(&[Text("sum["), LEVEL7, Text("|"), LEVEL7, BODY, Text("]")])),
        Part(&All(&[START_LIST, Maybe(&Named(MemoizedRule::Expressions)), Text("]")])),
        Part(&All(&[Part(&Text("{")), BLANK, Maybe(&Named(MemoizedRule::Assignments)), Text("}")])),
        Named(MemoizedRule::Range),
        Named(MemoizedRule::Grouped),
        Named(MemoizedRule::Reference),
        Part(&All(&[Text("."), INDICES])),
    ]),
    Many(&Named(MemoizedRule::Qualified)),
]);

const START_LIST: Pattern = Part(&All(&[Text("["), BLANK]));
const INDICES: Pattern = Part(&All(&[START_LIST, Named(MemoizedRule::Expressions), Text("]")]));

const QUALIFIED: Pattern = First(&[
    Named(MemoizedRule::Call),
    Part(&All(&[Text("*"), Named(MemoizedRule::Call)])),
    Part(&All(&[PATH_COMPONENT, Named(MemoizedRule::FollowUp)])),
    Part(&All(&[Maybe(&Text(".")), INDICES])),
    Part(&All(&[
        Maybe(&Text(".")),
        First(&[Text("[*]"), Part(&Named(MemoizedRule::Range))]),
        Many(&Named(MemoizedRule::Qualified)),
    ])),
]);

const NAMED_ARGUMENT: Pattern =
    Part(&All(&[BLANK, NAME, BLANK, Text("="), BLANK, EXPRESSION, BLANK]));

const NEXT_EXPRESSION: Pattern =
    Part(&All(&[EXPRESSION, Maybe(&Part(&All(&[Text("..."), BLANK])))]));

const CALL: Pattern = All(&[
    Part(&All(&[Text("("), BLANK])),
    Maybe(&Part(&All(&[
        First(&[All(&[NAMED_ARGUMENT, Many(&All(&[Text(","), NAMED_ARGUMENT]))]), NEXT_EXPRESSION]),
        Many(&All(&[Text(","), NEXT_EXPRESSION])),
    ]))),
    Text(")"),
]);

const ASSIGNMENT: Pattern = Part(&All(&[EXPRESSION, Text("="), EXPRESSION]));

const DEFAULT: Pattern = Part(&All(&[Text("="), EXPRESSION]));

const PARAMETERS: Pattern = All(&[
    Text("|"),
    BLANK,
    Maybe(&Part(&All(&[
        Named(MemoizedRule::NextName),
        Many(&All(&[Text(","), Named(MemoizedRule::NextName)])),
        Maybe(&DEFAULT),
        Many(&All(&[Text(","), Named(MemoizedRule::NextName), DEFAULT])),
        Maybe(&Part(&All(&[Text("..."), BLANK]))),
    ]))),
    Text("|"),
]);

const TAG_PREFIX: Pattern =
    Part(&All(&[First(&[All(&[Text("doc"), MARK, MINUS, SOME_DIGITS]), TAG]), Text("::")]));

const REFERENCE: Pattern = All(&[
    First(&[
        All(&[TAG_PREFIX, First(&[Text("."), Named(MemoizedRule::Key)])]),
        All(&[Maybe(&Text(".")), Named(MemoizedRule::Key)]),
    ]),
    Named(MemoizedRule::FollowUp),
]);

const PATH_COMPONENT: Pattern =
    Part(&First(&[All(&[Text("."), Named(MemoizedRule::Key)]), All(&[Maybe(&Text(".")), INDEX])]));

impl MemoizedRule {
    fn pattern(self) -> Pattern {
        match self {
            Self::Whole => WHOLE,
            Self::Expression => All(&[First(&[SCOPED, Named(Self::Lambda), LEVEL7]), BLANK]),
            Self::Level7 => LEVEL_7,
            Self::Level5 => {
                All(&[Named(Self::Level4), Many(&Part(&All(&[GAP, Named(Self::Level4)])))])
            }
            Self::Level4 => level!(
                Level3,
                First(&[operation!(Text("-or"), Level3), operation!(Text("-and"), Level3)])
            ),
            Self::Level3 => level!(Level2, operation!(COMPARISONS, Level2)),
            Self::Level2 => level!(
                Level1,
                First(&[operation!(Text("+"), Level1), operation!(Text("-"), Level1)])
            ),
            Self::Level1 => level!(
                Level0,
                First(&[
                    operation!(Text("*"), Level0),
                    operation!(Text("/"), Level0),
                    operation!(Text("%"), Level0)
                ])
            ),
            Self::Level0 => LEVEL_0,
            Self::Chained => CHAINED,
            Self::Qualified => QUALIFIED,
            Self::Call => CALL,
            Self::Expressions => All(&[NEXT_EXPRESSION, Many(&All(&[Text(","), NEXT_EXPRESSION]))]),
            Self::Range => All(&[
                Part(&Text("[")),
                Maybe(&EXPRESSION),
                Part(&Text("..")),
                Maybe(&EXPRESSION),
                Text("]"),
            ]),
            Self::Grouped => All(&[Text("("), EXPRESSION, Text(")")]),
            Self::Assignments => All(&[ASSIGNMENT, Many(&All(&[Text(","), ASSIGNMENT]))]),
            Self::Body => First(&[Named(Self::Lambda), All(&[Text("|"), EXPRESSION])]),
            Self::Lambda => All(&[BLANK, Named(Self::Parameters), BLANK, Text("->"), EXPRESSION]),
            Self::Parameters => PARAMETERS,
            Self::NextName => All(&[BLANK, NAME, BLANK]),
            Self::Reference => REFERENCE,
            Self::FollowUp => Many(&PATH_COMPONENT),
            Self::Key => All(&[KEY_CHARACTERS, Maybe(&All(&[Text(":"), KEY_CHARACTERS]))]),
            Self::Gap => All(&[One(is_blank), Many(&One(is_blank))]),
            Self::Blank => Many(&One(is_blank)),
        }
    }
}

/// Finds the phrase that ends furthest to the right.
struct Reader<'t> {
    text: &'t [char],
    /// The end of a phrase at a position; `None` if it does not match there.
    known: FxHashMap<(MemoizedRule, usize), Option<usize>>,
    furthest: (usize, usize),
    depth: u32,
    is_exceeded: bool,
}

impl Reader<'_> {
    /// The end of the match at a place.
    fn end_of(&mut self, pattern: Pattern, at: usize) -> Option<usize> {
        match pattern {
            Text(text) => {
                let mut end = at;
                for c in text.chars() {
                    (self.text.get(end) == Some(&c)).then_some(())?;
                    end += 1;
                }
                Some(end)
            }
            One(holds) => self.text.get(at).is_some_and(|c| holds(*c)).then_some(at + 1),
            Named(phrase) => self.phrase(phrase, at),
            Part(part) => {
                let end = self.end_of(*part, at)?;
                self.note(at, end);
                Some(end)
            }
            All(parts) => parts.iter().try_fold(at, |at, part| self.end_of(*part, at)),
            First(parts) => parts.iter().find_map(|part| self.end_of(*part, at)),
            Maybe(part) => Some(self.end_of(*part, at).unwrap_or(at)),
            Many(part) => {
                let mut end = at;
                while let Some(next) = self.end_of(*part, end).filter(|next| *next > end) {
                    end = next;
                }
                Some(end)
            }
            Not(part) => self.end_of(*part, at).is_none().then_some(at),
        }
    }

    fn phrase(&mut self, phrase: MemoizedRule, at: usize) -> Option<usize> {
        if let Some(known) = self.known.get(&(phrase, at)) {
            return *known;
        }
        if self.depth >= MAX_DEPTH {
            self.is_exceeded = true;
            return None;
        }
        self.depth += 1;
        let end = self.end_of(phrase.pattern(), at);
        self.depth -= 1;
        if let Some(end) = end {
            self.note(at, end);
        }
        self.known.insert((phrase, at), end);
        end
    }

    fn note(&mut self, at: usize, end: usize) {
        if at != end && end > self.furthest.1 {
            self.furthest = (at, end);
        }
    }
}

/// The message of spiff++ for a syntax error. `None` if spiff++ can parse the expression, or if it
/// is too large.
pub fn syntax_error_message(expression: &str) -> Option<String> {
    let text: Vec<char> = expression.chars().take(MAX_LENGTH + 1).collect();
    if text.len() > MAX_LENGTH {
        return None;
    }
    let (known, furthest) = (FxHashMap::default(), (0, 0));
    let mut reader = Reader { text: &text, known, furthest, depth: 0, is_exceeded: false };
    if reader.phrase(MemoizedRule::Whole, 0).is_some() || reader.is_exceeded {
        return None;
    }
    let (start, end) = reader.furthest;
    let part: String = text[start..end].iter().collect();
    // Both positions count characters, from 1.
    let place = |at: usize| {
        let before = &text[..(at + 1).min(text.len())];
        let line = 1 + before.iter().filter(|c| **c == '\n').count();
        let own = before.iter().rev().take_while(|c| **c != '\n').count();
        (line, own + usize::from(at >= text.len()))
    };
    let ((first, from), (last, to)) = (place(start), place(end));
    Some(if text.contains(&'\n') {
        format!("parse error near line {first} symbol {from} - line {last} symbol {to}: '{part}'")
    } else {
        format!("parse error near symbol {from} - symbol {to}: '{part}'")
    })
}

#[cfg(test)]
mod tests {
    use super::syntax_error_message;

    /// The expected messages come from spiff++ 1.7.0-beta-8.
    #[test]
    fn the_phrase_that_ends_furthest_is_named() {
        let cases = [
            (r#" a "." ) "#, "symbol 7 - symbol 8: ' '"),
            (" a + ", "symbol 5 - symbol 6: ' '"),
            (" a.b. ", "symbol 4 - symbol 5: 'b'"),
            (" lambda |x| x ", "symbol 12 - symbol 13: ' '"),
            (" &temp (a ", "symbol 1 - symbol 2: ' '"),
        ];
        for (expression, wanted) in cases {
            assert_eq!(
                syntax_error_message(expression),
                Some(format!("parse error near {wanted}"))
            );
        }
        for parsed in
            [" a ", " sum[l|0|s,x|->s + x] ", " ( x = 1 ) x ", r#" f( a = 1, "b"...)*(c) "#]
        {
            assert_eq!(syntax_error_message(parsed), None, "{parsed}");
        }
        // Deep nesting takes linear time, and nesting beyond the bound gives up.
        assert!(syntax_error_message(&"(".repeat(20)).is_some());
        assert_eq!(syntax_error_message(&"(".repeat(3_000)), None);
    }
}
