//! Protocols of any size, as texts: families for measuring how an engine grows.
//!
//! Each generator writes a file of the published grammar, so that other tools read it as well. The instances in
//! `examples/scm` are the ones that Fig. 10 of the McScM paper measures: a token ring of 4, a window of 2 over 10
//! packets, Peterson's election among 3.

use std::fmt::Write;

/// Writes the lines of a model.
#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0 += line.as_ref();
        self.0.push('\n');
    }

    fn header(&mut self, name: &str, channels: usize, messages: &[String]) {
        self.line(format!("scm {name} :"));
        self.line(format!("nb_channels = {channels} ;"));
        self.line("parameters :");
        messages.iter().for_each(|message| self.line(format!("int {message} ;")));
    }

    fn automaton(&mut self, name: &str, initial: usize) {
        self.line(format!("\nautomaton {name} :\ninitial : {initial}"));
    }

    /// A state with its transitions: where they lead, and what they do; nothing for an internal step.
    fn state(&mut self, state: usize, transitions: &[(usize, String)]) {
        let _ = writeln!(self.0, "state {state} :");
        for (to, action) in transitions {
            let comma = if action.is_empty() { "" } else { " , " };
            self.line(format!("to {to} : when true{comma}{action} ;"));
        }
    }
}

/// A ring of `n` processes that pass tokens on; none may ever hold two. There are two tokens at the start, in a ring of
/// one or two processes one.
///
/// Who holds a token (1) warns the next process with an alert `a` before it sends the token `t`. Who gets an alert
/// gives its own token away at once, without an alert of its own (3), or takes no notice of it when it has none. With
/// three tokens next to each other this goes wrong: the second gives way, and the third has not been warned.
pub fn token_ring(n: usize) -> String {
    let n = n.clamp(1, 255);
    let mut text = Text::default();
    text.line(format!("// A token ring of {n} processes; channel i leads from process i to the next one."));
    text.header("token_ring", n, &["t".into(), "a".into()]);
    for process in 0..n {
        let (input, output) = ((process + n - 1) % n, process);
        let holds = process == 0 || (n > 2 && process == n / 2);
        text.automaton(&format!("process{process}"), usize::from(holds));
        let receive = |to: usize, message: &str| (to, format!("{input} ? {message}"));
        let send = |to: usize, message: &str| (to, format!("{output} ! {message}"));
        text.line("// no token");
        text.state(0, &[receive(1, "t"), receive(0, "a")]);
        text.line("// a token");
        text.state(1, &[send(2, "a"), receive(3, "a"), receive(4, "t")]);
        text.line("// a token, and the next process has been warned");
        text.state(2, &[send(0, "t"), receive(3, "a"), receive(4, "t")]);
        text.line("// warned: the token must go");
        text.state(3, &[send(0, "t")]);
        text.line("// two tokens");
        text.state(4, &[]);
    }
    text.line("\nbad_states :");
    (0..n).for_each(|process| text.line(format!("(automaton process{process} : in 4 : true)")));
    text.0
}

/// A source that sends one message to each of `k` channels, round after round, and a sink that takes one from each: between
/// rounds all queues are equally long. With `modulus`, both may also pass that many messages over the first channel alone,
/// so that queues are equally long modulo that number only.
///
/// It is bad if between rounds the first queue holds a message (modulo the number) and the second none.
pub fn equal_queues(k: usize, modulus: Option<usize>) -> String {
    let (k, more) = (k.clamp(2, 100), modulus.map_or(0, |modulus| modulus.clamp(2, 1000)));
    let mut text = Text::default();
    text.line(format!("// Rounds over {k} channels, and {more} messages alone in the first of them."));
    text.header("equal_queues", k, &[String::from("a")]);
    for (name, action) in [("source", '!'), ("sink", '?')] {
        text.automaton(name, 0);
        let alone = (more > 0).then(|| (k + more - 2, format!("0 {action} a")));
        let round = (1, format!("0 {action} a"));
        text.line("// between rounds");
        text.state(0, &[round].into_iter().chain(alone).collect::<Vec<_>>());
        for channel in 1..k {
            text.state(channel, &[((channel + 1) % k, format!("{channel} {action} a"))]);
        }
        // The states of messages that go alone count down to k, and then it is between rounds again.
        for left in k..k + more.saturating_sub(1) {
            text.state(left, &[(if left == k { 0 } else { left - 1 }, format!("0 {action} a"))]);
        }
    }
    let again = vec!["a"; more.max(1)].join(".");
    let others = "#.a^*.".repeat(k - 2);
    text.line("\nbad_states :");
    text.line(format!("(automaton source : in 0 : true automaton sink : in 0 : true with a.({again})^*.#.{others}_)"));
    text.0
}

