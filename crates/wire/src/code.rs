//! The codes of findings: their severity, meaning and remedy.

use core::fmt;

use crate::Severity;

/// A kind of finding: its name, severity, meaning and remedy. They are the same in every format.
///
/// [`codes!`](crate::codes!) defines codes. It requires every member, so that there is no code without an explanation.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Code {
    /// A stable name in SCREAMING_SNAKE_CASE.
    pub name: &'static str,
    /// The severity of all findings with this code.
    pub severity: Severity,
    /// A description of several findings with this code that follows a number: "tags whose axes are not of length 1".
    pub plural: &'static str,
    /// The meaning of the code.
    pub meaning: &'static str,
    /// The suggested remedy.
    pub remedy: &'static str,
}

impl Code {
    /// A code. [`codes!`](crate::codes!) is the usual way to define one.
    pub const fn new(
        name: &'static str,
        severity: Severity,
        plural: &'static str,
        meaning: &'static str,
        remedy: &'static str,
    ) -> Self {
        Code { name, severity, plural, meaning, remedy }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// Defines codes: a `static` for each, documented with its meaning, and `ALL`, which lists them.
///
/// ```
/// meshlens_wire::codes! {
///     FLAGS_SET: Info, "fields of flags that are not 0",
///         "The format defines no flags.", "Nothing: readers ignore them.";
/// }
/// assert_eq!((FLAGS_SET.name, ALL.len()), ("FLAGS_SET", 1));
/// ```
#[macro_export]
macro_rules! codes {
    ($($name:ident: $severity:ident, $plural:literal, $meaning:literal, $remedy:literal;)*) => {
        $(
            #[doc = $meaning]
            pub static $name: $crate::Code =
                $crate::Code::new(stringify!($name), $crate::Severity::$severity, $plural, $meaning, $remedy);
        )*

        /// Every code defined here.
        pub static ALL: &[&$crate::Code] = &[$(&$name),*];
    };
}

/// An index that is out of range, for messages: "vertex 9; there are 4 (0 to 3)".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange<'a> {
    /// The name of an element, such as "vertex".
    pub what: &'a str,
    /// The index.
    pub index: i64,
    /// The number of elements.
    pub count: u64,
}

impl<'a> OutOfRange<'a> {
    /// Index `index` of `count` elements called `what`. Numbers larger than `i64::MAX` are shown as `i64::MAX`.
    pub fn new(what: &'a str, index: impl TryInto<i64>, count: impl TryInto<u64>) -> Self {
        OutOfRange {
            what,
            index: index.try_into().unwrap_or(i64::MAX),
            count: count.try_into().unwrap_or(u64::MAX),
        }
    }
}

impl fmt::Display for OutOfRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}; ", self.what, self.index)?;
        match self.count.checked_sub(1) {
            None => f.write_str("there is none"),
            Some(0) => f.write_str("there is 1 (0)"),
            Some(last) => write!(f, "there are {} (0 to {last})", self.count),
        }
    }
}
