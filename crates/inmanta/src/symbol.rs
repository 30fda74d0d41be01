//! Interned names.

use std::fmt;

use ecow::EcoString;
use rustc_hash::FxHashMap;

/// The number of a name in its [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// All names of a program.
#[derive(Default, Debug)]
pub struct Symbols {
    numbers: FxHashMap<EcoString, u32>,
    names: Vec<EcoString>,
}

impl Symbols {
    /// The number of a name; adds the name if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(name) {
            return Symbol(number);
        }
        let number = self.names.len() as u32;
        let name = EcoString::from(name);
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        Symbol(number)
    }

    /// The number of a name; `None` if it never occurs.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.numbers.get(name).copied().map(Symbol)
    }

    /// The name of a number.
    pub fn name(&self, symbol: Symbol) -> &EcoString {
        &self.names[symbol.0 as usize]
    }
}
