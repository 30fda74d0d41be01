//! Operators by precedence: precedence climbing over a language's table of operators.

/// A language's operators.
///
/// Binding powers are numbers in the language's own order; 0 is below all of them. An operator
/// applies if its power exceeds the surrounding one, so operators of equal power are
/// left-associative; for a right-associative operator a language returns a lower power for the
/// right operand.
pub trait Operators {
    /// An expression in the tree.
    type Node: Copy;
    /// An infix operator that was read.
    type Op;
    /// The error of a production.
    type Error;

    /// Reads an operand with its prefix operators.
    ///
    /// # Errors
    /// When there is none.
    fn operand(&mut self) -> Result<Self::Node, Self::Error>;

    /// Reads a suffix of `left`, such as a call, an index or a selection. Returns the new operand,
    /// or `None` if no suffix follows.
    ///
    /// # Errors
    /// When it is invalid.
    fn suffix(&mut self, left: Self::Node, min: u8) -> Result<Option<Self::Node>, Self::Error>;

    /// Reads an infix operator that binds tighter than `min`, and returns it with the power that
    /// operators of its right operand must exceed. Reads nothing if there is none.
    fn infix(&mut self, min: u8) -> Option<(Self::Op, u8)>;

    /// Reads the right operand of an operator, usually [`expression`] in its own guard. `count`
    /// operators were read before at this level.
    ///
    /// # Errors
    /// When there is none, or it is too large.
    fn right(&mut self, power: u8, count: u32) -> Result<Self::Node, Self::Error>;

    /// Creates a node from an operator and its operands.
    ///
    /// # Errors
    /// When the tree is full.
    fn join(
        &mut self,
        op: Self::Op,
        left: Self::Node,
        right: Self::Node,
    ) -> Result<Self::Node, Self::Error>;
}

/// Reads an expression whose operators all bind tighter than `min`.
///
/// # Errors
/// Those of the language.
pub fn expression<L: Operators>(language: &mut L, min: u8) -> Result<L::Node, L::Error> {
    let left = language.operand()?;
    operators_after(language, left, min)
}

/// Reads the operators after a first operand that bind tighter than `min`.
///
/// # Errors
/// Those of the language.
#[inline]
pub fn operators_after<L: Operators>(
    language: &mut L,
    mut left: L::Node,
    min: u8,
) -> Result<L::Node, L::Error> {
    let mut count = 0;
    loop {
        while let Some(more) = language.suffix(left, min)? {
            left = more;
        }
        let Some((op, power)) = language.infix(min) else { return Ok(left) };
        let right = language.right(power, count)?;
        left = language.join(op, left, right)?;
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Cursor, Nesting};

    /// Digits with `+ - * ^ !`; `^` is right-associative, `!` is a suffix.
    struct Sums<'t> {
        cursor: Cursor<'t>,
        nesting: Nesting,
        nodes: Vec<String>,
    }

    impl Sums<'_> {
        fn push(&mut self, text: String) -> usize {
            self.nodes.push(text);
            self.nodes.len() - 1
        }
    }

    impl Operators for Sums<'_> {
        type Node = usize;
        type Op = char;
        type Error = String;

        fn operand(&mut self) -> Result<usize, String> {
            if self.cursor.eat("(") {
                let inner = self.right(0, 0)?;
                return if self.cursor.eat(")") { Ok(inner) } else { Err("no )".into()) };
            }
            let digits = self.cursor.take_while(|c| c.is_ascii_digit()).to_owned();
            if digits.is_empty() { Err("no operand".into()) } else { Ok(self.push(digits)) }
        }

        fn suffix(&mut self, left: usize, _: u8) -> Result<Option<usize>, String> {
            let text = format!("{}!", self.nodes[left]);
            Ok(self.cursor.eat("!").then(|| self.push(text)))
        }

        fn infix(&mut self, min: u8) -> Option<(char, u8)> {
            let op = self.cursor.peek()?;
            let (power, right) = match op {
                '+' | '-' => (1, 1),
                '*' => (2, 2),
                '^' => (3, 2),
                _ => return None,
            };
            (power > min).then(|| (self.cursor.bump().unwrap(), right))
        }

        fn right(&mut self, power: u8, count: u32) -> Result<usize, String> {
            if count > 5 || self.nesting.enter().is_err() {
                return Err("too much".into());
            }
            let right = expression(self, power);
            self.nesting.leave();
            right
        }

        fn join(&mut self, op: char, left: usize, right: usize) -> Result<usize, String> {
            let text = format!("({}{op}{})", self.nodes[left], self.nodes[right]);
            Ok(self.push(text))
        }
    }

    fn read(text: &str) -> Result<String, String> {
        let (cursor, nesting) = (Cursor::new(text), Nesting::new(20));
        let mut sums = Sums { cursor, nesting, nodes: Vec::new() };
        let root = expression(&mut sums, 0)?;
        assert!(sums.cursor.is_done());
        Ok(sums.nodes[root].clone())
    }

    #[test]
    fn powers_and_sides() {
        assert_eq!(read("1+2*3-4").unwrap(), "((1+(2*3))-4)");
        assert_eq!(read("2^3^4*5!!").unwrap(), "((2^(3^4))*5!!)");
        assert_eq!(read("(1+2)!*3").unwrap(), "((1+2)!*3)");
        assert_eq!(read("1+").unwrap_err(), "no operand");
    }

    #[test]
    fn chains_and_nesting_are_bounded() {
        assert_eq!(read("1+1+1+1+1+1+1+1").unwrap_err(), "too much");
        assert_eq!(read(&"(".repeat(1000)).unwrap_err(), "too much");
    }
}
