//! Random systems with timers, deferred messages, calls, parts that are destroyed, and controllers, against a naive interpreter.
//!
//! Three capsules send to each other. The interpreter is written from the documented rules: a list per queue, a list of pending
//! timers with identities that are never used again, a list of deferred messages, and a thread that runs one handler to its end.
//! A handler is interrupted before every single action, by other threads only. Compared are all configurations where every
//! capsule rests, all unexpected messages, and whether a call fails. `HIGHWATER_SEEDS=N` takes more systems.

use capsules::{Controller, Dialect, Text, Threads, read};
use model::network::{Action, Network};
use model::random::Random;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

const CAPSULES: usize = 3;
/// Messages and timers that a capsule makes at most.
const MOST: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
    /// `n` counts what is made.
    Send(usize, usize),
    /// With the priority `High`.
    Urgent(usize, usize),
    Inform,
    /// With an identity.
    Member,
    Every,
    /// With the priority `High`, without an identity and with one.
    Soon,
    SoonMember,
    Cancel,
    /// `v = tid.isValid()`
    IsValid,
    Defer,
    Recall(usize, usize),
    RecallAll(usize, usize),
    Purge(usize, usize),
    /// To the front of the queue.
    RecallFront(usize, usize),
    RecallAllFront(usize, usize),
    /// Whatever came by a port.
    RecallPort(usize),
    RecallPortFront(usize),
    RecallAllPort(usize),
    PurgePort(usize),
    /// `v` becomes the reply.
    Invoke(usize),
    Reply(i32),
    Destroy,
    Create,
}

/// What causes a transition: a message of another capsule, a timeout, or a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Cause {
    Message(usize, usize),
    Timeout,
    Call(usize),
}

#[derive(Clone, Debug)]
struct Transition {
    from: usize,
    to: usize,
    cause: Cause,
    acts: Vec<Act>,
}

