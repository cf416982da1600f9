//! What is asked about a specification, and which of its parts, events and propositions that is about.

use crate::accesses::Accesses;
use crate::expression::Expression;
use crate::graph::{Access, Graph, Place, Returns, Source, build};
use crate::specification::{Conformance, Part, Procedure, Specification};
use model::composition::{Atom, Named};
use model::formula::Ltl;
use model::ids::{EventId, PropositionId};
use model::reason::Reason;
use model::structure::{Ending, StateParts, Structure};
use model::verdict::Property;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Nothing gets stuck. A run in which an assumption of the author does not hold is no run, and not a deadlock.
    Deadlock,
    /// No part gets into an error: an assertion, an error routine, a fault of the program, an error of a process.
    Safety,
    /// Every infinite run keeps a formula, by its number.
    Formula(usize),
    /// A procedure does only what a process allows, by its number. Its own errors are another question.
    Conformance(usize),
    /// No two parts are at accesses to one variable of which one is a store. Errors are another question.
    Races,
}

impl Specification {
    /// The question that a property is.
    pub fn question(&self, property: &Property) -> Option<Question> {
        match property {
            Property::Deadlock => Some(Question::Deadlock),
            Property::Safety => Some(Question::Safety),
            Property::Ltl(name) => self.formulas.iter().position(|found| found.name == *name).map(Question::Formula),
            Property::Conformance(name) => {
                let same = |found: &Conformance| found.short_name() == *name;
                self.conformances.iter().position(same).map(Question::Conformance)
            }
            _ => None,
        }
    }
}

impl Conformance {
    /// `save conforms to ALLOWED` is `save to ALLOWED`.
    pub fn short_name(&self) -> String {
        self.name.replacen(" conforms to ", " to ", 1)
    }
}

/// A question, with what of the specification it is about.
#[derive(Clone, Debug)]
pub struct Prepared<'s> {
    /// The formula, if the question is about one.
    pub formula: Option<&'s Ltl<Atom>>,
    /// The parts, in the order in which runs and proofs number them.
    pub parts: Vec<Part>,
    /// All events, those of accesses included.
    pub events: Vec<Named>,
    accesses: Accesses,
    question: Question,
    /// The propositions of the formula.
    propositions: Vec<PropositionId>,
    /// The returns that are events.
    returns: &'s [Returns],
}

impl<'s> Prepared<'s> {
    /// What a question is about. The values of a shared variable are one class: there is one event for its loads by a
    /// part, and one for its stores.
    pub fn new(specification: &'s Specification, question: Question) -> Result<Prepared<'s>, Reason> {
        Self::with_values(specification, question, &vec![Vec::new(); specification.shared.len()], true)
    }

    /// The same with classes of values: for each shared variable the values at which the next class begins. Accesses to a
    /// variable with one class tell the others nothing, and are silent.
    pub fn with_cuts(
        specification: &'s Specification,
        question: Question,
        cuts: &[Vec<u64>],
    ) -> Result<Prepared<'s>, Reason> {
        Self::with_values(specification, question, cuts, false)
    }

