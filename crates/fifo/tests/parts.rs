//! Proofs in parts, on systems of many machines, and on random systems against an explicit search with queues up to a length:
//! what the checker accepts holds, also where a certificate was changed.

use crate::support::{Random, naive, seeds};
use certify::Refusal;
use fifo::translation::{Source, Translation};
use fifo::{Limits, Property, System};
use model::budget::Budget;
use model::context::Context;
use model::queue_parts::QueueParts;
use model::verdict;
use std::fmt::Write;

struct Model {
    read: scm::Model,
    system: System,
}

fn model(text: &str) -> Model {
    let read = scm::read("parts.scm", text);
    let model = read.model.unwrap_or_else(|| panic!("{text}\n{:?}", read.diagnostics));
    let bad = model.specification.clone();
    let source =
        Source { network: &model.network, sources: &read.sources, bad, promela: false, product: Err(String::new()) };
    let system = Translation::new(source, &Budget::unlimited()).expect("plain machines").system;
    Model { read: model, system }
}

impl Model {
    fn candidates(&self) -> Vec<QueueParts> {
        let Model { read, system } = self;
        let sums = fifo::sums::of_bad(&read.network, (&read.specification, &[]), &Context::unlimited());
        let (limits, cx) = (Limits::default(), Context::unlimited());
        let parts = fifo::parts::candidates(system, &limits, &[], &cx);
        parts.map(|parts| QueueParts { sums: sums.iter().flat_map(|of| of.sums.clone()).collect(), ..parts }).collect()
    }

    fn verify(&self, property: &verdict::Property, proof: &QueueParts) -> Result<(), Refusal> {
        let Model { read, .. } = self;
        certify::queue_parts::verify(&read.network, &read.specification, property, proof, &Context::unlimited())
    }
}

const PROPERTIES: [verdict::Property; 4] =
    [verdict::Property::Safety, verdict::Property::Deadlock, verdict::Property::Reception, verdict::Property::Orphan];

#[test]
fn pipelines_and_lock_servers_are_proved_part_by_part() {
    for text in [
        scm::families::pipeline(1),
        scm::families::pipeline(6),
        scm::families::lock_server(2),
        scm::families::lock_server(5),
    ] {
        let model = model(&text);
        let candidates = model.candidates();
        for property in &PROPERTIES {
            let mut verified = candidates.iter().map(|proof| model.verify(property, proof));
            assert!(verified.any(|verified| verified == Ok(())), "{property}\n{text}");
        }
    }
    // A sink that must get the same message twice, and a server that forgets whom it lent the lock.
    let twice = scm::families::pipeline(2).replace("to 1 : when true , 2 ? a ;", "to 2 : when true , 2 ? a ;");
    let forgets = scm::families::lock_server(2).replace("to 3 : when true , 1 ! g ;", "to 0 : when true , 1 ! g ;");
    for text in [twice, forgets] {
        let model = model(&text);
        assert!(naive::reaches_fault_within(&model.system, Property::BadStates, 4, 5000), "{text}");
        for proof in model.candidates() {
            assert!(model.verify(&verdict::Property::Safety, &proof).is_err(), "{text}");
        }
    }
}

/// Every place of a proof that the engine finds is needed: its histories and control states are those that are reached.
#[test]
fn every_part_of_a_proof_is_needed() {
    let model = model(&scm::families::pipeline(2));
    let proof = model.candidates().remove(0);
    let safety = verdict::Property::Safety;
    assert_eq!(model.verify(&safety, &proof), Ok(()));
    let refuse = |what: &str, change: &dyn Fn(&mut QueueParts)| {
        let mut changed = proof.clone();
        change(&mut changed);
        assert!(model.verify(&safety, &changed).is_err(), "{what} is accepted: {changed:?}");
    };
    refuse("nothing", &|proof| proof.parts.clear());
    for at in 0..proof.parts.len() {
        refuse("a part that is missing", &|proof| _ = proof.parts.remove(at));
        refuse("another machine", &|proof| proof.parts[at].machines[0] += 1);
        refuse("a machine that does not exist", &|proof| proof.parts[at].machines.push(9));
        for entry in 0..proof.parts[at].invariant.entries.len() {
            refuse("a control state that is missing", &|proof| _ = proof.parts[at].invariant.entries.remove(entry));
        }
        if !proof.parts[at].keeps.is_empty() {
            refuse("a history that nobody keeps", &|proof| {
                proof.parts[at].keeps.clear();
                proof.parts[at].invariant.entries.iter_mut().for_each(|entry| _ = entry.control.pop());
                proof.parts[at].invariant.entries.dedup();
            });
        }
        refuse("a history of another channel", &|proof| {
            let part = &mut proof.parts[at];
            part.follows.iter_mut().chain(&mut part.keeps).for_each(|channel| *channel = (*channel + 1) % 3);
        });
    }
    for at in 0..proof.histories.len() {
        refuse("a history that is missing", &|proof| _ = proof.histories.remove(at));
        refuse("a history without states", &|proof| proof.histories[at].edges.clear());
        refuse("two histories", &|proof| proof.histories.push(proof.histories[at].clone()));
        for state in 0..proof.histories[at].edges.len() {
            refuse("a message that is missing", &|proof| _ = proof.histories[at].edges[state].pop());
            refuse("another message", &|proof| proof.histories[at].edges[state][0].0 ^= 3);
            refuse("a state that does not exist", &|proof| proof.histories[at].edges[state][0].1 = 7);
        }
    }
}