#[derive(Clone, Debug)]
struct Capsule {
    states: usize,
    first: Vec<Act>,
    transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
struct System {
    capsules: Vec<Capsule>,
    /// The last capsule is an optional part of the first.
    optional: bool,
    /// Per capsule its controller, if threads are configured.
    controllers: Option<Vec<usize>>,
    invokes: bool,
    /// Messages may have priorities.
    urgent: bool,
}

fn acts(random: &mut Random, own: usize, cause: Option<Cause>, system: &System) -> Vec<Act> {
    let mut found = Vec::new();
    for _ in 0..random.below(3u32) {
        let other = (own + 1 + random.below(CAPSULES - 1)) % CAPSULES;
        let event = random.below(2);
        found.push(match random.below(16u32) {
            0 if system.urgent && random.chance(50) => Act::Soon,
            0 => Act::Inform,
            1 if system.urgent => Act::SoonMember,
            1 | 2 => Act::Member,
            3 => Act::Every,
            4 | 5 => Act::Cancel,
            6 => Act::IsValid,
            7 if system.urgent && random.chance(50) => Act::Urgent(other, event),
            7 if matches!(cause, Some(Cause::Message(..))) => Act::Defer,
            8 if random.chance(50) => Act::RecallFront(other, event),
            8 => Act::Recall(other, event),
            9 if !system.urgent && random.chance(50) => Act::RecallAllFront(other, event),
            9 => Act::RecallAll(other, event),
            10 if random.chance(40) => Act::Purge(other, event),
            10 => {
                let all = [Act::RecallPort(other), Act::RecallPortFront(other), Act::RecallAllPort(other)];
                if random.one_in(5u32) { Act::PurgePort(other) } else { all[random.below(3)] }
            }
            11 if system.invokes && cause.is_some() => Act::Invoke(other),
            12 if matches!(cause, Some(Cause::Call(_))) => Act::Reply(1 + random.below(2)),
            13 if system.optional && own == 0 => Act::Destroy,
            14 if system.optional && own == 0 => Act::Create,
            _ if system.urgent && random.chance(40) => Act::Urgent(other, event),
            _ => Act::Send(other, event),
        });
    }
    found
}

fn generate(random: &mut Random, urgent: bool) -> System {
    let controllers =
        random.chance(50).then(|| (0..CAPSULES).map(|c| if c == 2 { random.below(2) } else { 0 }).collect());
    let invokes = random.chance(40);
    let mut system = System { capsules: Vec::new(), optional: true, controllers, invokes, urgent };
    for own in 0..CAPSULES {
        let states = 1 + random.below(2usize);
        let mut transitions = Vec::new();
        for _ in 0..3 + random.below(3u32) {
            let other = (own + 1 + random.below(CAPSULES - 1)) % CAPSULES;
            let cause = match random.below(5u32) {
                0 | 1 => Cause::Timeout,
                2 if system.invokes => Cause::Call(other),
                _ => Cause::Message(other, random.below(2)),
            };
            let acts = acts(random, own, Some(cause), &system);
            transitions.push(Transition { from: random.below(states), to: random.below(states), cause, acts });
        }
        // Which of several transitions is taken is the subject of other tests.
        let mut seen = BTreeSet::new();
        transitions.retain(|t| seen.insert((t.from, t.cause)));
        let mut first = acts(random, own, None, &system);
        if own == 0 && random.chance(80) {
            first.push(Act::Create);
        }
        system.capsules.push(Capsule { states, first, transitions });
    }
    system
}

/// A capsule that defers and recalls what the two others have sent at first.
fn deferring(random: &mut Random, urgent: bool) -> System {
    let controllers =
        random.chance(50).then(|| (0..CAPSULES).map(|c| if c == 2 { random.below(2) } else { 0 }).collect());
    let mut system = System { capsules: Vec::new(), optional: true, controllers, invokes: false, urgent };
    let mut transitions = Vec::new();
    for (from, other, event) in (0..8).map(|n| (n & 1, 1 + (n >> 1 & 1), n >> 2)) {
        let recalled = |random: &mut Random| {
            let (of, e) = (1 + random.below(CAPSULES - 1), random.below(2));
            match random.below(7u32) {
                0 | 1 => Act::RecallFront(of, e),
                2 | 3 => Act::RecallPortFront(of),
                4 => Act::RecallPort(of),
                5 => Act::RecallAllPort(of),
                _ if urgent => Act::Recall(of, e),
                _ => Act::RecallAllFront(of, e),
            }
        };
        let one = |_| if random.chance(50) { Act::Defer } else { recalled(random) };
        let acts = (0..2).map(one).collect();
        transitions.push(Transition { from, to: random.below(2), cause: Cause::Message(other, event), acts });
    }
    system.capsules.push(Capsule { states: 2, first: vec![Act::Create], transitions });
    for _ in 1..CAPSULES {
        let one = |_| match random.below(2) {
            e if urgent && random.chance(50) => Act::Urgent(0, e),
            e => Act::Send(0, e),
        };
        system.capsules.push(Capsule { states: 1, first: (0..2).map(one).collect(), transitions: Vec::new() });
    }
    system
}

/// The event in the direction from one capsule to another.
fn event(from: usize, to: usize, event: usize) -> &'static str {
    [["u", "v"], ["x", "y"]][usize::from(from > to)][event]
}

fn call(from: usize, to: usize) -> &'static str {
    ["ask", "beg"][usize::from(from > to)]
}

fn answer(from: usize, to: usize) -> &'static str {
    ["told", "given"][usize::from(from > to)]
}

