//! Components that count: families whose answer is a matter of numbers, at sizes where no product can be made.

use crate::support::{Builder, Part, Random, butler, random_composition, seeds, verdict};
use compose::{Method, Question};
use model::composition::Composition;
use model::structure::Ending;

/// A system under construction, with events by name.
#[derive(Default)]
struct Family {
    builder: Builder,
    parts: Vec<Part>,
}

impl Family {
    fn event(&mut self, what: &str, who: u32) -> u32 {
        self.builder.event(&format!("{what}.{who}"))
    }

    /// A component that goes round through events, one after the other.
    fn round(&mut self, name: &str, events: &[(&str, u32)]) {
        let mut part = Part::new(name, events.len());
        for (at, &(what, who)) in (0u32..).zip(events) {
            let event = self.event(what, who);
            part.step(at, event, (at + 1) % events.len() as u32);
        }
        self.parts.push(part);
    }

    /// A component that counts from 0 to `most`: up by some events, down by others. With `fails`, one more is an error.
    fn counter(&mut self, name: &str, most: u32, up: &[u32], down: &[u32], fails: bool) {
        let mut part = Part::new(name, most as usize + 1 + usize::from(fails));
        for count in 0..most + u32::from(fails) {
            for &event in up {
                part.step(count, event, count + 1);
            }
        }
        for count in 1..=most {
            for &event in down {
                part.step(count, event, count - 1);
            }
        }
        if fails {
            part.ends(most + 1, Ending::Error);
        }
        self.parts.push(part);
    }

    fn all(&mut self, what: &str, count: u32) -> Vec<u32> {
        (0..count).map(|who| self.event(what, who)).collect()
    }

    /// With the components in some order.
    fn build(mut self, seed: u64) -> Composition {
        let mut random = Random::new(seed);
        for at in (1..self.parts.len()).rev() {
            self.parts.swap(at, random.below(at + 1));
        }
        for part in self.parts {
            self.builder.add(part);
        }
        self.builder.build()
    }
}

/// A semaphore lets `permits` of `users` in; an observer allows `allowed`.
fn semaphore(users: u32, permits: u32, allowed: u32) -> Composition {
    let mut family = Family::default();
    for user in 0..users {
        family.round("user", &[("enter", user), ("leave", user)]);
    }
    let (up, down) = (family.all("enter", users), family.all("leave", users));
    family.counter("semaphore", permits, &up, &down, false);
    family.counter("observer", allowed, &up, &down, true);
    family.build(1)
}

/// Users that take several units one by one and give them back at once; the pool has `units`.
fn pool(needs: &[u32], units: u32) -> Composition {
    let mut family = Family::default();
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    for (user, &need) in (0u32..).zip(needs) {
        let mut events = vec![("take", user); need as usize];
        events.extend(vec![("give", user); need as usize]);
        family.round("user", &events);
        takes.push(family.event("take", user));
        gives.push(family.event("give", user));
    }
    family.counter("pool", units, &takes, &gives, false);
    family.build(2)
}

/// A chain of `places` cells; an observer counts what is inside and allows `allowed`.
fn chain(places: u32, allowed: u32) -> Composition {
    let mut family = Family::default();
    for place in 0..places {
        family.round("cell", &[("move", place), ("move", place + 1)]);
    }
    let (first, last) = (family.event("move", 0), family.event("move", places));
    family.counter("observer", allowed, &[first], &[last], true);
    family.build(3)
}

/// Producers and consumers around a buffer of `places`; an observer allows `allowed` items.
fn buffer(users: u32, places: u32, allowed: u32) -> Composition {
    let mut family = Family::default();
    for user in 0..users {
        family.round("producer", &[("make", user), ("put", user)]);
        family.round("consumer", &[("get", user), ("use", user)]);
    }
    let (puts, gets) = (family.all("put", users), family.all("get", users));
    family.counter("buffer", places, &puts, &gets, false);
    family.counter("observer", allowed, &puts, &gets, true);
    family.build(4)
}

