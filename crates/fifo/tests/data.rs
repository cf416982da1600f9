//! Random systems with data, several readers, losses and regular bad configurations for each channel: every method,
//! every kind of proof and every property against an interpreter of its own, with queues up to a length. What an engine
//! finds is taken back to the model: a proof must be accepted by the checker, a run must be one of the model.

use crate::support::{Random, seeds};
use fifo::eventually::{self, Found, Kind};
use fifo::translation::{Source, Translation};
use fifo::{CegarSettings, Generator, Limits, Method, Pass, Property, Verdict, check};
use model::budget::Budget;
use model::context::Context;
use model::semantics::{Reading, Semantics, Step, Stepper};
use model::verdict;
use queues::{Apart, Bisimulation, Direction, Extrapolation};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;

/// Queues of the interpreter are no longer, and it looks at no more configurations.
const LONGEST: usize = 6;
const MOST: usize = 800;
const LETTERS: [&str; 3] = ["a", "b", "c"];

struct Transition {
    from: usize,
    to: usize,
    /// The variable compared with a constant: `==`, `!=` or `<`.
    guard: Option<(&'static str, i32)>,
    /// Channel, whether it sends, message.
    action: Option<(usize, bool, usize)>,
    /// The variable after it: a constant, or one more, modulo 3.
    store: Option<Option<i32>>,
}

struct Machine {
    states: usize,
    first: i32,
    transitions: Vec<Transition>,
}

/// Per machine a state, and what its variable is; per channel a word of a few forms.
struct Bad {
    places: Vec<Option<(usize, Option<i32>)>>,
    queues: Option<Vec<Form>>,
}

#[derive(Clone, Copy)]
enum Form {
    Anything,
    Nothing,
    One(usize),
    Begins(usize),
    Ends(usize),
    Even(usize),
}

struct Model {
    lossy: Vec<bool>,
    machines: Vec<Machine>,
    bad: Vec<Bad>,
}

/// Places, variables, queues.
type Configuration = (Vec<usize>, Vec<i32>, Vec<Vec<usize>>);

impl Model {
    fn random(random: &mut Random) -> Model {
        let (channels, letters) = (1 + random.below(3_usize), 1 + random.below(3_usize));
        let with_data = random.below(3_u32) > 0;
        let machine = |random: &mut Random| {
            let states = 2 + random.below(3_usize);
            let count = states + random.below(3_usize);
            let transition = |at: usize, random: &mut Random| Transition {
                from: if at < states { at } else { random.below(states) },
                to: random.below(states),
                guard: (with_data && random.below(3_u32) == 0)
                    .then(|| (["==", "!=", "<"][random.below(3_usize)], random.below(3_i32))),
                action: (random.below(8_u32) > 0)
                    .then(|| (random.below(channels), random.below(5_u32) < 2, random.below(letters))),
                store: (with_data && random.below(3_u32) == 0)
                    .then(|| (random.below(2_u32) == 0).then(|| random.below(3_i32))),
            };
            let transitions = (0..count).map(|at| transition(at, random)).collect();
            Machine { states, first: random.below(2_i32), transitions }
        };
        let machines: Vec<Machine> = (0..2 + random.below(2_usize)).map(|_| machine(random)).collect();
        let form = |random: &mut Random| match random.below(7_u32) {
            0 => Form::Nothing,
            1 => Form::One(random.below(letters)),
            2 => Form::Begins(random.below(letters)),
            3 => Form::Ends(random.below(letters)),
            4 => Form::Even(random.below(letters)),
            _ => Form::Anything,
        };
        let bad = |random: &mut Random| Bad {
            places: machines
                .iter()
                .map(|machine| {
                    let value = (with_data && random.below(3_u32) == 0).then(|| random.below(3_i32));
                    (random.below(2_u32) == 0).then(|| (random.below(machine.states), value))
                })
                .collect(),
            queues: (random.below(2_u32) == 0).then(|| (0..channels).map(|_| form(random)).collect()),
        };
        let bad = (0..1 + random.below(2_u32)).map(|_| bad(random)).collect();
        Model { lossy: (0..channels).map(|_| random.below(3_u32) == 0).collect(), machines, bad }
    }