fn code(own: usize, acts: &[Act]) -> String {
    let count = |text: String| format!("if (n < {MOST}) {{ n++; {text} }} ");
    let known = |method: &str| format!("if (n < {MOST} && m < 2) {{ n++; m++; tid = timer.{method}; }} ");
    let one = |act: &Act| match *act {
        Act::Send(to, e) => count(format!("p{to}.{}().send();", event(own, to, e))),
        Act::Urgent(to, e) => count(format!("p{to}.{}().send(High);", event(own, to, e))),
        Act::Inform => count(String::from("timer.informIn(1);")),
        Act::Soon => count(String::from("timer.informIn(1, High);")),
        Act::SoonMember => known("informIn(1, High)"),
        Act::Member => known("informIn(1)"),
        Act::Every => known("informEvery(1)"),
        Act::Cancel => String::from("if (tid.isValid()) { m--; } timer.cancelTimer(tid); "),
        Act::IsValid => String::from("w = tid.isValid(); "),
        Act::Defer => String::from("msg->defer(); "),
        Act::Recall(from, e) => format!("p{from}.{}().recall(); ", event(from, own, e)),
        Act::RecallAll(from, e) => format!("p{from}.{}().recallAll(); ", event(from, own, e)),
        Act::RecallFront(from, e) if e == 0 => format!("p{from}.{}().recall(1); ", event(from, own, e)),
        Act::RecallFront(from, e) => format!("p{from}.{}().recall(true); ", event(from, own, e)),
        Act::RecallAllFront(from, e) => format!("p{from}.{}().recallAll(1); ", event(from, own, e)),
        Act::RecallPort(from) => format!("p{from}.recall(); "),
        Act::RecallPortFront(from) => format!("p{from}.recallFront(); "),
        Act::RecallAllPort(from) => format!("p{from}.recallAll(); "),
        Act::PurgePort(from) => format!("p{from}.purge(); "),
        Act::Purge(from, e) => format!("p{from}.{}().purge(); ", event(from, own, e)),
        Act::Invoke(to) => count(format!(
            "{{ RTMessage r; p{to}.{}().invoke(&r); if (r.isValid()) {{ v = *static_cast<int*>(r.getData()); }} }}",
            call(own, to)
        )),
        Act::Reply(_) => String::new(),
        Act::Destroy => String::from("frame.destroy(c2); "),
        Act::Create => count(String::from("frame.incarnate(c2, EmptyObject, T2);")),
    };
    acts.iter().map(one).collect()
}

fn text(system: &System) -> String {
    let mut text = String::from(
        "protocol P { out u(); out v(); in x(); in y(); out ask(); in beg(); in told(`int`); out given(`int`); };\n",
    );
    for (own, capsule) in system.capsules.iter().enumerate() {
        let name = if own == 0 { "Top".to_owned() } else { format!("C{own}") };
        let _ = writeln!(
            text,
            "capsule {name} {{ [[rt::decl]] `int n = 0; int m = 0; int v = 0; bool w = false; RTTimerId tid;`"
        );
        for other in (0..CAPSULES).filter(|other| *other != own) {
            let service = if own == 0 { "" } else { "service " };
            let _ = writeln!(text, "{service}behavior port p{other}{} : P;", if own > other { "~" } else { "" });
        }
        let _ = writeln!(text, "behavior port timer : Timing; behavior port frame : Frame;");
        if own == 0 {
            text += "fixed part c1 : C1; optional part c2 : C2[0..1];\n";
            text += "connect p1 with c1.p0; connect p2 with c2.p0; connect c1.p2 with c2.p1;\n";
        }
        let _ = writeln!(text, "statemachine {{ initial -> S0 `{}`;", code(own, &capsule.first));
        text += &(0..capsule.states).map(|state| format!("state S{state};\n")).collect::<String>();
        for t in &capsule.transitions {
            let (trigger, reply) = match t.cause {
                Cause::Message(from, e) => (format!("p{from}.{}", event(from, own, e)), String::new()),
                Cause::Timeout => (String::from("timer.timeout"), String::new()),
                Cause::Call(from) => {
                    let port = format!("p{from}");
                    let replies = t.acts.iter().filter_map(|act| match act {
                        Act::Reply(value) => Some(format!("{port}.{}({value}).reply(); ", answer(from, own))),
                        _ => None,
                    });
                    (format!("{port}.{}", call(from, own)), replies.collect())
                }
            };
            let _ = writeln!(text, "S{} -> S{} on {trigger} `{}{reply}`;", t.from, t.to, code(own, &t.acts));
        }
        text += "}; };\n";
    }
    text
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    exists: bool,
    started: bool,
    running: bool,
    state: usize,
    n: i32,
    /// Requests with an identity that were made, less those that were cancelled: at most two are distinguished.
    m: i32,
    v: i32,
    w: bool,
    /// What is left of the handler.
    left: VecDeque<Step>,
    /// The message that is handled, and whether it has the priority `High`.
    message: Option<(Cause, bool)>,
    /// Its identity of a timer; whether it is valid follows from where it is.
    tid: Option<u32>,
    deferred: Vec<Item>,
    reply: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Act(Act),
    /// Goes on with the caller.
    Return(usize),
    Rest,
    /// Waits for a call to return.
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    to: usize,
    cause: Cause,
    /// Of a timer: its identity, and whether it is periodic.
    timer: Option<(u32, bool)>,
    /// It has the priority `High`.
    soon: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    processes: Vec<Process>,
    /// Per capsule, or per controller; then the same for messages with a high priority.
    queues: Vec<VecDeque<Item>>,
    pending: Vec<Item>,
    next: u32,
}

