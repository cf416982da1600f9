//! A validator for the part of JSON Schema that the schemas of these tests use; a keyword that it does not know is an error.

use serde_json::Value;

/// What is checked beyond the schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// As the schema says.
    Open,
    /// A field that the schema does not name is an error, unless it says that there may be others.
    Named,
}

/// What is wrong with a document; empty if it is valid.
pub fn errors(schema: &Value, document: &Value, fields: Fields) -> Vec<String> {
    let mut errors = Vec::new();
    Validator { root: schema, fields }.check(schema, document, "", &mut errors);
    errors
}

struct Validator<'a> {
    root: &'a Value,
    fields: Fields,
}

impl<'a> Validator<'a> {
    fn check(&self, schema: &'a Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if *schema == Value::Bool(false) {
                errors.push(format!("{at}: nothing may be here"));
            }
            return;
        };
        for (keyword, argument) in keywords {
            self.keyword(schema, keyword, argument, value, at, errors);
        }
        let (Some(properties), Value::Object(object)) = (schema.get("properties"), value) else { return };
        let closed = self.fields == Fields::Named && schema.get("additionalProperties").is_none();
        for name in object.keys().filter(|name| closed && properties.get(name).is_none()) {
            errors.push(format!("{at}: the schema does not name `{name}`"));
        }
    }

    fn keyword(
        &self,
        schema: &'a Value,
        keyword: &str,
        argument: &'a Value,
        value: &Value,
        at: &str,
        errors: &mut Vec<String>,
    ) {
        let list = || argument.as_array().map_or(&[][..], Vec::as_slice);
        let mut expect = |holds: bool| {
            if !holds {
                errors.push(format!("{at}: {value} against {keyword} {argument}"));
            }
        };
        match (keyword, value) {
            ("$ref", _) => {
                let path = argument.as_str().unwrap().strip_prefix('#').unwrap();
                let target = self.root.pointer(path).unwrap_or_else(|| panic!("no {path}"));
                self.check(target, value, at, errors);
            }
            ("type", _) => expect(is(value, argument)),
            ("enum", _) => expect(list().contains(value)),
            ("const", _) => expect(value == argument),
            ("anyOf" | "oneOf", _) => {
                let valid = |one: &&Value| {
                    let mut errors = Vec::new();
                    self.check(one, value, at, &mut errors);
                    errors.is_empty()
                };
                let count = list().iter().filter(valid).count();
                expect(if keyword == "anyOf" { count > 0 } else { count == 1 });
            }
            ("required", Value::Object(object)) => {
                expect(list().iter().all(|name| object.contains_key(name.as_str().unwrap())));
            }
            ("properties", Value::Object(object)) => {
                for (name, property) in argument.as_object().unwrap() {
                    if let Some(value) = object.get(name) {
                        self.check(property, value, &format!("{at}.{name}"), errors);
                    }
                }
            }
            ("additionalProperties", Value::Object(object)) => {
                let known = |name: &str| schema.get("properties").is_some_and(|known| known.get(name).is_some());
                for (name, value) in object.iter().filter(|(name, _)| !known(name)) {
                    self.check(argument, value, &format!("{at}.{name}"), errors);
                }
            }
            ("items", Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    self.check(argument, item, &format!("{at}[{position}]"), errors);
                }
            }
            ("minItems", Value::Array(items)) => expect(items.len() as u64 >= argument.as_u64().unwrap()),
            ("uniqueItems", Value::Array(items)) => {
                expect(items.iter().enumerate().all(|(position, item)| !items[..position].contains(item)));
            }
            ("minimum", Value::Number(number)) => expect(number.as_f64() >= argument.as_f64()),
            ("maximum", Value::Number(number)) => expect(number.as_f64() <= argument.as_f64()),
            // Of formats and patterns only those that matter here: a reference to a file has no blank and no backslash.
            ("format", Value::String(text)) if argument == "uri-reference" || argument == "uri" => {
                expect(!text.contains([' ', '\\', '<', '>', '"']));
            }
            ("required" | "properties" | "additionalProperties" | "items" | "minItems" | "uniqueItems", _) => {}
            ("minimum" | "maximum" | "format" | "pattern", _) => {}
            ("$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default", _) => {}
            (other, _) => panic!("{at}: the validator does not know {other}"),
        }
    }
}

fn is(value: &Value, kind: &Value) -> bool {
    match (kind.as_str(), value) {
        (None, _) => kind.as_array().unwrap().iter().any(|kind| is(value, kind)),
        (Some("object"), Value::Object(_)) | (Some("array"), Value::Array(_)) | (Some("string"), Value::String(_)) => {
            true
        }
        (Some("boolean"), Value::Bool(_)) | (Some("null"), Value::Null) | (Some("number"), Value::Number(_)) => true,
        (Some("integer"), Value::Number(number)) => number.is_i64() || number.is_u64(),
        _ => false,
    }
}

#[test]
fn the_validator_refuses_what_a_schema_refuses() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "$defs": { "n": { "type": "integer", "minimum": 1 } },
        "properties": { "a": { "$ref": "#/$defs/n" }, "b": { "type": "array", "items": { "enum": ["x"] }, "minItems": 1 },
                        "c": { "anyOf": [{ "type": "null" }, { "type": "string" }] } }
    });
    let valid = |text: &str, fields| errors(&schema, &serde_json::from_str(text).unwrap(), fields).is_empty();
    assert!(valid(r#"{"a":1,"b":["x"],"c":null,"d":0}"#, Fields::Open));
    for wrong in [r#"{"a":1,"d":0}"#, r#"{"a":0}"#, r#"{"a":"1"}"#, r#"{}"#, r#"[]"#, r#"{"a":1,"b":[]}"#] {
        assert!(!valid(wrong, Fields::Named), "{wrong}");
    }
    for wrong in [r#"{"a":1,"b":["y"]}"#, r#"{"a":1,"c":1}"#, r#"{"a":1.5}"#] {
        assert!(!valid(wrong, Fields::Open), "{wrong}");
    }
}