    fn text(&self) -> String {
        let lossy: Vec<String> = (0..self.lossy.len()).filter(|&c| self.lossy[c]).map(|c| c.to_string()).collect();
        let lossy = if lossy.is_empty() { String::new() } else { format!("lossy : {}", lossy.join(", ")) };
        let mut text = format!("scm random :\nnb_channels = {} ; {lossy}\nparameters :\n", self.lossy.len());
        LETTERS.iter().for_each(|letter| text += &format!("int {letter} ;\n"));
        let has_data = self.has_data();
        for (number, machine) in self.machines.iter().enumerate() {
            let declared = if has_data { format!("int v = {} ;\n", machine.first) } else { String::new() };
            let _ = writeln!(text, "automaton m{number} :\n{declared}initial : 0");
            for state in 0..machine.states {
                let _ = writeln!(text, "state {state} :");
                for t in machine.transitions.iter().filter(|t| t.from == state) {
                    let guard = t.guard.map_or_else(|| String::from("true"), |(op, k)| format!("v {op} {k}"));
                    let action = t.action.map_or_else(String::new, |(channel, sends, letter)| {
                        format!(" , {channel} {} {}", if sends { "!" } else { "?" }, LETTERS[letter])
                    });
                    let store = t.store.map_or_else(String::new, |value| match value {
                        Some(value) => format!(" with v = {value}"),
                        None => String::from(" with v = (v + 1) % 3"),
                    });
                    let _ = writeln!(text, "to {} : when {guard}{action}{store} ;", t.to);
                }
            }
        }
        text += "bad_states :\n";
        for bad in &self.bad {
            let places = bad.places.iter().enumerate().filter_map(|(number, place)| {
                let (state, value) = (*place)?;
                let value = value.map_or_else(|| String::from("true"), |value| format!("v == {value}"));
                Some(format!("automaton m{number} : in {state} : {value} "))
            });
            let places: String = places.collect();
            let all = "(a|b|c)^*";
            let form = |form: &Form| match *form {
                Form::Anything => String::from(all),
                Form::Nothing => String::from("_"),
                Form::One(letter) => String::from(LETTERS[letter]),
                Form::Begins(letter) => format!("{}.{all}", LETTERS[letter]),
                Form::Ends(letter) => format!("{all}.{}", LETTERS[letter]),
                Form::Even(letter) => format!("({0}.{0})^*", LETTERS[letter]),
            };
            let queues = bad.queues.as_ref().map_or_else(String::new, |forms| {
                format!("with {}", forms.iter().map(form).collect::<Vec<_>>().join(".#."))
            });
            // Configurations need a place, or queues.
            let free = places.is_empty() && queues.is_empty();
            let _ = writeln!(
                text,
                "({places}{})",
                if free { format!("with {}", vec![all; self.lossy.len()].join(".#.")) } else { queues }
            );
        }
        text
    }

    fn has_data(&self) -> bool {
        self.machines.iter().flat_map(|m| &m.transitions).any(|t| t.guard.is_some() || t.store.is_some())
            || self.bad.iter().flat_map(|bad| bad.places.iter().flatten()).any(|(_, value)| value.is_some())
    }

    fn initial(&self) -> Configuration {
        let first = self.machines.iter().map(|machine| machine.first).collect();
        (vec![0; self.machines.len()], first, vec![Vec::new(); self.lossy.len()])
    }