/// Readers share, a writer is alone: the lock counts readers, and writing takes all `units` at once.
fn readers(users: u32, guarded: bool) -> Composition {
    let mut family = Family::default();
    for user in 0..users {
        family.round("reader", &[("read", user), ("done", user)]);
    }
    family.round("writer", &[("write", 0), ("written", 0)]);
    let (reads, dones) = (family.all("read", users), family.all("done", users));
    let (write, written) = (family.event("write", 0), family.event("written", 0));
    let mut lock = Part::new("lock", users as usize + 2);
    for count in 0..users {
        for &event in &reads {
            lock.step(count, event, count + 1);
        }
        for &event in &dones {
            lock.step(count + 1, event, count);
        }
    }
    lock.step(0, write, users + 1).step(users + 1, written, 0);
    if !guarded {
        lock.step(1, write, 1).step(1, written, 1);
    }
    family.parts.push(lock);
    // While it is written no component reads.
    let mut observer = Part::new("observer", users as usize + 3);
    let (writing, error) = (users + 1, users + 2);
    for count in 0..users {
        for &event in &reads {
            observer.step(count, event, count + 1);
        }
        for &event in &dones {
            observer.step(count + 1, event, count);
        }
        observer.step(count + 1, write, error);
    }
    observer.step(0, write, writing).step(writing, written, 0);
    for &event in &reads {
        observer.step(writing, event, error);
    }
    observer.ends(error, Ending::Error);
    family.parts.push(observer);
    family.build(5)
}

/// All arrive, and then all go on; the barrier waits for `needed` of them.
fn barrier(users: u32, needed: u32) -> Composition {
    let mut family = Family::default();
    for user in 0..users {
        family.round("user", &[("arrive", user), ("go", user)]);
    }
    let (arrivals, departures) = (family.all("arrive", users), family.all("go", users));
    let mut part = Part::new("barrier", 2 * needed as usize);
    for count in 0..needed {
        let (up, next) = (count, if count + 1 == needed { needed } else { count + 1 });
        for &event in &arrivals {
            part.step(up, event, next);
        }
        let (down, next) = (needed + count, if count + 1 == needed { 0 } else { needed + count + 1 });
        for &event in &departures {
            part.step(down, event, next);
        }
    }
    family.parts.push(part);
    family.build(6)
}

/// A window of credits: a sender takes one to send, the receiver gives it back; the line holds `line` messages.
fn window(credits: u32, line: u32) -> Composition {
    let mut family = Family::default();
    let (send, receive, back) = (family.event("send", 0), family.event("receive", 0), family.event("back", 0));
    family.counter("window", credits, &[send], &[back], false);
    family.counter("line", line, &[send], &[receive], true);
    family.counter("returns", credits, &[receive], &[back], false);
    family.build(7)
}

/// Two pools: some take from the first and then from the second, others the other way round.
fn crossing(first: u32, second: u32, units: [u32; 2]) -> Composition {
    let mut family = Family::default();
    let (mut takes, mut gives) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for user in 0..first + second {
        let names = [("take left", "give left"), ("take right", "give right")];
        let [one, other] = if user < first { [names[0], names[1]] } else { [names[1], names[0]] };
        family.round("user", &[(one.0, user), (other.0, user), (one.1, user), (other.1, user)]);
        for (side, (take, give)) in names.into_iter().enumerate() {
            takes[side].push(family.event(take, user));
            gives[side].push(family.event(give, user));
        }
    }
    for side in 0..2 {
        family.counter("pool", units[side], &takes[side], &gives[side], false);
    }
    family.build(8)
}

/// Clerks move coins between two tills, with the coin in their hands in between; there are `coins`, and one till holds
/// `room`.
fn tills(clerks: u32, coins: u32, room: u32) -> Composition {
    let mut family = Family::default();
    let (mut out, mut back) = (Vec::new(), Vec::new());
    for clerk in 0..clerks {
        let (mut part, name) = (Part::new("clerk", 3), format!("clerk {clerk}"));
        let mut event = |what: &str| family.builder.event(&format!("{name} {what}"));
        let [takes, puts, takes_back, puts_back] = ["takes", "puts", "takes back", "puts back"].map(&mut event);
        part.step(0, takes, 1).step(1, puts, 0).step(0, takes_back, 2).step(2, puts_back, 0);
        family.parts.push(part);
        out.push([takes, puts_back]);
        back.push([takes_back, puts]);
    }
    let side = |pairs: &[[u32; 2]], which: usize| pairs.iter().map(|pair| pair[which]).collect::<Vec<u32>>();
    // The full till counts what is gone, so that it begins with all coins.
    family.counter("full till", coins, &side(&out, 0), &side(&out, 1), false);
    family.counter("empty till", room, &side(&back, 1), &side(&back, 0), true);
    family.build(9)
}

/// Molecules: `n` makers of one kind of atom, each goes into a store of `places`; three of them make one of the other
/// kind.
fn molecules(makers: u32, places: u32, most: u32) -> Composition {
    let mut family = Family::default();
    for maker in 0..makers {
        family.round("maker", &[("atom", maker), ("rest", maker)]);
    }
    let (atoms, bond) = (family.all("atom", makers), family.event("bond", 0));
    family.round("bonds", &[("bond", 0), ("bond", 0), ("bond", 0), ("molecule", 0)]);
    let sold = family.event("sold", 0);
    family.counter("store", places, &atoms, &[bond], false);
    // What is made is sold only while there is room for the atoms of another.
    family.counter("credit", most, &[bond], &[sold], false);
    family.round("market", &[("molecule", 0), ("sold", 0), ("sold", 0), ("sold", 0)]);
    family.counter("observer", places, &atoms, &[bond], true);
    family.build(10)
}

