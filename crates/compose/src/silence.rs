//! Formulas that cannot hear silence: silent positions may be put in and taken out.
//!
//! What a silent position is, and why the rules are right, is said in [`model::composition_proof`]. Here they are put as
//! four properties of a formula: true at every silent position (*always*), false at every one (*never*), true at a silent
//! position only if it is true after it (*falls* through, backwards), and true at a silent position whenever it is true after
//! it (*lasts* through). An event is *never*, a proposition falls and lasts. `a U b` falls if `b` does; it lasts if `a` is
//! *always*, or `b` is, or both last. All other temporal operators are made of it.

use model::composition::Atom;
use model::formula::{Connective, Ltl, Modality};

/// What is known of a formula at silent positions.
#[derive(Clone, Copy, Debug)]
struct Through {
    always: bool,
    never: bool,
    falls: bool,
    lasts: bool,
}

/// Whether silent positions may be put in and taken out without changing the truth of a formula.
pub(crate) fn is_insensitive(formula: &Ltl<Atom>) -> bool {
    through(formula).is_some_and(|formula| formula.falls && formula.lasts)
}

impl Through {
    const EVENT: Through = Through { always: false, never: true, falls: true, lasts: false };
    const PROPOSITION: Through = Through { always: false, never: false, falls: true, lasts: true };
    const TRUE: Through = Through { always: true, never: false, falls: true, lasts: true };

    fn not(self) -> Through {
        Through { always: self.never, never: self.always, falls: self.lasts, lasts: self.falls }
    }

    fn or(self, other: Through) -> Through {
        let always = self.always || other.always;
        Through {
            always,
            never: self.never && other.never,
            falls: self.falls && other.falls,
            lasts: always || self.lasts && other.lasts,
        }
    }

    fn and(self, other: Through) -> Through {
        self.not().or(other.not()).not()
    }

    /// Of use only if silence later on does not change it either.
    fn until(self, other: Through) -> Option<Through> {
        let falls = other.falls;
        let lasts = self.always || other.always || self.lasts && other.lasts;
        let (always, never) = (other.always, self.never && other.never);
        (falls && lasts).then_some(Through { always, never, falls, lasts })
    }
}

/// None if silence after a position can change the truth at it.
fn through(formula: &Ltl<Atom>) -> Option<Through> {
    let not_until = |a: Through, b: Through| a.until(b).map(Through::not);
    match formula {
        Ltl::Constant(true) => Some(Through::TRUE),
        Ltl::Constant(false) => Some(Through::TRUE.not()),
        Ltl::Atom(atom, _) => Some(match **atom {
            Atom::Event(_) => Through::EVENT,
            Atom::Proposition(_) => Through::PROPOSITION,
        }),
        Ltl::Unary(op, inner) => {
            let inner = through(inner)?;
            match op {
                Modality::Not => Some(inner.not()),
                Modality::Next => None,
                Modality::Eventually => Through::TRUE.until(inner),
                Modality::Always => not_until(Through::TRUE, inner.not()),
            }
        }
        Ltl::Binary(op, a, b) => {
            let (a, b) = (through(a)?, through(b)?);
            match op {
                Connective::And => Some(a.and(b)),
                Connective::Or => Some(a.or(b)),
                Connective::Implies => Some(a.not().or(b)),
                Connective::Iff => Some(a.and(b).or(a.not().and(b.not()))),
                Connective::Until => a.until(b),
                Connective::Release => not_until(a.not(), b.not()),
                Connective::WeakUntil => not_until(b.not(), a.or(b).not()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ids::{EventId, PropositionId};

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) % bound as u64) as usize
        }
    }

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
        fn with_silence(&self, random: &mut Random) -> Word {
            let mut whole = self.clone();
            for _ in 0..random.below(3) {
                whole.letters.extend_from_slice(&self.letters[self.loop_from..]);
                if random.below(2) == 0 {
                    whole.loop_from = whole.letters.len() - (self.letters.len() - self.loop_from);
                }
            }
            let mut longer = Word { letters: Vec::new(), loop_from: 0 };
            for (at, &(holds, event)) in whole.letters.iter().enumerate() {
                let mut silence =
                    |word: &mut Word, bound| (0..random.below(bound)).for_each(|_| word.letters.push((holds, None)));
                silence(&mut longer, 3);
                if at == whole.loop_from {
                    longer.loop_from = longer.letters.len();
                    silence(&mut longer, 2);
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
    fn silence_does_not_change_what_is_accepted() {
        let wanted = std::env::var("HIGHWATER_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
        let (mut accepted, mut temporal, mut missed, mut seed) = (0u64, 0u64, 0u64, 0u64);
        while accepted < wanted {
            seed += 1;
            let mut random = Random(seed);
            let formula = random_formula(&mut random, 4);
            let insensitive = is_insensitive(&formula);
            let mut changed = false;
            for _ in 0..20 {
                let word = Word::random(&mut random);
                let longer = word.with_silence(&mut random);
                let same = word.keeps(&formula) == longer.keeps(&formula);
                assert!(same || !insensitive, "seed {seed}: {formula}\n{word:?}\n{longer:?}");
                changed |= !same;
            }
            accepted += u64::from(insensitive);
            temporal += u64::from(insensitive && !formula.is_propositional());
            missed += u64::from(!insensitive && !changed);
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
        yes.iter().for_each(|formula| assert!(is_insensitive(formula), "{formula}"));
        let no = [
            event(0),
            unary(Modality::Next, proposition()),
            binary(Connective::Until, event(0), event(1)),
            binary(Connective::Until, proposition(), event(1)),
            always(event(0)),
            unary(Modality::Eventually, not(event(0))),
            always(binary(Connective::Implies, proposition(), event(0))),
        ];
        no.iter().for_each(|formula| assert!(!is_insensitive(formula), "{formula}"));
    }
}