    /// The steps, each with its machine and the channel that it receives from; losses have no machine.
    fn steps(&self, (places, values, queues): &Configuration) -> Vec<(Option<usize>, Option<usize>, Configuration)> {
        let mut all = Vec::new();
        for (number, machine) in self.machines.iter().enumerate() {
            for t in machine.transitions.iter().filter(|t| t.from == places[number]) {
                let v = values[number];
                let holds = t.guard.is_none_or(|(op, k)| match op {
                    "==" => v == k,
                    "!=" => v != k,
                    _ => v < k,
                });
                let (mut places, mut values, mut queues) = (places.clone(), values.clone(), queues.clone());
                let received = match t.action {
                    _ if !holds => continue,
                    None => None,
                    Some((channel, true, letter)) => {
                        queues[channel].push(letter);
                        None
                    }
                    Some((channel, false, letter)) if queues[channel].first() == Some(&letter) => {
                        queues[channel].remove(0);
                        Some(channel)
                    }
                    Some(_) => continue,
                };
                places[number] = t.to;
                values[number] = t.store.map_or(v, |value| value.unwrap_or((v + 1) % 3));
                all.push((Some(number), received, (places, values, queues)));
            }
        }
        for channel in (0..queues.len()).filter(|&channel| self.lossy[channel]) {
            for at in 0..queues[channel].len() {
                let mut queues = queues.clone();
                queues[channel].remove(at);
                all.push((None, None, (places.clone(), values.clone(), queues)));
            }
        }
        all
    }

    fn has_ended(&self, machine: usize, place: usize) -> bool {
        !self.machines[machine].transitions.iter().any(|t| t.from == place)
    }

    fn is_fault(&self, property: &verdict::Property, configuration: &Configuration) -> bool {
        let (places, values, queues) = configuration;
        let all_ended = || (0..places.len()).all(|machine| self.has_ended(machine, places[machine]));
        let is_left = || queues.iter().any(|queue| !queue.is_empty());
        match property {
            verdict::Property::Safety => self.bad.iter().any(|bad| {
                let there = |(machine, place): (usize, &Option<(usize, Option<i32>)>)| {
                    place.is_none_or(|(state, value)| {
                        places[machine] == state && value.is_none_or(|value| values[machine] == value)
                    })
                };
                bad.places.iter().enumerate().all(there)
                    && bad
                        .queues
                        .as_ref()
                        .is_none_or(|forms| forms.iter().zip(queues).all(|(form, queue)| form.fits(queue)))
            }),
            verdict::Property::Deadlock => {
                let moves = self.steps(configuration).iter().any(|(machine, ..)| machine.is_some());
                !moves && (!all_ended() || is_left())
            }
            verdict::Property::Orphan => all_ended() && is_left(),
            verdict::Property::Reception => (0..places.len()).any(|machine| {
                let own = || self.machines[machine].transitions.iter().filter(|t| t.from == places[machine]);
                let waits = |t: &Transition| {
                    matches!(t.action, Some((channel, false, letter))
                        if queues[channel].first().is_some_and(|first| *first != letter))
                };
                own().next().is_some() && own().all(waits)
            }),
            _ => false,
        }
    }

    /// What is reached with short queues, and whether that is everything.
    fn reached(&self) -> (Vec<Configuration>, bool) {
        let mut seen = BTreeMap::from([(self.initial(), ())]);
        let (mut work, mut all) = (VecDeque::from([self.initial()]), Vec::new());
        let mut is_everything = true;
        while let Some(configuration) = work.pop_front() {
            for (.., next) in self.steps(&configuration) {
                if next.2.iter().any(|queue| queue.len() > LONGEST) || all.len() + work.len() >= MOST {
                    is_everything = false;
                } else if seen.insert(next.clone(), ()).is_none() {
                    work.push_back(next);
                }
            }
            all.push(configuration);
        }
        (all, is_everything)
    }