/// Per capsule that exists: state, `n`, `v`, `w`, deferred messages; then the queues, and pending timers per capsule.
type Rest = (Vec<Option<(usize, i32, i32, bool, Vec<Cause>)>>, Vec<Vec<(usize, Cause)>>, Vec<usize>);

#[derive(Default, Debug, PartialEq, Eq)]
struct Found {
    rests: BTreeSet<Rest>,
    unexpected: BTreeSet<(usize, Cause)>,
    failed: bool,
}

/// Whether a message that was deferred is one of those that are recalled or purged.
fn fits(act: Act, item: &Item) -> bool {
    match act {
        Act::Recall(from, e) | Act::RecallAll(from, e) | Act::Purge(from, e) => item.cause == Cause::Message(from, e),
        Act::RecallFront(from, e) | Act::RecallAllFront(from, e) => item.cause == Cause::Message(from, e),
        Act::RecallPort(of) | Act::RecallPortFront(of) | Act::RecallAllPort(of) | Act::PurgePort(of) => {
            matches!(item.cause, Cause::Message(from, _) if from == of)
        }
        _ => false,
    }
}

/// How many queues for messages of the usual priority there are.
fn queues(system: &System) -> usize {
    if system.controllers.is_some() { 2 } else { CAPSULES }
}

struct Interpreter<'s> {
    system: &'s System,
    found: Found,
    thread: Vec<usize>,
}

