//! JSON output. All JSON uses one serializer, so that code that writes a document is compiled once.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Writes `value` on one line.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    write_with(out, value, Layout::Compact(CompactFormatter))
}

/// Writes `value` with line breaks and indentation.
pub(crate) fn write_pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    write_with(out, value, Layout::Pretty(PrettyFormatter::new()))
}

/// The value as a tree.
pub(crate) fn to_value(value: &impl Serialize) -> io::Result<Value> {
    let mut bytes = Vec::new();
    write(&mut bytes, value)?;
    Ok(serde_json::from_slice(&bytes)?)
}

fn write_with(out: &mut dyn Write, value: &impl Serialize, layout: Layout) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, layout))?)
}

enum Layout {
    Compact(CompactFormatter),
    Pretty(PrettyFormatter<'static>),
}

/// Implements the methods in which the two layouts differ.
macro_rules! delegate {
    ($($method:ident($($argument:ident: $type:ty)?))*) => {
        impl Formatter for Layout {$(
            fn $method<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)?) -> io::Result<()> {
                match self {
                    Layout::Compact(formatter) => formatter.$method(out $(, $argument)?),
                    Layout::Pretty(formatter) => formatter.$method(out $(, $argument)?),
                }
            }
        )*}
    };
}

delegate! {
    begin_array()
    end_array()
    begin_array_value(first: bool)
    end_array_value()
    begin_object()
    end_object()
    begin_object_key(first: bool)
    begin_object_value()
    end_object_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_equal_the_output_of_serde_json() {
        let value = serde_json::json!({"a": [1, [], {"b": {}}], "c": "d"});
        let written = |write: fn(&mut dyn Write, &Value) -> io::Result<()>| {
            let mut bytes = Vec::new();
            write(&mut bytes, &value).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(|out, value| write(out, value)), serde_json::to_string(&value).unwrap());
        assert_eq!(
            written(|out, value| write_pretty(out, value)),
            serde_json::to_string_pretty(&value).unwrap()
        );
        assert_eq!(to_value(&value).unwrap(), value);
    }
}