    /// Whether all that is open somewhere can still be discharged there, by steps without losses.
    fn stays_possible(&self, kind: Kind, all: &[Configuration]) -> bool {
        let number: BTreeMap<&Configuration, usize> = all.iter().zip(0..).collect();
        // What each step discharges, and where it leads.
        let steps = |configuration: &Configuration| -> Vec<(Option<usize>, usize)> {
            let steps = self.steps(configuration).into_iter().filter(|(machine, ..)| machine.is_some());
            let of = |machine, received| if kind == Kind::Machines { machine } else { received };
            steps.map(|(machine, received, next)| (of(machine, received), number[&next])).collect()
        };
        let steps: Vec<_> = all.iter().map(steps).collect();
        let count = if kind == Kind::Machines { self.machines.len() } else { self.lossy.len() };
        (0..count).all(|obligation| {
            let mut possible: Vec<bool> = vec![false; all.len()];
            loop {
                let mut changed = false;
                for at in (0..all.len()).rev().filter(|&at| !possible[at]).collect::<Vec<_>>() {
                    possible[at] = steps[at].iter().any(|&(of, next)| of == Some(obligation) || possible[next]);
                    changed |= possible[at];
                }
                if !changed {
                    break;
                }
            }
            all.iter().zip(possible).all(|((places, _, queues), possible)| {
                let open = match kind {
                    Kind::Machines => !self.has_ended(obligation, places[obligation]),
                    Kind::Channels => !queues[obligation].is_empty(),
                };
                possible || !open
            })
        })
    }
}

impl Form {
    fn fits(self, queue: &[usize]) -> bool {
        match self {
            Form::Anything => true,
            Form::Nothing => queue.is_empty(),
            Form::One(letter) => queue == [letter],
            Form::Begins(letter) => queue.first() == Some(&letter),
            Form::Ends(letter) => queue.last() == Some(&letter),
            Form::Even(letter) => queue.len().is_multiple_of(2) && queue.iter().all(|&other| other == letter),
        }
    }
}

fn methods() -> Vec<Method> {
    let rho = |direction| Arc::new(Bisimulation::rho(direction)) as Arc<dyn Extrapolation>;
    let cegar = |generator, pass, extrapolation| {
        Method::Cegar(CegarSettings { generator, pass, extrapolation, iterations: Some(40) })
    };
    vec![
        Method::Search,
        Method::AbsInt(rho(Direction::Forward)),
        Method::AbsInt(Arc::new(Apart(rho(Direction::Both)))),
        cegar(Generator::Uniform, Pass::Forward, Arc::new(Bisimulation::rho_second(Direction::Forward))),
        cegar(Generator::Adaptive, Pass::Backward, rho(Direction::Forward)),
        Method::Armc(rho(Direction::Forward)),
        Method::Auto,
    ]
}

/// Where a run of the model leads, if it is one.
fn follow(stepper: &mut Stepper<'_>, steps: &[Step]) -> bool {
    let Ok(Ok(mut state)) = stepper.initial() else { return false };
    steps.iter().all(|step| {
        let mut after = None;
        let _ = stepper.expand(&state, None, &mut |next| {
            if next.step == *step {
                after = after.take().or(next.state.map(<[u8]>::to_vec));
            }
        });
        after.map(|after| state = after).is_some()
    })
}

#[test]
fn systems_with_data_have_the_answers_of_an_interpreter() {
    let mut refused = 0;
    let (mut proved, mut violated, mut folded, mut kept, mut stuck, mut parts) = (0, 0, 0, 0, 0, 0);
    let properties = [
        verdict::Property::Safety,
        verdict::Property::Deadlock,
        verdict::Property::Reception,
        verdict::Property::Orphan,
    ];
    let cx = Context::unlimited();
    let limits = || Limits { steps: Some(20_000), ..Limits::default() };
    for seed in testing::first(0)..testing::first(0) + seeds(100) {
        let model = Model::random(&mut Random::new(seed));
        let text = model.text();
        let read = scm::read("data.scm", &text);
        let scm::Model { network, specification } =
            read.model.unwrap_or_else(|| panic!("seed {seed}\n{text}\n{:?}", read.diagnostics));
        let bad = specification.clone();
        let source =
            Source { network: &network, sources: &read.sources, bad, promela: false, product: Err(String::new()) };
        let target =
            Translation::new(source, &Budget::unlimited()).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        folded += u32::from(!target.is_model());
        let (all, is_everything) = model.reached();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        for property in &properties {
            // Which receives a machine waits for, where guards hold some of them back, the replayer says.
            if *property == verdict::Property::Reception && model.has_data() {
                continue;
            }
            let fault = all.iter().any(|configuration| model.is_fault(property, configuration));
            let complain =
                |what: &str, by: &str| panic!("seed {seed}: {property} {what} by {by}, but fault {fault}\n{text}");
            let question = Property::of(property).expect("a property of configurations");
            let (system, question) = target.question(&network, question);
            for method in methods() {
                let report = check(&system, question, &method, &limits(), &cx);
                match report.verdict {
                    Verdict::Safe(invariant) => {
                        if fault {
                            complain("is proved", &format!("{method:?}"));
                        }
                        let proof = target.proof(&network, *invariant, &[], queues::Limits::default());
                        let Ok(proof) = proof else { continue };
                        // A proof about folded machines may be too rough for the model: the checker refuses it then.
                        match certify::queues::verify(&network, &specification, property, &proof, &cx) {
                            Err(_) if !target.is_model() => {
                                refused += 1;
                                continue;
                            }
                            verified => {
                                assert!(verified.is_ok(), "seed {seed}: {property}, {method:?}: {verified:?}\n{text}");
                            }
                        }
                        proved += 1;
                    }
                    Verdict::Finite if fault => complain("is proved", "listing"),
                    Verdict::Unsafe(run) => {
                        if is_everything && !fault {
                            complain("is violated", &format!("{method:?}"));
                        }
                        let is_run = follow(&mut semantics.stepper(), &target.steps(&run));
                        assert!(is_run, "seed {seed}: {property}, {method:?}: not a run\n{text}");
                        violated += 1;
                    }
                    _ => {}
                }
            }
            if target.is_model() {
                let counts = fifo::counting::candidates(&target.system, &limits(), &[], &cx);
                let counts = counts
                    .iter()
                    .map(|proof| certify::queue_counts::verify(&network, &specification, property, proof, &cx));
                let work = limits();
                let of_parts = fifo::parts::candidates(&target.system, &work, &[], &cx);
                let sums = fifo::sums::of_bad(&network, (&specification, &[]), &cx);
                let of_parts = of_parts.chain(sums);
                let of_parts =
                    of_parts.map(|proof| certify::queue_parts::verify(&network, &specification, property, &proof, &cx));
                if counts.chain(of_parts).any(|verified| verified.is_ok()) {
                    if fault {
                        complain("is proved", "parts or counts");
                    }
                    parts += 1;
                }
                if is_everything {
                    let listed = certify::queue_search::verify(&network, &specification, property, &cx);
                    assert_eq!(listed.is_err(), fault, "seed {seed}: {property}: {listed:?}\n{text}");
                }
            }
        }
        for (kind, property) in [
            (Kind::Machines, verdict::Property::PartialDeadlock),
            (Kind::Channels, verdict::Property::EventualReception),
        ] {
            let possible = is_everything.then(|| model.stays_possible(kind, &all));
            let question = eventually::Question { system: &target.system, kind, ranks: target.is_model() };
            let (found, _) = eventually::check(&question, &limits(), &cx, &mut |_| false);
            match found {
                Found::Ranked(proof) => {
                    let verified = certify::queue_ranking::verify(&network, &property, &proof, &cx);
                    assert!(
                        possible != Some(false) && verified.is_ok(),
                        "seed {seed}: {property}: {verified:?}\n{text}"
                    );
                    kept += 1;
                }
                Found::Finite if target.is_model() => {
                    let verified = certify::eventually::verify(&semantics, &property, &cx);
                    assert!(
                        possible != Some(false) && verified.is_ok(),
                        "seed {seed}: {property}: {verified:?}\n{text}"
                    );
                    kept += 1;
                }
                Found::Stuck(run) if target.is_model() => {
                    assert!(possible != Some(true), "seed {seed}: {property} is violated\n{text}");
                    assert!(follow(&mut semantics.stepper(), &target.steps(&run)), "seed {seed}: not a run\n{text}");
                    stuck += 1;
                }
                _ => {}
            }
            if let (Some(possible), true) = (possible, target.is_model()) {
                let verified = certify::eventually::verify(&semantics, &property, &cx);
                assert_eq!(verified.is_ok(), possible, "seed {seed}: {property}: {verified:?}\n{text}");
            }
        }
    }
    assert!(refused * 20 < proved, "{refused} refused");
    assert!(
        proved > 100 && violated > 100 && folded > 20 && kept > 10 && stuck > 10 && parts > 5,
        "{proved} proved, {violated} violated, {folded} with data, {kept} stay possible, {stuck} do not, {parts} in parts"
    );
}