impl Interpreter<'_> {
    fn queue(&self, capsule: usize) -> usize {
        self.system.controllers.as_ref().map_or(capsule, |controllers| controllers[capsule])
    }

    fn urgent(&self, capsule: usize) -> usize {
        self.queue(capsule) + queues(self.system)
    }

    fn fresh(&self, exists: bool) -> Process {
        Process {
            exists,
            started: false,
            running: false,
            state: 0,
            n: 0,
            m: 0,
            v: 0,
            w: false,
            left: VecDeque::new(),
            message: None,
            tid: None,
            deferred: Vec::new(),
            reply: None,
        }
    }

    /// Numbers identities again, so that worlds that differ in names only are the same.
    fn named(mut world: World) -> World {
        world.pending.sort();
        let mut names: BTreeMap<u32, u32> = BTreeMap::new();
        let mut name = |id: &mut u32| {
            let next = names.len() as u32;
            *id = *names.entry(*id).or_insert(next);
        };
        for item in world.queues.iter_mut().flatten() {
            item.timer.iter_mut().for_each(|(id, _)| name(id));
        }
        // Pending timers that nothing identifies are alike.
        let known: Vec<u32> = world.processes.iter().filter_map(|p| p.tid).collect();
        world
            .pending
            .sort_by_key(|item| (item.to, item.soon, item.timer.map(|(id, every)| (every, !known.contains(&id)))));
        for item in &mut world.pending {
            item.timer.iter_mut().for_each(|(id, _)| name(id));
        }
        for process in &mut world.processes {
            if let Some(id) = &mut process.tid {
                name(id);
            }
        }
        world.next = names.len() as u32;
        world
    }

    fn is_valid(world: &World, own: usize) -> bool {
        let all = || world.pending.iter().chain(world.queues.iter().flatten());
        world.processes[own].tid.is_some_and(|tid| all().any(|item| item.timer.is_some_and(|(id, _)| id == tid)))
    }

    fn act(&mut self, world: &mut World, own: usize, act: Act) {
        let n = world.processes[own].n;
        let counts = matches!(
            act,
            Act::Send(..) | Act::Urgent(..) | Act::Inform | Act::Member | Act::Every | Act::Invoke(_) | Act::Create
        ) || matches!(act, Act::Soon | Act::SoonMember);
        if counts {
            let known = matches!(act, Act::Member | Act::Every | Act::SoonMember);
            if n >= MOST || (known && world.processes[own].m >= 2) {
                return;
            }
            world.processes[own].n += 1;
            world.processes[own].m += i32::from(known);
        }
        match act {
            Act::Send(to, e) => {
                if world.processes[to].exists {
                    let item = Item { to, cause: Cause::Message(own, e), timer: None, soon: false };
                    world.queues[self.queue(to)].push_back(item);
                }
            }
            Act::Urgent(to, e) => {
                if world.processes[to].exists {
                    let item = Item { to, cause: Cause::Message(own, e), timer: None, soon: true };
                    world.queues[self.urgent(to)].push_back(item);
                }
            }
            Act::Inform | Act::Member | Act::Every | Act::Soon | Act::SoonMember => {
                let id = world.next;
                world.next += 1;
                let soon = matches!(act, Act::Soon | Act::SoonMember);
                let timer = Some((id, act == Act::Every));
                world.pending.push(Item { to: own, cause: Cause::Timeout, timer, soon });
                if !matches!(act, Act::Inform | Act::Soon) {
                    world.processes[own].tid = Some(id);
                }
            }
            Act::Cancel => {
                world.processes[own].m -= i32::from(Self::is_valid(world, own));
                let tid = world.processes[own].tid;
                let keep = |item: &Item| item.timer.is_none_or(|(id, _)| Some(id) != tid);
                world.pending.retain(keep);
                world.queues.iter_mut().for_each(|queue| queue.retain(keep));
            }
            Act::IsValid => world.processes[own].w = Self::is_valid(world, own),
            Act::Defer => {
                if let Some((cause, soon)) = world.processes[own].message {
                    world.processes[own].deferred.push(Item { to: own, cause, timer: None, soon });
                }
            }
            Act::RecallFront(..) | Act::RecallPortFront(_) => {
                let fits = |item: &Item| fits(act, item);
                if let Some(at) = world.processes[own].deferred.iter().position(fits) {
                    let item = world.processes[own].deferred.remove(at);
                    let queue = if item.soon { self.urgent(own) } else { self.queue(own) };
                    world.queues[queue].push_front(item);
                }
            }
            Act::RecallAllFront(..) => unreachable!("the order is left open"),
            Act::Recall(..)
            | Act::RecallAll(..)
            | Act::Purge(..)
            | Act::RecallPort(_)
            | Act::RecallAllPort(_)
            | Act::PurgePort(_) => {
                let fits = |item: &Item| fits(act, item);
                while let Some(at) = world.processes[own].deferred.iter().position(fits) {
                    let item = world.processes[own].deferred.remove(at);
                    let queue = if item.soon { self.urgent(own) } else { self.queue(own) };
                    if !matches!(act, Act::Purge(..) | Act::PurgePort(_)) {
                        world.queues[queue].push_back(item);
                    }
                    // Others may come between the messages that are recalled.
                    if !matches!(act, Act::Purge(..) | Act::PurgePort(_)) {
                        let again = matches!(act, Act::RecallAll(..) | Act::RecallAllPort(_));
                        let left = &mut world.processes[own].left;
                        left.extend(again.then_some(Step::Act(act)));
                        left.rotate_right(usize::from(again));
                        break;
                    }
                }
            }
            Act::Invoke(to) => {
                let same = self.thread[to] == self.thread[own];
                let target = &world.processes[to];
                if !same || !target.exists || !target.started || target.running {
                    self.found.failed = true;
                    return;
                }
                world.processes[own].left.push_front(Step::Wait);
                self.take(world, to, (Cause::Call(own), false));
            }
            Act::Reply(value) => {
                world.processes[own].reply = Some(value);
            }
            Act::Destroy | Act::Create => {}
        }
    }

    /// The capsule handles a message, in the only way that was chosen by the caller: of several transitions the one with the number.
    fn take(&mut self, world: &mut World, own: usize, (cause, soon): (Cause, bool)) -> usize {
        let state = world.processes[own].state;
        let transitions = self.system.capsules[own].transitions.clone();
        let fits: Vec<&Transition> = transitions.iter().filter(|t| t.from == state && t.cause == cause).collect();
        let process = &mut world.processes[own];
        process.running = true;
        process.message = Some((cause, soon));
        process.reply = None;
        match fits.first() {
            Some(t) => {
                process.left = t.acts.iter().map(|act| Step::Act(*act)).collect();
                process.state = t.to;
            }
            None => {
                process.left = VecDeque::new();
                self.found.unexpected.insert((own, cause));
            }
        }
        process.left.push_back(match cause {
            Cause::Call(from) => Step::Return(from),
            _ => Step::Rest,
        });
        fits.len()
    }

    fn busy(&self, world: &World, own: usize) -> bool {
        let shares = |other: usize| self.thread[other] == self.thread[own] && world.processes[other].running;
        (0..CAPSULES).any(shares)
    }

    fn successors(&mut self, world: &World) -> Vec<World> {
        let mut found = Vec::new();
        for at in 0..world.pending.len() {
            let mut next = world.clone();
            let item = next.pending.remove(at);
            let queue = if item.soon { self.urgent(item.to) } else { self.queue(item.to) };
            next.queues[queue].push_back(item);
            found.push(next);
        }
        for own in 0..CAPSULES {
            let process = &world.processes[own];
            if !process.exists {
                continue;
            }
            let mut next = world.clone();
            if process.running {
                let Some(step) = next.processes[own].left.pop_front() else { continue };
                match step {
                    Step::Act(Act::Create) if process.n < MOST => {
                        next.processes[own].n += 1;
                        if !next.processes[2].exists {
                            next.processes[2] = self.fresh(true);
                        }
                    }
                    Step::Act(Act::Destroy) => {
                        if next.processes[2].exists {
                            // It finishes what it does first.
                            if next.processes[2].running {
                                continue;
                            }
                            next.processes[2] = self.fresh(false);
                            next.pending.retain(|item| item.to != 2);
                            next.queues.iter_mut().for_each(|queue| queue.retain(|item| item.to != 2));
                        }
                    }
                    Step::Act(act @ Act::RecallAllFront(..)) => {
                        let all = next.processes[own].deferred.iter();
                        let (recalled, kept) = all.partition::<Vec<Item>, _>(|item| fits(act, item));
                        next.processes[own].deferred = kept;
                        let queue = self.queue(own);
                        let mut other = next.clone();
                        recalled.iter().for_each(|item| other.queues[queue].push_front(*item));
                        recalled.iter().rev().for_each(|item| next.queues[queue].push_front(*item));
                        found.push(other);
                    }
                    Step::Act(act) => self.act(&mut next, own, act),
                    Step::Rest => {
                        next.processes[own].running = false;
                        next.processes[own].started = true;
                        next.processes[own].message = None;
                    }
                    Step::Return(caller) => {
                        let reply = next.processes[own].reply.take();
                        next.processes[own].running = false;
                        next.processes[own].message = None;
                        next.processes[caller].left.pop_front();
                        match reply {
                            Some(value) => next.processes[caller].v = value,
                            None => self.found.failed = true,
                        }
                    }
                    Step::Wait => continue,
                }
                found.push(next);
                continue;
            }
            if self.busy(world, own) {
                continue;
            }
            if !process.started {
                next.processes[own].running = true;
                next.processes[own].left = self.system.capsules[own].first.iter().map(|act| Step::Act(*act)).collect();
                next.processes[own].left.push_back(Step::Rest);
                found.push(next);
                continue;
            }
            let waits = |other: usize| {
                self.thread[other] == self.thread[own]
                    && world.processes[other].exists
                    && !world.processes[other].started
            };
            if self.system.controllers.is_some() && (0..CAPSULES).any(waits) {
                continue;
            }
            let queue = match world.queues[self.urgent(own)].is_empty() {
                true => self.queue(own),
                false => self.urgent(own),
            };
            if next.queues[queue].front().is_none_or(|item| item.to != own) {
                continue;
            }
            if let Some(item) = next.queues[queue].pop_front() {
                if let Some((_, true)) = item.timer {
                    next.pending.push(item);
                }
                self.take(&mut next, own, (item.cause, item.soon));
                found.push(next);
            }
        }
        found
    }

    /// `None` if there are too many worlds.
    fn run(mut self) -> Option<Found> {
        let processes = (0..CAPSULES).map(|own| self.fresh(own != 2)).collect();
        let queues = vec![VecDeque::new(); 2 * queues(self.system)];
        let first = World { processes, queues, pending: Vec::new(), next: 0 };
        let mut seen = BTreeSet::from([first.clone()]);
        let mut work = vec![first];
        while let Some(world) = work.pop() {
            let resting = |p: &Process| !p.exists || (p.started && !p.running);
            if world.processes.iter().all(resting) {
                let one = |p: &Process| {
                    let deferred = p.deferred.iter().map(|item| item.cause).collect();
                    p.exists.then_some((p.state, p.n, p.v, p.w, deferred))
                };
                let queue = |queue: &VecDeque<Item>| queue.iter().map(|item| (item.to, item.cause)).collect();
                let pending = (0..CAPSULES).map(|own| world.pending.iter().filter(|item| item.to == own).count());
                self.found.rests.insert((
                    world.processes.iter().map(one).collect(),
                    world.queues.iter().map(queue).collect(),
                    pending.collect(),
                ));
            }
            for next in self.successors(&world) {
                let next = Self::named(next);
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
            if seen.len() > 15_000 {
                return None;
            }
        }
        Some(self.found)
    }
}