/// A source that sends `a` and `b` in turn, `n` stages that pass messages on, and a sink that must get them in turn.
pub fn pipeline(n: usize) -> String {
    let n = n.clamp(1, 254);
    let mut text = Text::default();
    text.line(format!("// A pipeline of {n} stages; channel i leads to stage i, and the last one to the sink."));
    text.header("pipeline", n + 1, &["a".into(), "b".into()]);
    text.automaton("source", 0);
    text.state(0, &[(1, String::from("0 ! a"))]);
    text.state(1, &[(0, String::from("0 ! b"))]);
    for stage in 0..n {
        text.automaton(&format!("stage{stage}"), 0);
        text.state(0, &[(1, format!("{stage} ? a")), (2, format!("{stage} ? b"))]);
        text.state(1, &[(0, format!("{} ! a", stage + 1))]);
        text.state(2, &[(0, format!("{} ! b", stage + 1))]);
    }
    text.automaton("sink", 0);
    text.state(0, &[(1, format!("{n} ? a")), (2, format!("{n} ? b"))]);
    text.state(1, &[(0, format!("{n} ? b")), (2, format!("{n} ? a"))]);
    text.line("// out of turn");
    text.state(2, &[]);
    text.line("\nbad_states :\n(automaton sink : in 2 : true)");
    text.0
}

/// A server that lends a lock to one of `n` clients at a time. All that clients send goes to its one mailbox: a request `r`,
/// which it grants (`g`) or, while another client has the lock, denies (`d`), and the release `e`.
pub fn lock_server(n: usize) -> String {
    lock_server_with(n, false)
}

/// The same with clients that do not wait: they ask again and again, and the mailbox grows without end.
pub fn impatient_lock_server(n: usize) -> String {
    lock_server_with(n, true)
}

fn lock_server_with(n: usize, impatient: bool) -> String {
    let n = n.clamp(2, 84);
    let mut text = Text::default();
    text.line(format!("// A lock server with {n} clients; channel 0 is its mailbox, channel i leads to client i."));
    let names: Vec<String> = (1..=n).flat_map(|client| [format!("r{client}"), format!("e{client}")]).collect();
    text.header("lock_server", n + 1, &[names, vec!["g".into(), "d".into()]].concat());
    // 0 is free; i grants client i the lock, n + i has lent it, and the others deny it to another one.
    let denies = |holder: usize, other: usize| 2 * n + 1 + (holder - 1) * n + (other - 1);
    text.automaton("server", 0);
    text.state(0, &(1..=n).map(|client| (client, format!("0 ? r{client}"))).collect::<Vec<_>>());
    for holder in 1..=n {
        text.state(holder, &[(n + holder, format!("{holder} ! g"))]);
        let others = (1..=n).filter(|&other| other != holder);
        let mut lent = vec![(0, format!("0 ? e{holder}"))];
        lent.extend(impatient.then(|| (n + holder, format!("0 ? r{holder}"))));
        lent.extend(others.clone().map(|other| (denies(holder, other), format!("0 ? r{other}"))));
        text.state(n + holder, &lent);
        others.for_each(|other| text.state(denies(holder, other), &[(n + holder, format!("{other} ! d"))]));
    }
    for client in 1..=n {
        text.automaton(&format!("client{client}"), 0);
        text.state(0, &[(1, format!("0 ! r{client}"))]);
        let mut waits = vec![(2, format!("{client} ? g")), (0, format!("{client} ? d"))];
        waits.extend(impatient.then(|| (1, format!("0 ! r{client}"))));
        text.state(1, &waits);
        text.line("// has the lock");
        text.state(2, &[(0, format!("0 ! e{client}"))]);
    }
    text.line("\nbad_states :");
    for first in 1..=n {
        for second in first + 1..=n {
            text.line(format!("(automaton client{first} : in 2 : true automaton client{second} : in 2 : true)"));
        }
    }
    text.0
}

