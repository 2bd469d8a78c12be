//! Reads members of a JSON document by name and type. Every error has the JSON pointer of the value.

use std::fmt;

use serde_json::Value;

use super::broken;
use crate::Error;

/// A value of a document and its JSON pointer, which is formatted only for errors.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    value: &'a Value,
    above: Option<&'a At<'a>>,
    step: Step<'a>,
}

/// A step of a JSON pointer.
#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Element(usize),
}

impl<'a> At<'a> {
    /// The whole document.
    pub(super) const fn root(value: &'a Value) -> Self {
        At { value, above: None, step: Step::Root }
    }

    pub(super) const fn value(&self) -> &'a Value {
        self.value
    }

    fn found(&self, expected: fmt::Arguments<'_>) -> Error {
        let found = match self.value {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::String(text) => format!("{:?}", text.chars().take(32).collect::<String>()),
            Value::Array(list) => format!("a list of {}", list.len()),
            Value::Object(_) => "an object".into(),
        };
        broken(format_args!("{self}: expected {expected}, found {found}"))
    }

    /// The error for an unexpected value.
    pub(super) fn fault(&self, expected: &str) -> Error {
        self.found(format_args!("{expected}"))
    }

    /// A member of this object; `None` if it is absent or null.
    pub(super) fn get<'s>(&'s self, name: &'s str) -> Result<Option<At<'s>>, Error> {
        let members = self.value.as_object().ok_or_else(|| self.fault("an object"))?;
        let value = members.get(name).filter(|value| !value.is_null());
        Ok(value.map(|value| At { value, above: Some(self), step: Step::Member(name) }))
    }

    /// A member that is required.
    pub(super) fn required<'s>(&'s self, name: &'s str) -> Result<At<'s>, Error> {
        self.get(name)?.ok_or_else(|| broken(format_args!("{self}: the member {name} is missing")))
    }

    /// Reads each element of a list; none if it is absent.
    pub(super) fn each<T>(
        &self,
        name: &str,
        mut read: impl FnMut(&At<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let Some(list) = self.get(name)? else { return Ok(Vec::new()) };
        let values = list.value.as_array().ok_or_else(|| list.fault("a list"))?;
        let mut all = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            all.push(read(&At { value, above: Some(&list), step: Step::Element(index) })?);
        }
        Ok(all)
    }

    /// Reads each member of an object with its name, sorted by name.
    pub(super) fn members(
        &self,
        mut read: impl FnMut(&str, &At<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let members = self.value.as_object().ok_or_else(|| self.fault("an object"))?;
        members.iter().try_for_each(|(name, value)| {
            read(name, &At { value, above: Some(self), step: Step::Member(name) })
        })
    }

    /// The number of elements of a list; 0 if it is absent.
    pub(super) fn count(&self, name: &str) -> Result<usize, Error> {
        let Some(list) = self.get(name)? else { return Ok(0) };
        Ok(list.value.as_array().ok_or_else(|| list.fault("a list"))?.len())
    }

    /// This value as an unsigned integer.
    pub(super) fn unsigned(&self) -> Result<usize, Error> {
        let value = self.value.as_u64().and_then(|value| usize::try_from(value).ok());
        value.ok_or_else(|| self.fault("an unsigned integer"))
    }

    /// This value as an index into a list of `count` elements.
    pub(super) fn index_below(&self, count: usize) -> Result<usize, Error> {
        let index = self.unsigned()?;
        (index < count).then_some(index).ok_or_else(|| self.found(format_args!("an index below {count}")))
    }

    /// An unsigned integer; `None` if it is absent.
    pub(super) fn size(&self, name: &str) -> Result<Option<usize>, Error> {
        self.get(name)?.map(|found| found.unsigned()).transpose()
    }

    /// An index into a list of `count` elements; `None` if it is absent.
    pub(super) fn index(&self, name: &str, count: usize) -> Result<Option<usize>, Error> {
        self.get(name)?.map(|found| found.index_below(count)).transpose()
    }

    /// A list of indices into a list of `count` elements.
    pub(super) fn indices(&self, name: &str, count: usize) -> Result<Vec<usize>, Error> {
        self.each(name, |index| index.index_below(count))
    }

    /// A boolean; false if it is absent.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Error> {
        let Some(found) = self.get(name)? else { return Ok(false) };
        found.value.as_bool().ok_or_else(|| found.fault("true or false"))
    }

    /// This value as text.
    pub(super) fn as_text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.fault("a string"))
    }

    /// A string; `None` if it is absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Error> {
        self.get(name)?.map(|found| found.as_text().map(String::from)).transpose()
    }

    fn as_float(&self) -> Result<f32, Error> {
        let number = self.value.as_f64().ok_or_else(|| self.fault("a number"))? as f32;
        number.is_finite().then_some(number).ok_or_else(|| self.fault("a number of 32 bits"))
    }

    /// A number; `None` if it is absent.
    pub(super) fn float(&self, name: &str) -> Result<Option<f32>, Error> {
        self.get(name)?.map(|number| number.as_float()).transpose()
    }

    /// A list of numbers; `None` if it is absent.
    pub(super) fn floats(&self, name: &str) -> Result<Option<Vec<f32>>, Error> {
        Ok(if self.get(name)?.is_some() { Some(self.each(name, |number| number.as_float())?) } else { None })
    }

    /// A list of `N` numbers; `None` if it is absent.
    pub(super) fn vector<const N: usize>(&self, name: &str) -> Result<Option<[f32; N]>, Error> {
        let Some(numbers) = self.floats(name)? else { return Ok(None) };
        match <[f32; N]>::try_from(numbers) {
            Ok(vector) => Ok(Some(vector)),
            Err(_) => Err(self.required(name)?.found(format_args!("{N} numbers"))),
        }
    }
}

impl At<'_> {
    fn pointer(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            above.pointer(f)?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Member(name) => write!(f, "/{}", name.replace('~', "~0").replace('/', "~1")),
            Step::Element(index) => write!(f, "/{index}"),
        }
    }
}

/// The JSON pointer (RFC 6901), which is empty for the whole document.
impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.above.is_none() { f.write_str("the document") } else { self.pointer(f) }
    }
}