/// Two to four machines with a few states. A channel leads from one machine to another more often than chance would have it.
fn random_text(random: &mut Random) -> String {
    let (machines, channels) = (2 + random.below(3_usize), 1 + random.below(4_usize));
    let ends: Vec<(usize, usize, bool)> =
        (0..channels).map(|_| (random.below(machines), random.below(machines), random.below(3_u32) > 0)).collect();
    let lossy = match random.below(4_u32) {
        0 => format!("lossy : {}", random.below(channels)),
        _ => String::new(),
    };
    let mut text = format!("scm random :\nnb_channels = {channels} ; {lossy}\nparameters : int a ; int b ;\n");
    let sizes: Vec<usize> = (0..machines).map(|_| 2 + random.below(3_usize)).collect();
    for (machine, &states) in sizes.iter().enumerate() {
        let _ = writeln!(text, "automaton m{machine} :\ninitial : 0");
        for from in 0..states {
            let _ = writeln!(text, "state {from} :");
            for _ in 0..1 + random.below(2_u32) {
                let (to, channel) = (random.below(states), random.below(channels));
                let message = ["a", "b"][random.below(2_usize)];
                let (writer, reader, directed) = ends[channel];
                let _ = match random.below(7_u32) {
                    0 => writeln!(text, "to {to} : when true ;"),
                    1..=3 if !directed || writer == machine => {
                        writeln!(text, "to {to} : when true , {channel} ! {message} ;")
                    }
                    4.. if !directed || reader == machine => {
                        writeln!(text, "to {to} : when true , {channel} ? {message} ;")
                    }
                    _ => Ok(()),
                };
            }
        }
    }
    text += "bad_states :\n";
    for _ in 0..1 + random.below(2_u32) {
        let (first, other) = (random.below(machines), random.below(machines));
        let mut named = vec![first];
        if other != first {
            named.push(other);
        }
        let named =
            named.iter().map(|&machine| format!("automaton m{machine} : in {} : true", random.below(sizes[machine])));
        let named = named.collect::<Vec<_>>().join(" ");
        let queues = match random.below(4_u32) {
            0 => format!(" with a.(a|b)^*{}", ".#.(a|b)^*".repeat(channels - 1)),
            _ => String::new(),
        };
        let _ = writeln!(text, "({named}{queues})");
    }
    text
}

/// Machines that send and wait in turn, over channels that lose messages half of the time: what is lost leads to states that
/// are not reached otherwise. A channel has one reader, which may write to it, too.
fn protocol_text(random: &mut Random) -> String {
    let (machines, channels) = (2 + random.below(2_usize), 1 + random.below(3_usize));
    let readers: Vec<usize> = (0..channels).map(|_| random.below(machines)).collect();
    let writers: Vec<Vec<usize>> =
        (0..channels).map(|_| (0..1 + random.below(2_u32)).map(|_| random.below(machines)).collect()).collect();
    let lossy: Vec<String> = (0..channels).filter(|_| random.chance(50)).map(|channel| channel.to_string()).collect();
    let lossy = if lossy.is_empty() { String::new() } else { format!("lossy : {}", lossy.join(", ")) };
    let mut text = format!("scm protocol :\nnb_channels = {channels} ; {lossy}\nparameters : int a ; int b ;\n");
    let sizes: Vec<usize> = (0..machines).map(|_| 2 + random.below(3_usize)).collect();
    for (machine, &states) in sizes.iter().enumerate() {
        let reads: Vec<usize> = (0..channels).filter(|&channel| readers[channel] == machine).collect();
        let writes: Vec<usize> = (0..channels).filter(|&channel| writers[channel].contains(&machine)).collect();
        let _ = writeln!(text, "automaton m{machine} :\ninitial : 0");
        for from in 0..states {
            let _ = writeln!(text, "state {from} :");
            let to = |random: &mut Random| if random.chance(60) { (from + 1) % states } else { random.below(states) };
            if !writes.is_empty() && (reads.is_empty() || random.chance(50)) {
                let (channel, message) = (writes[random.below(writes.len())], ["a", "b"][random.below(2_usize)]);
                let _ = writeln!(text, "to {} : when true , {channel} ! {message} ;", to(random));
            } else if !reads.is_empty() {
                let channel = reads[random.below(reads.len())];
                for message in ["a", "b"].into_iter().filter(|_| random.chance(70)).collect::<Vec<_>>() {
                    let _ = writeln!(text, "to {} : when true , {channel} ? {message} ;", to(random));
                }
            }
        }
    }
    text += "bad_states :\n";
    let machine = random.below(machines);
    text + &format!("(automaton m{machine} : in {} : true)\n", 1 + random.below(sizes[machine] - 1))
}