fn answer(composition: &Composition, question: Question<'_>) -> bool {
    let answers = [Method::Count, Method::Auto].map(|method| verdict(composition, question, method));
    assert_eq!(answers[0], answers[1]);
    answers[0].clone().expect("an answer")
}

#[test]
fn the_butler_lets_no_hundred_get_stuck() {
    assert!(answer(&butler(100), Question::Deadlock));
}

#[test]
fn families_of_fifty() {
    let n = 50;
    assert!(answer(&semaphore(n, 20, 20), Question::Safety));
    assert!(!answer(&semaphore(n, 21, 20), Question::Safety));
    assert!(answer(&pool(&vec![2; n as usize], n + 1), Question::Deadlock));
    assert!(!answer(&pool(&vec![2; n as usize], n), Question::Deadlock));
    let needs: Vec<u32> = (0..n).map(|user| 1 + user % 3).collect();
    let enough = needs.iter().map(|need| need - 1).sum::<u32>() + 1;
    assert!(answer(&pool(&needs, enough), Question::Deadlock));
    assert!(!answer(&pool(&needs, enough - 1), Question::Deadlock));
    assert!(answer(&chain(n, n), Question::Safety));
    assert!(!answer(&chain(n, n - 1), Question::Safety));
    assert!(answer(&buffer(n, 10, 10), Question::Safety));
    assert!(answer(&buffer(n, 10, 10), Question::Deadlock));
    assert!(!answer(&buffer(n, 11, 10), Question::Safety));
    assert!(answer(&readers(n, true), Question::Safety));
    assert!(answer(&readers(n, true), Question::Deadlock));
    assert!(!answer(&readers(n, false), Question::Safety));
    assert!(answer(&barrier(n, n), Question::Deadlock));
    assert!(!answer(&barrier(n, n + 1), Question::Deadlock));
    assert!(answer(&window(n, n), Question::Safety));
    assert!(!answer(&window(n, n - 1), Question::Safety));
    assert!(answer(&crossing(n, 20, [n + 1, 20]), Question::Deadlock));
    assert!(answer(&crossing(n, 20, [n, 21]), Question::Deadlock));
    assert!(!answer(&crossing(n, 20, [n, 20]), Question::Deadlock));
    assert!(answer(&tills(n, 30, 30), Question::Safety));
    assert!(!answer(&tills(n, 30, 29), Question::Safety));
    assert!(answer(&molecules(n, 20, 3), Question::Safety));
    assert!(answer(&molecules(n, 20, 3), Question::Deadlock));
    assert!(!answer(&molecules(n, 20, 2), Question::Deadlock));
}

/// Whatever this method says is what the product says, and its proofs are accepted.
#[test]
fn random_compositions() {
    let (mut proved, mut violated) = (0, 0);
    for seed in 0..seeds(300) {
        let composition = random_composition(&mut Random::new(77_000 + seed));
        for question in [Question::Deadlock, Question::Safety] {
            let Ok(found) = verdict(&composition, question, Method::Count) else { continue };
            assert_eq!(Ok(found), verdict(&composition, question, Method::Plain), "seed {seed}");
            proved += u32::from(found);
            violated += u32::from(!found);
        }
    }
    assert!(proved > 20 && violated > 20, "{proved} proved, {violated} violated");
}

/// A proof with a weight changed is refused, or proves the same.
#[test]
fn changed_weights_are_refused() {
    let proved = semaphore(4, 2, 2);
    let context = model::context::Context::unlimited();
    let compose::Verdict::Holds(proof) = crate::support::ask(&proved, Question::Safety, Method::Count).verdict else {
        panic!("it holds")
    };
    let violated = semaphore(4, 3, 2);
    let mut refused = 0;
    for invariant in 0..proof.invariants.len() {
        for part in 0..proof.invariants[invariant].weights.len() {
            for state in 0..proof.invariants[invariant].weights[part].1.len() {
                let mut changed = (*proof).clone();
                changed.invariants[invariant].weights[part].1[state] += 1;
                let check = |composition: &Composition| {
                    let refuter = &mut bitvector::SatRefuter;
                    certify::composition::verify(composition, Question::Safety, &changed, refuter, &context)
                };
                refused += u32::from(check(&proved).is_err());
                assert!(check(&violated).is_err());
            }
        }
    }
    assert!(refused > 0);
}
