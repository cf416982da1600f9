//! Stuttering at random places: accepted formulas do not change. The checker's own classifier is put to the same test.

use super::is_invariant;
use model::composition::Atom;
use model::formula::{Connective, Ltl, Modality};
use model::ids::{EventId, PropositionId};

/// SplitMix64.
use testing::Random;

fn random_formula(random: &mut Random, depth: u32) -> Ltl<Atom> {
    use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
    if depth == 0 || random.below(5) == 0 {
        let number = random.below(2) as u32;
        return match random.below(9) {
            0 => Ltl::Constant(number == 0),
            1..5 => Ltl::Atom(Box::new(Atom::Event(EventId(number))), format!("e{number}")),
            _ => Ltl::Atom(Box::new(Atom::Proposition(PropositionId(number))), format!("p{number}")),
        };
    }
    let mut part = || Box::new(random_formula(random, depth - 1));
    let (a, b) = (part(), part());
    match random.below(16) {
        0..3 => Ltl::Unary(Modality::Not, a),
        3..5 => Ltl::Unary(Modality::Always, a),
        5..7 => Ltl::Unary(Modality::Eventually, a),
        7 if random.below(4) == 0 => Ltl::Unary(Modality::Next, a),
        choice => Ltl::Binary([And, Or, Implies, Iff, Until, Release, WeakUntil, Until, Or][choice - 7], a, b),
    }
}

/// A run that goes round at the end: the propositions that hold, as bits, and the event.
#[derive(Clone, Debug)]
struct Word {
    letters: Vec<(u32, Option<u32>)>,
    loop_from: usize,
}

impl Word {
    fn random(random: &mut Random) -> Word {
        let letter = |random: &mut Random| {
            let holds = random.below(4) as u32;
            (holds, [None, None, Some(0), Some(1)][random.below(4)])
        };
        let letters: Vec<_> = (0..1 + random.below(5)).map(|_| letter(random)).collect();
        Word { loop_from: random.below(letters.len()), letters }
    }

    /// The same run with the loop written out some times more, and silent positions in some places.
    fn with_stuttering(&self, random: &mut Random) -> Word {
        let mut whole = self.clone();
        for _ in 0..random.below(3) {
            whole.letters.extend_from_slice(&self.letters[self.loop_from..]);
            if random.below(2) == 0 {
                whole.loop_from = whole.letters.len() - (self.letters.len() - self.loop_from);
            }
        }
        let mut longer = Word { letters: Vec::new(), loop_from: 0 };
        for (at, &(holds, event)) in whole.letters.iter().enumerate() {
            let mut stuttering =
                |word: &mut Word, bound| (0..random.below(bound)).for_each(|_| word.letters.push((holds, None)));
            stuttering(&mut longer, 3);
            if at == whole.loop_from {
                longer.loop_from = longer.letters.len();
                stuttering(&mut longer, 2);
            }
            longer.letters.push((holds, event));
        }
        longer
    }

    fn keeps(&self, formula: &Ltl<Atom>) -> bool {
        formula.holds_on(self.letters.len(), self.loop_from, &|atom, at| match atom {
            Atom::Event(event) => self.letters[at].1 == Some(event.0),
            Atom::Proposition(proposition) => self.letters[at].0 >> proposition.0 & 1 == 1,
        })
    }
}

#[test]
fn stuttering_does_not_change_what_is_accepted() {
    let wanted = testing::seeds(2000);
    let (mut accepted, mut temporal, mut missed, mut seed) = (0u64, 0u64, 0u64, 0u64);
    while accepted < wanted {
        seed += 1;
        let mut random = Random::new(seed);
        let formula = random_formula(&mut random, 4);
        let invariant = is_invariant(&formula);
        let mut changed = false;
        for _ in 0..20 {
            let word = Word::random(&mut random);
            let longer = word.with_stuttering(&mut random);
            let same = word.keeps(&formula) == longer.keeps(&formula);
            assert!(same || !invariant, "seed {seed}: {formula}\n{word:?}\n{longer:?}");
            changed |= !same;
        }
        accepted += u64::from(invariant);
        temporal += u64::from(invariant && !formula.is_propositional());
        missed += u64::from(!invariant && !changed);
    }
    // Enough is accepted that is worth it, and not too much is missed: some of it is changed by longer words only.
    assert!(temporal * 4 > accepted, "{temporal} of {accepted} have temporal operators");
    assert!(missed < accepted, "{missed} missed, {accepted} accepted");
}

fn event(number: u32) -> Ltl<Atom> {
    Ltl::Atom(Box::new(Atom::Event(EventId(number))), format!("e{number}"))
}

#[test]
fn what_people_write_is_known() {
    let proposition = || Ltl::Atom(Box::new(Atom::Proposition(PropositionId(0))), String::from("p"));
    let unary = |op, inner| Ltl::Unary(op, Box::new(inner));
    let binary = |op, a, b| Ltl::Binary(op, Box::new(a), Box::new(b));
    let always = |inner| unary(Modality::Always, inner);
    let comes = || unary(Modality::Eventually, event(1));
    let not = |inner| unary(Modality::Not, inner);
    let yes = [
        always(binary(Connective::Implies, event(0), comes())),
        always(binary(Connective::Implies, proposition(), comes())),
        always(comes()),
        always(binary(Connective::Implies, binary(Connective::And, event(0), proposition()), comes())),
        binary(Connective::Until, not(event(0)), event(1)),
        binary(Connective::WeakUntil, not(event(0)), event(1)),
        always(binary(Connective::Implies, event(0), binary(Connective::WeakUntil, not(event(0)), event(1)))),
        unary(Modality::Eventually, binary(Connective::Or, event(0), proposition())),
        always(binary(Connective::And, not(event(0)), proposition())),
    ];
    yes.iter().for_each(|formula| assert!(is_invariant(formula), "{formula}"));
    let no = [
        event(0),
        unary(Modality::Next, proposition()),
        binary(Connective::Until, event(0), event(1)),
        binary(Connective::Until, proposition(), event(1)),
        always(event(0)),
        unary(Modality::Eventually, not(event(0))),
        always(binary(Connective::Implies, proposition(), event(0))),
    ];
    no.iter().for_each(|formula| assert!(!is_invariant(formula), "{formula}"));
}
