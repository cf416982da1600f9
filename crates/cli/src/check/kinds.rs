//! Models that are no networks: structures side by side, C programs, C components. Each answers some questions; what else
//! is asked is not checked, and why is said.

use super::wanted::Wanted;
use crate::components::Components;
use crate::compositions::Compositions;
use crate::failure::Failure;
use crate::programs::Programs;
use model::context::Context;
use model::semantics::Reading;
use model::verdict::{Outcome, Property};
use report::document::NotChecked;
use std::io::Write;

/// The answers, and the questions without one.
pub type Answered = (Vec<Outcome>, Vec<NotChecked>);

/// A question that nobody looks at.
fn not_checked(property: &Property, reason: String) -> NotChecked {
    NotChecked { property: property.to_string(), reason, reading: Reading::Declared, asked: true }
}

/// Structures side by side.
pub fn composition(compositions: &Compositions<'_>, wanted: &Wanted, cx: &Context<'_>) -> Result<Answered, Failure> {
    let asked = match wanted {
        Wanted::Everything => compositions.properties(),
        Wanted::Listed(properties) => properties.clone(),
    };
    let (mut properties, mut left) = (Vec::new(), Vec::new());
    for property in asked {
        match compositions.unsupported(&property) {
            Some(reason) => left.push(not_checked(&property, reason)),
            None if property == Property::Safety && !compositions.has_error() => {
                writeln!(std::io::stderr(), "note: safety is left out: no component has an error state")?;
            }
            None => properties.push(property),
        }
    }
    Ok((compositions.check(&properties, cx), left))
}

/// Safety of a C program.
pub fn program(programs: &Programs<'_>, wanted: &Wanted, cx: &Context<'_>) -> Result<Answered, Failure> {
    let asked = match wanted {
        Wanted::Everything => vec![Property::Safety],
        Wanted::Listed(properties) => properties.clone(),
    };
    let (mut outcomes, mut left) = (Vec::new(), Vec::new());
    for property in asked {
        match programs.unsupported(&property) {
            None => outcomes.push(programs.safety(cx)?),
            Some(reason) => left.push(not_checked(&property, reason)),
        }
    }
    Ok((outcomes, left))
}

/// C components.
pub fn components(components: &Components<'_>, wanted: &Wanted, cx: &Context<'_>) -> Result<Answered, Failure> {
    let asked = match wanted {
        Wanted::Everything => components.properties(),
        Wanted::Listed(properties) => {
            let named: Result<Vec<_>, _> = properties.iter().map(|property| components.named(property)).collect();
            named?.concat()
        }
    };
    let (mut properties, mut left) = (Vec::new(), Vec::new());
    for property in asked {
        match components.unsupported(&property) {
            Some(reason) => left.push(not_checked(&property, reason)),
            None if properties.contains(&property) => {}
            None => properties.push(property),
        }
    }
    Ok((components.check(&properties, cx)?, left))
}
