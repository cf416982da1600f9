//! What the user asks for: the lists of `-p`.

use crate::error::Error;
use model::diagnostic::nearest;
use model::verdict::Property;

/// All properties.
const NAMES: [&str; 27] = [
    "safety",
    "deadlock",
    "boundedness",
    "livelock",
    "reception",
    "orphan",
    "partial-deadlock",
    "eventual-reception",
    "ltl:NAME",
    "ltl:'FORMULA'",
    "never",
    "acceptance",
    "trace",
    "notrace",
    "conformance",
    "conformance:NAME",
    "progress",
    "progress:NAME",
    "unexpected",
    "stuck-choice",
    "unbound-port",
    "bad-invoke",
    "deferred",
    "quiescence",
    "quiescence(CAPSULE@STATE, ..)",
    "unreachable(CAPSULE@STATE, ..)",
    "all",
];

/// What the user requested.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Nothing in particular: what the model has.
    Everything,
    /// These.
    Listed(Vec<Property>),
    /// `all`: what the model has and what would only be advice, and these.
    All(Vec<Property>),
}

impl Wanted {
    /// Reads the lists of `-p`.
    pub fn parse(lists: &[String]) -> Result<Wanted, Error> {
        let (mut properties, mut all) = (Vec::new(), false);
        for item in lists.iter().flat_map(|list| split_list(list)) {
            match item.as_str() {
                "all" => all = true,
                "safety" => properties.push(Property::Safety),
                "deadlock" => properties.push(Property::Deadlock),
                "boundedness" => properties.push(Property::Boundedness),
                "livelock" => properties.push(Property::Livelock),
                "reception" => properties.push(Property::Reception),
                "orphan" => properties.push(Property::Orphan),
                "partial-deadlock" => properties.push(Property::PartialDeadlock),
                "eventual-reception" => properties.push(Property::EventualReception),
                "progress" => properties.push(Property::Progress(String::new())),
                "never" => properties.push(Property::Never(String::new())),
                "acceptance" => properties.push(Property::Acceptance),
                "trace" | "notrace" => properties.push(Property::Trace(item.clone())),
                "conformance" => properties.push(Property::Conformance(String::new())),
                other => properties.push(with_a_name(other)?),
            }
        }
        let mut seen = std::collections::HashSet::new();
        properties.retain(|property| seen.insert(property.clone()));
        match (all, properties.is_empty()) {
            (true, _) => Ok(Wanted::All(properties)),
            (false, false) => Ok(Wanted::Listed(properties)),
            (false, true) if lists.is_empty() => Ok(Wanted::Everything),
            (false, true) => Err(Error::Usage(format!("-p names no property; there are {}", NAMES.join(", ")))),
        }
    }

    /// The properties that are named one by one.
    pub fn named(&self) -> &[Property] {
        match self {
            Wanted::Everything => &[],
            Wanted::Listed(listed) | Wanted::All(listed) => listed,
        }
    }
}

/// `ltl:NAME`, `ltl:'FORMULA'`, `conformance:NAME`, `progress:NAME`, or a question of UML-RT.
fn with_a_name(item: &str) -> Result<Property, Error> {
    match item.split_once(':') {
        Some(("ltl", formula)) if !formula.is_empty() => Ok(Property::Ltl(formula.to_owned())),
        Some(("conformance", name)) if !name.is_empty() => Ok(Property::Conformance(name.to_owned())),
        Some(("progress", name)) if !name.is_empty() => Ok(Property::Progress(name.to_owned())),
        // The front end of UML-RT writes the formula.
        _ if input::is_question(item) => Ok(Property::Question(item.to_owned())),
        _ => {
            let near = nearest(item, NAMES).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            let known = NAMES.join(", ");
            Err(Error::Usage(format!("-p {item}: there is no such property; {near}there are {known}")))
        }
    }
}

/// Splits at commas that are not inside parentheses: a formula may have some.
pub(crate) fn split_list(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut level = 0i32;
    for c in list.chars() {
        match c {
            '(' | '[' | '{' => level += 1,
            ')' | ']' | '}' => level -= 1,
            _ => {}
        }
        if c == ',' && level == 0 {
            items.push(String::new());
        } else if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    items.into_iter().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_with_commas_in_parentheses_is_one_item() {
        assert_eq!(split_list("safety, ltl:G(a(1,2) -> F b),deadlock"), ["safety", "ltl:G(a(1,2) -> F b)", "deadlock"]);
    }

    #[test]
    fn a_list_without_a_property_is_bad_usage_and_all_keeps_what_is_named_beside_it() {
        let of = |list: &str| Wanted::parse(&[list.to_owned()]);
        for list in ["", ",", " , "] {
            assert!(matches!(of(list), Err(Error::Usage(_))), "{list}");
        }
        assert!(matches!(Wanted::parse(&[]), Ok(Wanted::Everything)));
        assert!(matches!(of("all,ltl:[] p"), Ok(Wanted::All(named)) if named == [Property::Ltl(String::from("[] p"))]));
    }

    #[test]
    fn an_unknown_property_is_bad_usage() {
        assert!(matches!(Wanted::parse(&[String::from("speed")]), Err(Error::Usage(_))));
    }
}