fn corrupt(random: &mut Random, proof: &mut QueueParts) {
    if random.chance(10)
        && let Some(sum) = proof.sums.first_mut()
    {
        let machine = random.below(sum.locations.len());
        let at = random.below(sum.locations[machine].len());
        sum.locations[machine][at] = random.below(3_u32);
    }
    let Some(at) = (!proof.parts.is_empty()).then(|| random.below(proof.parts.len())) else { return };
    let part = &mut proof.parts[at];
    match random.below(9_u32) {
        0 => _ = proof.parts.remove(at),
        1 if !part.invariant.entries.is_empty() => {
            let entry = random.below(part.invariant.entries.len());
            part.invariant.entries.remove(entry);
        }
        2 if !part.invariant.entries.is_empty() => {
            let entry = random.below(part.invariant.entries.len());
            let control = &mut part.invariant.entries[entry].control;
            let place = random.below(control.len());
            control[place] = random.below(4_u32);
        }
        3 if part.invariant.automata.len() > 1 => {
            let automata = part.invariant.automata.len() as u32;
            part.invariant.entries.iter_mut().for_each(|entry| entry.automaton = random.below(automata));
        }
        4 => part.keeps.clear(),
        5 => {
            let channel = random.below(4_u32);
            part.follows.push(channel);
            part.invariant.entries.iter_mut().for_each(|entry| entry.control.insert(part.machines.len(), 0));
        }
        6 if !proof.histories.is_empty() => {
            let at = random.below(proof.histories.len());
            let state = random.below(proof.histories[at].edges.len());
            proof.histories[at].edges[state].pop();
        }
        7 if !proof.histories.is_empty() => {
            let at = random.below(proof.histories.len());
            proof.histories[at].channel = random.below(4_u32);
        }
        _ => {
            let machine = random.below(4_u32);
            part.machines = vec![machine];
            part.invariant.entries.iter_mut().for_each(|entry| entry.control.truncate(1));
        }
    }
}

/// The same machines, with channels that lose nothing: a proof about them is none where messages are lost.
fn without_losses(text: &str) -> Option<Model> {
    let lossy = text.lines().find(|line| line.contains("lossy"))?;
    Some(model(&text.replace(lossy, lossy.split("lossy").next()?)))
}

#[test]
fn what_is_proved_in_parts_holds() {
    let (mut proved, mut faulty, mut forged, mut lossless) = (0, 0, 0, 0);
    let first = testing::first(0);
    for seed in first..first + seeds(400) {
        let mut random = Random::new(seed);
        let text = if seed % 2 == 0 { random_text(&mut random) } else { protocol_text(&mut random) };
        let model = model(&text);
        let candidates = model.candidates();
        let reliable = without_losses(&text).map_or_else(Vec::new, |reliable| reliable.candidates());
        for property in &PROPERTIES {
            let question = Property::of(property).expect("a property of configurations");
            let has_fault = naive::reaches_fault_within(&model.system, question, 6, 1500);
            let accepted = candidates.iter().any(|proof| model.verify(property, proof) == Ok(()));
            assert!(!(has_fault && accepted), "seed {seed}: {property} does not hold\n{text}");
            proved += u32::from(accepted);
            faulty += u32::from(has_fault);
            if !has_fault {
                continue;
            }
            for proof in &reliable {
                let verified = model.verify(property, proof);
                assert!(
                    verified.is_err(),
                    "seed {seed}: {property} is proved as if nothing were lost\n{proof:?}\n{text}"
                );
                lossless += 1;
            }
            for proof in &candidates {
                let mut proof = proof.clone();
                for _ in 0..3 {
                    corrupt(&mut random, &mut proof);
                    let verified = model.verify(property, &proof);
                    assert!(
                        verified.is_err(),
                        "seed {seed}: a forged proof of {property} is accepted\n{proof:?}\n{text}"
                    );
                    forged += 1;
                }
            }
        }
    }
    assert!(
        proved > 100 && faulty > 100 && forged > 1000 && lossless > 100,
        "{proved} proved, {faulty} faulty, {forged} forged, {lossless} without losses"
    );
}

/// The checker lists finite systems as a naive search does.
#[test]
fn listed_configurations_are_those_of_a_naive_search() {
    let (mut holds, mut fails) = (0, 0);
    for seed in testing::first(0)..testing::first(0) + seeds(400) {
        let text = random_text(&mut Random::new(seed));
        let Model { read, system } = model(&text);
        for property in &PROPERTIES {
            let question = Property::of(property).expect("a property of configurations");
            let Some(fault) = naive::reaches_fault(&system, question, 300) else { continue };
            let listed =
                certify::queue_search::verify(&read.network, &read.specification, property, &Context::unlimited());
            assert_eq!(listed.is_err(), fault, "seed {seed}: {property}: {listed:?}\n{text}");
            *(if fault { &mut fails } else { &mut holds }) += 1;
        }
    }
    assert!(holds > 50 && fails > 50, "{holds} hold, {fails} fail");
}
