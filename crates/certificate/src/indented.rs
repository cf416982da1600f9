//! JSON that is indented as far as a person reads it.
//!
//! Indented all the way, a step of a run takes twenty lines; not indented, a run is one. This layout
//! indents the outer levels of a document and writes what is deeper on one line: a step is a line,
//! and two traces can be compared line by line.

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, Write};

/// The level of the steps: document, witness, list of steps.
const LEVELS: usize = 3;

/// Indents the outer levels.
#[derive(Debug, Default)]
pub struct Indented {
    outer: PrettyFormatter<'static>,
    inner: CompactFormatter,
    level: usize,
}

/// Hands a call on to the formatter of the current level.
macro_rules! hand_on {
    ($self:ident.$name:ident($($argument:ident),*)) => {
        if $self.level <= LEVELS { $self.outer.$name($($argument),*) } else { $self.inner.$name($($argument),*) }
    };
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.level += 1;
        hand_on!(self.begin_array(out))
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let result = hand_on!(self.end_array(out));
        self.level -= 1;
        result
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.level += 1;
        hand_on!(self.begin_object(out))
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let result = hand_on!(self.end_object(out));
        self.level -= 1;
        result
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        hand_on!(self.begin_array_value(out, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        hand_on!(self.end_array_value(out))
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        hand_on!(self.begin_object_key(out, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        hand_on!(self.begin_object_value(out))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        hand_on!(self.end_object_value(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::{Serializer, Value, json};

    fn written(value: &Value) -> String {
        let mut out = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut out, Indented::default())).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_deep_is_on_one_line() {
        let value = json!({"a": {"list": [{"x": [1, 2], "y": {}}, {"x": [], "y": {"z": null}}], "none": []}, "b": 1});
        let text = written(&value);
        insta::assert_snapshot!(text, @r#"
        {
          "a": {
            "list": [
              {"x":[1,2],"y":{}},
              {"x":[],"y":{"z":null}}
            ],
            "none": []
          },
          "b": 1
        }
        "#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