/// A transfer of `m` packets over perfect channels, with at most `w` of them unacknowledged.
///
/// State `(base, next)` of the sender: packets below `base` are acknowledged, those below `next` are sent. An
/// acknowledgement of anything but packet `base` is an error, and so is a packet that the receiver does not expect.
/// Packets are numbered modulo `w + 1`, which is enough as long as nothing is lost.
pub fn sliding_window(m: usize, w: usize) -> String {
    let (m, w) = (m.clamp(1, 10_000), w.clamp(1, 100));
    let numbers = w + 1;
    let mut text = Text::default();
    text.line(format!("// A sliding window protocol: {m} packets, a window of {w}."));
    text.line("// Channel 0 carries packets p0, p1, ..; channel 1 their acknowledgements a0, a1, ..");
    let names: Vec<String> = "pa".chars().flat_map(|kind| (0..numbers).map(move |n| format!("{kind}{n}"))).collect();
    text.header("sliding_window", 2, &names);
    let lost = (m + 1) * (w + 1);
    let state = |base: usize, next: usize| base * (w + 1) + (next - base);
    text.automaton("sender", 0);
    for base in 0..=m {
        for next in base..=(base + w).min(m) {
            let mut transitions = Vec::new();
            if next < (base + w).min(m) {
                transitions.push((state(base, next + 1), format!("0 ! p{}", next % numbers)));
            }
            for number in 0..numbers {
                let expected = base < next && number == base % numbers;
                let to = if expected { state(base + 1, next) } else { lost };
                transitions.push((to, format!("1 ? a{number}")));
            }
            text.line(format!("// {base} acknowledged, {next} sent"));
            text.state(state(base, next), &transitions);
        }
    }
    text.line("// an acknowledgement out of order");
    text.state(lost, &[]);
    text.automaton("receiver", 0);
    let error = 2 * m + 1;
    for received in 0..m {
        let expected = received % numbers;
        let to = |number: usize| if number == expected { 2 * received + 1 } else { error };
        let transitions: Vec<_> = (0..numbers).map(|number| (to(number), format!("0 ? p{number}"))).collect();
        text.line(format!("// {received} received and acknowledged"));
        text.state(2 * received, &transitions);
        text.state(2 * received + 1, &[(2 * received + 2, format!("1 ! a{expected}"))]);
    }
    text.line("// all received; a packet more is an error");
    let more: Vec<_> = (0..numbers).map(|number| (error, format!("0 ? p{number}"))).collect();
    text.state(2 * m, &more);
    text.line("// a packet out of order");
    text.state(error, &[]);
    text.line(format!("\nbad_states :\n(automaton sender : in {lost} : true)"));
    text.line(format!("(automaton receiver : in {error} : true)"));
    text.0
}

/// Peterson's election of a leader in a ring of `n` processes with different names; there is never more than one
/// leader.
///
/// An active process sends the name that it stands for, and learns the one of its neighbour: its own name means that
/// no other process is active, and it is the leader. It hands the neighbour's name on and learns the one behind it. If the
/// neighbour's name is greater than both its own and the one behind, it goes on and stands for that name; else it only
/// relays from then on.
pub fn peterson(n: usize) -> String {
    let n = n.clamp(1, 100);
    let mut text = Text::default();
    text.line(format!(
        "// Peterson's election among {n} processes; channel i leads to process i, name mi is the one of process i."
    ));
    let names: Vec<String> = (0..n).map(|name| format!("m{name}")).collect();
    text.header("peterson", n, &names);
    // States by what a process does next, and what it remembers: its own name, and its neighbour's.
    let send = |own: usize| own;
    let learn = |own: usize| n + own;
    let hand_on = |own: usize, near: usize| 2 * n + own * n + near;
    let decide = |own: usize, near: usize| 2 * n + n * n + own * n + near;
    let relay = 2 * n + 2 * n * n;
    let relayed = |name: usize| relay + 1 + name;
    let leader = relay + 1 + n;
    for process in 0..n {
        let (input, output) = (process, (process + 1) % n);
        let receive = |to: usize, name: usize| (to, format!("{input} ? m{name}"));
        text.automaton(&format!("peer{process}"), send(process));
        for own in 0..n {
            text.line(format!("// active, stands for m{own}"));
            text.state(send(own), &[(learn(own), format!("{output} ! m{own}"))]);
            let to = |near: usize| if near == own { leader } else { hand_on(own, near) };
            text.state(learn(own), &(0..n).map(|near| receive(to(near), near)).collect::<Vec<_>>());
            for near in (0..n).filter(|&near| near != own) {
                text.state(hand_on(own, near), &[(decide(own, near), format!("{output} ! m{near}"))]);
                let to = |far: usize| if near > own && near > far { send(near) } else { relay };
                text.state(decide(own, near), &(0..n).map(|far| receive(to(far), far)).collect::<Vec<_>>());
            }
        }
        text.line("// relays");
        text.state(relay, &(0..n).map(|name| receive(relayed(name), name)).collect::<Vec<_>>());
        (0..n).for_each(|name| text.state(relayed(name), &[(relay, format!("{output} ! m{name}"))]));
        text.line("// the leader");
        text.state(leader, &[]);
    }
    text.line("\nbad_states :");
    for first in 0..n {
        for second in first + 1..n {
            text.line(format!(
                "(automaton peer{first} : in {leader} : true automaton peer{second} : in {leader} : true)"
            ));
        }
    }
    text.0
}