    fn with_values(
        specification: &'s Specification,
        question: Question,
        cuts: &[Vec<u64>],
        all_seen: bool,
    ) -> Result<Prepared<'s>, Reason> {
        let alone = matches!(question, Question::Conformance(_));
        let accesses = Accesses::new(specification, if alone { &[] } else { cuts }, all_seen)?;
        let missing = |what: &str| Reason::NotSupported(format!("there is no such {what}"));
        let (mut formula, mut returns) = (None, &[][..]);
        let mut parts = Vec::new();
        match question {
            Question::Conformance(number) => {
                let conformance = specification.conformances.get(number).ok_or_else(|| missing("conformance"))?;
                let procedure = conformance.procedure.clone();
                parts = vec![Part::Procedure(procedure), Part::Process(Box::new(conformance.watcher.clone()))];
                returns = conformance.returns();
            }
            Question::Formula(number) => {
                let requirement = specification.formulas.get(number).ok_or_else(|| missing("formula"))?;
                formula = Some(&requirement.formula);
                returns = specification.returns.get(number).map_or(&[][..], Vec::as_slice);
            }
            Question::Deadlock | Question::Safety | Question::Races => {}
        }
        if parts.is_empty() {
            parts.clone_from(&specification.parts);
        }
        if parts.is_empty() {
            return Err(Reason::NotSupported(String::from("the specification has no program")));
        }
        if question == Question::Races {
            parts.iter_mut().for_each(without_errors);
        }
        parts.extend(accesses.parts().map(|variable| Part::Process(Box::new(variable))));
        let events = specification.events.iter().cloned().chain(accesses.events(specification)).collect();
        Ok(Prepared { formula, parts, events, accesses, question, propositions: propositions(formula), returns })
    }

    /// The number of a procedure among the parts.
    fn number(&self, procedure: &Procedure) -> usize {
        self.parts.iter().position(|part| part.name() == procedure.name).unwrap_or(usize::MAX)
    }

    /// Whether two parts that access a variable at the same time are looked for.
    fn sees_races(&self) -> bool {
        matches!(self.question, Question::Safety | Question::Races)
    }

    /// The event of a race where all values are one class.
    pub fn plain_event(&self, event: EventId) -> EventId {
        self.accesses.plain(event)
    }

    /// The event of an access by a part where all values are one class.
    pub fn plain_access(&self, part: usize, access: Access) -> Option<EventId> {
        self.accesses.plain_access(part, access)
    }

    fn returns_of(&self, procedure: &Procedure) -> Vec<&'s Returns> {
        self.returns.iter().filter(|returns| returns.part == procedure.name).collect()
    }

    fn of_procedure<'p>(&self, procedure: &'p Procedure) -> impl Iterator<Item = &'p (PropositionId, Expression)> {
        procedure.propositions.iter().filter(|(id, _)| self.propositions.contains(id))
    }

    /// The propositions of the formula that speak of a procedure.
    pub fn propositions(&self, procedure: &Procedure) -> Vec<PropositionId> {
        self.of_procedure(procedure).map(|(id, _)| *id).collect()
    }

    /// The events of a procedure.
    pub fn alphabet(&self, procedure: &Procedure) -> Vec<EventId> {
        let mut alphabet = procedure.alphabet.clone();
        alphabet.extend(self.returns_of(procedure).into_iter().flat_map(|returns| &returns.events));
        for (_, accessed) in self.accesses.of(procedure, self.number(procedure), self.sees_races()) {
            alphabet.extend(Accesses::seen(&accessed));
        }
        alphabet
    }

    /// The steps of a procedure. For deadlock, failed assumptions are shown; for conformance, errors are ends like others.
    pub fn graph(&self, procedure: &Procedure) -> Result<Graph, Reason> {
        let propositions: Vec<Expression> = self.of_procedure(procedure).map(|(_, e)| e.clone()).collect();
        let source = Source {
            component: &procedure.component,
            routines: &procedure.routines,
            propositions: &propositions,
            hints: &procedure.hints,
            returns: &self.returns_of(procedure),
            shared: self.accesses.of(procedure, self.number(procedure), self.sees_races()).collect(),
            blocks: self.question == Question::Deadlock,
            quiet: matches!(self.question, Question::Conformance(_) | Question::Races),
        };
        let mut graph = build(&source).map_err(|diagnostic| Reason::NotSupported(diagnostic.message.clone()))?;
        for node in &mut graph.nodes {
            if node.place == Place::Done {
                node.span = procedure.span;
            }
        }
        Ok(graph)
    }
}

/// The propositions of a formula.
fn propositions(formula: Option<&Ltl<Atom>>) -> Vec<PropositionId> {
    let mut found = Vec::new();
    if let Some(formula) = formula {
        formula.walk(&mut |part| {
            if let Ltl::Atom(atom, _) = part
                && let Atom::Proposition(proposition) = **atom
                && !found.contains(&proposition)
            {
                found.push(proposition);
            }
        });
    }
    found
}

/// The errors of a process are ends like others.
fn without_errors(part: &mut Part) {
    let Part::Process(process) = part else { return };
    let old = &process.structure;
    let state = |at: u32| StateParts {
        moves: old.moves(at).to_vec(),
        labels: old.labels(at).to_vec(),
        ending: if old.ending(at) == Ending::Error { Ending::Done } else { old.ending(at) },
    };
    let states = (0..old.states() as u32).map(state).collect();
    process.structure = Structure::new(old.alphabet().to_vec(), old.initial().to_vec(), states);
}