fn interpreted(system: &System) -> Option<Found> {
    let thread = match &system.controllers {
        Some(controllers) => controllers.clone(),
        None => {
            let mut group: Vec<usize> = (0..CAPSULES).collect();
            for (own, capsule) in system.capsules.iter().enumerate() {
                let all = capsule.first.iter().chain(capsule.transitions.iter().flat_map(|t| &t.acts));
                for to in all.filter_map(|act| if let Act::Invoke(to) = act { Some(*to) } else { None }) {
                    let (from, to) = (group[own], group[to]);
                    group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
                }
            }
            group
        }
    };
    Interpreter { system, found: Found::default(), thread }.run()
}

/// `p1.u` at a capsule.
fn read_cause(name: &str) -> Cause {
    let (port, event) = name.split_once('.').unwrap();
    if port == "timer" {
        return Cause::Timeout;
    }
    let from = port.strip_prefix('p').unwrap().parse().unwrap();
    match event {
        "ask" | "beg" => Cause::Call(from),
        _ => Cause::Message(from, usize::from(matches!(event, "v" | "y"))),
    }
}

fn explored(system: &System, network: &Network, sources: &SourceMap) -> Found {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut narrator = Narrator::new(&semantics, sources);
    let mut stepper = semantics.stepper();
    let first = (stepper.initial().unwrap().unwrap(), None);
    let mut found = Found::default();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut left = vec![first];
    let names = ["Top", "c1", "c2"];
    let machine = |own: usize| network.machines.iter().position(|m| m.name == names[own]).unwrap();
    while let Some((state, control)) = left.pop() {
        stepper.load(&state);
        let places: Vec<_> = (0..stepper.loaded_processes()).map(|p| stepper.loaded_place(p)).collect();
        let label = |own: usize| {
            let (machine, location) = places[machine(own)];
            network.machine(machine).locations[location.index()].labels.first().map(String::as_str)
        };
        if control.is_none() {
            for own in 0..CAPSULES {
                let (machine, location) = places[machine(own)];
                found.failed |= label(own) == Some("failed invoke");
                if label(own) == Some("unexpected message") {
                    let edge = network.machine(machine).edges_from(location).next().unwrap();
                    let Action::Print { format, .. } = &edge.action else { panic!("{edge:?}") };
                    let name = format.strip_prefix("unexpected message ").unwrap().trim_end_matches("\\n");
                    found.unexpected.insert((own, read_cause(name)));
                }
            }
            let snapshot = narrator.snapshot(&state);
            let global = |name: &str| snapshot.variables.iter().find(|v| v.name == name).map(|v| v.value.clone());
            let created = global("c2 exists").is_some_and(|v| v == "1");
            let is_rest = |own: usize| {
                label(own).is_some_and(|l| !l.contains(' ') || (l == "not created" && own == 2 && !created))
            };
            if (0..CAPSULES).all(is_rest) && global("c2 exists").is_none_or(|v| v == "0" || v == "1") {
                let value = |own: usize, variable: &str| {
                    let name = format!("{}.{variable}", names[own]);
                    snapshot.variables.iter().find(|v| v.name == name).map(|v| v.value.parse::<i32>().unwrap())
                };
                let channel = |name: &str| -> Vec<String> {
                    let found = snapshot.channels.iter().find(|c| c.channel == name);
                    found.map(|c| c.messages.clone()).unwrap_or_default()
                };
                let addressed = system.controllers.is_some();
                let fields = |text: &str| -> Vec<String> {
                    let inner = text.replace(['(', ')'], ",");
                    inner.split(',').map(|f| f.trim().to_owned()).filter(|f| !f.is_empty()).collect()
                };
                let message = |own: usize, text: &String| {
                    let fields = fields(text);
                    let Some(name) = fields.first() else { panic!("{text}") };
                    match name.split_once('.').filter(|_| addressed) {
                        Some((to, name)) => (names.iter().position(|own| *own == to).unwrap(), read_cause(name)),
                        None => (own, read_cause(name)),
                    }
                };
                let one = |own: usize| {
                    let state = label(own).unwrap().strip_prefix('S')?.parse().unwrap();
                    let deferred = channel(&format!("{} (deferred)", names[own]));
                    let deferred = deferred.iter().map(|text| message(own, text).1).collect();
                    let value = |name| value(own, name).unwrap_or(0);
                    Some((state, value("n"), value("v"), value("w") != 0, deferred))
                };
                let owners = if addressed { &["Main", "Other"][..] } else { &names[..] };
                let all = ["", " (High)"].iter().flat_map(|priority| {
                    owners.iter().enumerate().map(move |(own, owner)| (own, format!("{owner}{priority}")))
                });
                // What was recalled to the front comes first.
                let queues = all.map(|(own, name)| {
                    let all = channel(&format!("{name} (front)")).into_iter().chain(channel(&name));
                    all.map(|text| message(own, &text)).collect()
                });
                let queues = queues.collect();
                let pending = (0..CAPSULES).map(|own| channel(&format!("{}.timer", names[own])).len()).collect();
                found.rests.insert(((0..CAPSULES).map(one).collect(), queues, pending));
            }
        }
        let mut moved = false;
        stepper
            .expand(&state, control, &mut |successor| {
                moved = true;
                let next = (successor.state.expect("no fault").to_vec(), successor.control);
                if seen.insert(next.clone()) {
                    left.push(next);
                }
            })
            .unwrap();
        // A process that waits in an atomic sequence loses control.
        if !moved && control.is_some() && seen.insert((state.clone(), None)) {
            left.push((state, None));
        }
        assert!(seen.len() < 400_000, "the network has far more states than the system");
    }
    found
}

#[test]
fn random_features_do_what_the_rules_say() {
    let (mut compared, mut failed, mut configured) = (0, 0, 0);
    let seeds = testing::seeds(400);
    for seed in testing::first(0)..testing::first(0) + seeds {
        let random = &mut Random::new(seed);
        let system = if seed % 3 == 1 { deferring(random, seed % 2 == 1) } else { generate(random, seed % 4 == 3) };
        let text = text(&system);
        let threads = match &system.controllers {
            None => Threads::Any,
            Some(controllers) => {
                let logical = |n: usize| (controllers[2] == n).then(|| String::from("T2")).into_iter().collect();
                let one = |(n, name): (usize, &str)| Controller { name: name.to_owned(), logical: logical(n) };
                Threads::Configured(["Main", "Other"].into_iter().enumerate().map(one).collect())
            }
        };
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text: text.clone() }, &[], None, &threads);
        let Some(network) = &read.network else { panic!("seed {seed}: {:?}\n{text}", read.diagnostics) };
        let Some(expected) = interpreted(&system) else { continue };
        let found = explored(&system, network, &read.sources);
        let missing: Vec<&Rest> = expected.rests.difference(&found.rests).take(2).collect();
        assert!(missing.is_empty(), "seed {seed} {threads:?}: missing {missing:?}\n{text}");
        let more: Vec<&Rest> = found.rests.difference(&expected.rests).take(2).collect();
        assert!(more.is_empty(), "seed {seed} {threads:?}: more {more:?}\n{text}");
        assert_eq!(found.unexpected, expected.unexpected, "seed {seed} {threads:?}\n{text}");
        assert_eq!(found.failed, expected.failed, "seed {seed} {threads:?}\n{text}");
        failed += usize::from(expected.failed);
        configured += usize::from(system.controllers.is_some());
        compared += 1;
    }
    assert!(compared * 8 > seeds && failed > 0 && configured > 0, "{compared} {failed} {configured}");
}
