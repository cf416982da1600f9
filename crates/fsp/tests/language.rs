//! The language, construct by construct: what each text becomes.

use crate::common;

use crate::common::{deadlocks, event, event_names, holds, none, product, rendered, said, valid};
use model::composition::Composition;
use model::structure::Ending;

/// The steps of a component as text: `from event to`, by names of states.
fn steps(composition: &Composition, component: usize) -> Vec<String> {
    let component = &composition.components[component];
    let mut found = Vec::new();
    for state in 0..component.structure.states() as u32 {
        for step in component.structure.moves(state) {
            let event = composition.event_name(step.event);
            found.push(format!("{} {event} {}", component.state_name(state), component.state_name(step.to)));
        }
    }
    found
}

fn alphabet(composition: &Composition, component: usize) -> Vec<&str> {
    let mut names: Vec<&str> =
        composition.components[component].structure.alphabet().iter().map(|&e| composition.event_name(e)).collect();
    names.sort_unstable();
    names
}

fn component_names(composition: &Composition) -> Vec<&str> {
    composition.components.iter().map(|component| component.name.as_str()).collect()
}

#[test]
fn states_are_numbered_breadth_first_and_named_after_local_processes() {
    let read = valid("P = (a -> b -> Q | c -> STOP), Q = (d -> e -> f -> g -> h -> P).");
    let names = &read.components[0].state_names;
    let expected =
        ["P", "P after a", "STOP", "Q", "Q after d", "Q after d, e", "Q after d, e, f", "Q after .. e, f, g"];
    assert_eq!(names, &expected);
}

#[test]
fn indices_guards_and_parameters() {
    let text =
        "P(N=2) = COUNT[0], COUNT[i:0..N] = (when (i < N) inc -> COUNT[i+1] | when (i > 0) dec -> COUNT[i-1]).\n";
    assert_eq!(
        steps(&valid(text), 0),
        ["P inc COUNT[1]", "COUNT[1] inc COUNT[2]", "COUNT[1] dec P", "COUNT[2] dec COUNT[1]"]
    );
    let five = valid(&format!("{text}||S = P(5)."));
    assert_eq!((five.components[0].structure.states(), five.components[0].name.as_str()), (6, "P(5)"));
}

#[test]
fn labels_with_ranges_bind_variables_and_sets_do_not() {
    let read = valid("range R = 0..1\nset S = {x, y[R]}\nP = (in[i:R] -> out[1-i] -> {a, b} -> S -> P).");
    let expected: Vec<&str> = vec!["a", "b", "in[0]", "in[1]", "out[0]", "out[1]", "x", "y[0]", "y[1]"];
    assert_eq!(alphabet(&read, 0), expected);
    assert_eq!(read.components[0].structure.states(), 1 + 2 + 2 + 2);
}

#[test]
fn a_variable_may_range_over_labels() {
    let read = valid("P = (say[x:{yes, no}] -> Q[x]), Q[x:{yes, no}] = (echo[x] -> P).");
    assert_eq!(alphabet(&read, 0), ["echo.no", "echo.yes", "say.no", "say.yes"]);
}

#[test]
fn dots_and_brackets_are_one_name() {
    let read = valid(
        "P = (phil.1.eat -> P).\nQ = (phil[1].eat -> Q).\n||S = (P || Q).\nltl F { []<> phil.1.eat && [] phil[1].eat }",
    );
    assert_eq!(event_names(&read).into_iter().collect::<Vec<_>>(), ["phil[1].eat"]);
    assert!(holds(&read, &read.formulas[0].formula));
}

#[test]
fn conditions_choose_when_the_process_comes_there() {
    let read = valid("P = Q[0], Q[i:0..2] = if (i == 2) then (done -> STOP) else (next -> Q[i+1]).");
    assert_eq!(steps(&read, 0), ["P next Q[1]", "Q[1] next Q[2]", "Q[2] done STOP"]);
}

#[test]
fn stop_end_and_error_are_three_ends() {
    let read = valid("P = (a -> STOP | b -> END | c -> ERROR).");
    let structure = &read.components[0].structure;
    let endings: Vec<Ending> = (1..4).map(|state| structure.ending(state)).collect();
    assert_eq!(endings, [Ending::None, Ending::Done, Ending::Error]);
    let product = product(&read);
    assert_eq!((product.stuck, product.wrong), (vec![1], vec![3]));
}

#[test]
fn processes_one_after_the_other() {
    let text = "P(I=1) = (a[I] -> END).\nQ = (b -> END)\\{b}.\nR = (go -> P(1);Q;P(2);R).";
    let read = valid(text);
    assert_eq!(alphabet(&read, 0), ["a[1]", "a[2]", "go"]);
    assert_eq!(read.components[0].structure.states(), 4);
    let twice = valid(&format!("{text}\n||S = (x:R || y:R)."));
    assert_eq!(product(&twice).states.len(), 16);
}

#[test]
fn the_alphabet_has_events_of_local_processes_that_are_never_reached() {
    let read = valid("P = (a -> P), Q[i:0..1] = (when (i > 0) b[i] -> STOP).");
    assert_eq!(alphabet(&read, 0), ["a", "b[1]"]);
    assert_eq!(alphabet(&valid("P = (a -> P) + {x, y[1..2]}."), 0), ["a", "x", "y[1]", "y[2]"]);
    // A process in front of `;` that never ends, and one that ends at once.
    let read = valid("P = (a -> P).\nE = END + {e}.\nQ = (b -> P;(c -> END) | d -> E;Q).");
    assert_eq!(alphabet(&read, 0), ["a", "b", "c", "d", "e"]);
}

#[test]
fn labelling_prefixes_events_and_propositions() {
    let read = valid("P{busy} = (a -> P).\n||S = (x:P || y[i:1..2]:P).");
    assert_eq!(component_names(&read), ["x", "y[1]", "y[2]"]);
    assert_eq!(event_names(&read).into_iter().collect::<Vec<_>>(), ["x.a", "y[1].a", "y[2].a"]);
    let propositions: Vec<&str> = read.propositions.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(propositions, ["x.busy", "y[1].busy", "y[2].busy"]);
}

#[test]
fn labels_that_are_used_twice_get_the_process_behind_them() {
    let read = valid("P = (a -> P).\nQ = (b -> Q).\n||S = (x:P || x:Q || P || P).");
    assert_eq!(component_names(&read), ["x:P", "x:Q", "P", "P#2"]);
}

#[test]
fn sharing_gives_every_event_to_everybody() {
    let read = valid(
        "USER = (acquire -> release -> USER).\nLOCK = (acquire -> release -> LOCK).\n||S = ({a, b}:USER || {a, b}::LOCK).",
    );
    assert_eq!(alphabet(&read, 2), ["a.acquire", "a.release", "b.acquire", "b.release"]);
    assert_eq!(product(&read).states.len(), 3);
}

#[test]
fn relabelling_takes_whole_names_and_prefixes_and_makes_components_meet() {
    let read = valid(
        "C = (call.now -> wait -> C).\nS = (accept.now -> reply -> S).\n||CS = (C || S)/{call/accept, reply/wait}.",
    );
    assert_eq!(event_names(&read).into_iter().collect::<Vec<_>>(), ["call.now", "reply"]);
    assert_eq!(product(&read).states.len(), 2);
    let read = valid("P = (a[0..2] -> P)/{forall[i:0..1] {b[i]/a[i]}, {x, y}/a[2]}.");
    assert_eq!(alphabet(&read, 0), ["b[0]", "b[1]", "x", "y"]);
    let read = valid("P = (a -> P).\n||S = (P/{b/a} || x:P/{b/x.a}).");
    assert_eq!(event_names(&read).into_iter().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn hidden_events_are_of_the_composition_that_hid_them() {
    let text = "P = (a -> b -> P).\nQ = (b -> c -> Q).\n||T = (P || Q)\\{b}.\n||S = (x:T || y:T).";
    let read = valid(text);
    assert_eq!(read.components.len(), 4);
    let names: Vec<&str> = event_names(&read).into_iter().collect();
    assert_eq!(names, ["(x.b)", "(y.b)", "x.a", "x.c", "y.a", "y.c"]);
    assert_eq!(product(&read).states.len(), 16);
    assert_eq!(said(&format!("{text}\nltl F {{ [] x.b }}")), ["F0302"]);
    // The hidden event and one of the same name outside have nothing to do with each other.
    let read = valid("P = (a -> P)\\{a}.\nQ = (a -> STOP).\n||S = (P || P || Q).");
    assert_eq!(event_names(&read).into_iter().collect::<Vec<_>>(), ["(a)", "(a)#2", "a"]);
    assert!(!deadlocks(&read));
}

#[test]
fn an_interface_hides_the_rest() {
    let read = valid("P = (a -> b[1] -> b[2] -> c -> P)@{b}.");
    assert_eq!(alphabet(&read, 0), ["(a)", "(c)", "b[1]", "b[2]"]);
}

#[test]
fn a_property_watches_and_never_keeps_anything_from_happening() {
    let text = "P = (a -> b -> P | b -> END).\nproperty SAFE = (a -> b -> SAFE).\n||S = (P || SAFE).";
    let read = valid(text);
    let product = product(&read);
    assert_eq!((product.wrong.len(), product.stuck.len()), (1, 0));
    let read = valid(&text.replace("b -> END", "c -> END"));
    let product = common::product(&read);
    assert_eq!((product.wrong.len(), product.stuck.len(), product.states.len()), (0, 0, 3));
}

#[test]
fn propositions_label_the_state_where_a_local_process_begins() {
    let read = valid("P{p} = (a -> Q[1] | b -> R), Q[i:0..1]{m[i], hot} = (c -> Q[0] | d -> P), R{stuck} = STOP.");
    let component = &read.components[0];
    let labels = |name: &str| -> Vec<&str> {
        let state = component.state_names.iter().position(|known| known == name).unwrap();
        component.structure.labels(state as u32).iter().map(|id| read.propositions[id.index()].name.as_str()).collect()
    };
    assert_eq!(labels("P"), ["p"]);
    assert_eq!(labels("Q[1]"), ["m[1]", "hot"]);
    assert_eq!(labels("Q[0]").iter().filter(|name| **name == "m[0]").count(), 1);
    assert_eq!(labels("R"), ["stuck"]);
}

#[test]
fn compositions_may_be_defined_by_themselves_if_that_ends() {
    let text = "P = (a -> P).\n||S(N=3) = if (N > 0) then (p[N]:P || S(N-1)) else (P).";
    assert_eq!(component_names(&valid(text)), ["p[3]", "p[2]", "p[1]", "P"]);
}

#[test]
fn the_last_composition_is_meant_or_the_last_process_or_the_one_that_is_asked_for() {
    let text = "P = (a -> P).\n||S = (P || x:P).\nQ = (b -> Q).";
    assert_eq!(valid(text).name, "S");
    assert_eq!(valid("P = (a -> P).\nQ = (b -> Q).").name, "Q");
    let options = fsp::Options { system: Some("P".into()), formulas: vec!["[]<> a".into()] };
    let read = fsp::read("model.fsp", text, &options, &none);
    let composition = read.composition.unwrap();
    assert_eq!((composition.name.as_str(), composition.formulas[0].name.as_str()), ("P", "[]<> a"));
    assert!(holds(&composition, &composition.formulas[0].formula));
}

#[test]
fn a_fluent_is_a_proposition_and_in_an_assertion_it_is_true_at_once() {
    let text = "P = (on -> work -> off -> P).\nfluent ON = <{on}, {off}> initially 0\n";
    let read =
        valid(&format!("{text}assert A = [] (on -> ON)\nassert B = [] (off -> !ON)\nassert C = [] (work -> ON)"));
    assert!(read.formulas.iter().all(|r| holds(&read, &r.formula)));
    assert_eq!(component_names(&read), ["P", "fluent ON"]);
    let read =
        valid(&format!("{text}ltl A {{ [] (on -> !ON) }} ltl B {{ [] (off -> ON) }} ltl C {{ [] (on -> X ON) }}"));
    assert!(read.formulas.iter().all(|r| holds(&read, &r.formula)));
    let read = valid("P = (off -> END).\nfluent ON = <{}, off> initially 1\nltl A { ON }");
    assert!(!deadlocks(&read));
}

#[test]
fn a_name_of_two_kinds_is_told_apart_by_a_word() {
    let read = valid(
        "P{a} = (a -> b -> P).\nltl F { [] (\"event a\" -> {prop a}) }\nltl G2 { [] (\"prop a\" -> X \"event b\") }",
    );
    assert!(read.formulas.iter().all(|r| holds(&read, &r.formula)));
}

#[test]
fn constants_and_sets_may_stand_in_formulas() {
    let read = valid(
        "const N = 2\nP = (a[1..N] -> b -> P).\nltl F { [] ({a[1..N]} -> X b) } ltl G2 { [] !a[N] } ltl H { []<> {a[1], a[N]} }",
    );
    let verdicts: Vec<bool> = read.formulas.iter().map(|r| holds(&read, &r.formula)).collect();
    assert_eq!(verdicts, [true, false, true]);
}

#[test]
fn an_aut_file_is_a_process() {
    let load = |name: &str| match name {
        "a.aut" => Ok("des (1, 3, 4)\n(1, \"get.1\", 0)\n(0, i, 1)\n(3, \"PUT !1\", 3)\n".to_owned()),
        _ => Err("no such file".into()),
    };
    let text = "A = \"a.aut\".\nimport B = \"a.aut\"\n||S = (x:A || y:B/{z/y.get})\\{x.get}.";
    let read = fsp::read("model.fsp", text, &fsp::Options::default(), &load);
    assert!(read.diagnostics.is_empty(), "{}", rendered(&read));
    let composition = read.composition.unwrap();
    assert_eq!(alphabet(&composition, 0), ["(x.get[1])", "x.PUT !1"]);
    assert_eq!(alphabet(&composition, 1), ["y.PUT !1", "z[1]"]);
    assert_eq!(steps(&composition, 1), ["1 z[1] 0", "0 tau 1"]);
    assert_eq!(product(&composition).states.len(), 4);
}

#[test]
fn fig_5_and_6_have_the_paths_traces_and_failures_of_section_7() {
    let text = common::load("fig5.fsp").unwrap();
    for (system, paths, traces) in [("M1", 7, 4), ("M2", 4, 4), ("FIG6", 15, 8)] {
        let options = fsp::Options { system: Some(system.into()), ..Default::default() };
        let composition = fsp::read("fig5.fsp", &text, &options, &none).composition.unwrap();
        let product = product(&composition);
        let (mut all, mut ends) = (Vec::new(), vec![(0, Vec::new())]);
        while let Some((state, path)) = ends.pop() {
            for &(step, to) in &product.steps[state] {
                let mut longer: Vec<(String, usize)> = path.clone();
                longer.push((composition.event_name(step.event()).to_owned(), to));
                ends.push((to, longer));
            }
            all.push(path);
        }
        let words: std::collections::BTreeSet<Vec<&str>> =
            all.iter().map(|path| path.iter().map(|(event, _)| event.as_str()).collect()).collect();
        assert_eq!((all.len(), words.len()), (paths, traces), "{system}");
        assert_eq!(product.stuck.len(), 1);
        let refusals: std::collections::BTreeSet<(Vec<&str>, Vec<&str>)> = all
            .iter()
            .map(|path| {
                let state = path.last().map_or(0, |(_, to)| *to);
                let offered: Vec<&str> =
                    product.steps[state].iter().map(|(step, _)| composition.event_name(step.event())).collect();
                let refused = event_names(&composition).into_iter().filter(|name| !offered.contains(name)).collect();
                (path.iter().map(|(event, _)| event.as_str()).collect(), refused)
            })
            .collect();
        if system == "M1" {
            let expected = [
                (vec![], vec!["b", "c"]),
                (vec!["a"], vec!["a", "c"]),
                (vec!["a", "b"], vec!["a", "b"]),
                (vec!["a", "b", "c"], vec!["a", "b", "c"]),
            ];
            assert_eq!(refusals, expected.into());
        }
        assert_eq!(refusals.len(), traces, "one failure for each trace of {system}");
    }
}

#[test]
fn section_8_the_parts_of_the_claims_have_the_deadlocks_that_the_paper_says() {
    for (file, system, expected) in [
        ("fig7-1.fsp", "M1", true),
        ("fig7-1.fsp", "M2", true),
        ("fig7-2.fsp", "M3", false),
        ("fig7-2.fsp", "M4", false),
        ("fig7-5.fsp", "M1", true),
        ("fig7-6.fsp", "M5", false),
    ] {
        let options = fsp::Options { system: Some(system.into()), ..Default::default() };
        let read = fsp::read(file, &common::load(file).unwrap(), &options, &none);
        let composition = read.composition.unwrap();
        assert_eq!(deadlocks(&composition), expected, "{file} {system}");
        assert!(composition.components[0].structure.takes_part(event(&composition, "b")));
    }
}

#[test]
fn menus_and_minimal_are_passed_over() {
    assert_eq!(valid("P = (a -> P).\nmenu RUN = {a}\nminimal ||S = (P).").components.len(), 1);
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    // Completed before or after the relabelling, this property is not the same.
    assert_eq!(said("property P = (a -> b -> P)/{c/a, c/b}."), ["F0110"]);
    assert_eq!(said("property P = (a -> b -> P)\\{b}."), ["F0110"]);
    assert_eq!(said("STOP = (a -> STOP)."), ["F0101"]);
    assert_eq!(said("P = (a -> P).\n||S = forall[i:1..0] p[i]:P."), ["F0111"]);
    assert_eq!(said("P = (\"ON\" -> b -> P).\nfluent ON = <b, c>\nltl F { [] ON }"), ["F0505", "F0303"]);
}

#[test]
fn events_that_get_one_name_happen_together_unless_the_composition_hides_something() {
    // One event of one part alone may be merged, even behind a seal; for two parts, the composition becomes one part.
    let sealed = "P = (a -> b -> x -> P).\nQ = (d -> x -> Q).\n||S = (P || Q)\\{x}.\n";
    let components = |text: &str| valid(text).components.len();
    assert_eq!(components(&format!("{sealed}||T = S/{{c/a, c/b}}.")), 2);
    let merged = valid(&format!("{sealed}||T = (S)/{{c/a, c/d}}."));
    assert_eq!(merged.components.len(), 1);
    assert_eq!(product(&merged).states.len(), 6);
    assert_eq!(components(&format!("{}||T = (S)/{{c/a, c/d}}.", sealed.replace("\\{x}", ""))), 2);
}

#[test]
fn priorities_choose_in_every_state_of_the_composition() {
    let text = "N = (work -> play -> N | sleep -> play -> N).\n";
    let low = valid(&format!("{text}||LOW = N >> {{work}}."));
    assert_eq!(steps(&low, 0), ["N sleep N after sleep", "N after sleep play N"]);
    let high = valid(&format!("{text}||HIGH = (N) << {{work}}."));
    assert_eq!(steps(&high, 0), ["N work N after work", "N after work play N"]);
    // What is hidden before goes before what is low, and after what is high.
    let hidden = "P = (tick -> P | a -> Q), Q = (b -> P).\n||H = (P)\\{a}.\n";
    assert_eq!(valid(&format!("{hidden}||S = (H) >> {{tick}}.")).components[0].structure.steps(), 2);
    assert_eq!(valid(&format!("{hidden}||S = (H) << {{tick}}.")).components[0].structure.states(), 1);
    assert_eq!(said("P = (a -> P) >> {a}."), ["F0006"]);
}

#[test]
fn a_label_can_be_a_value() {
    let text =
        "set S = {x, y}\nP(T='none) = (say[T] -> Q['x]), Q[v:S] = if (v == T) then (same -> P) else (other[v] -> P).\n";
    let read = valid(&format!("{text}||A = (P('y) || P('x))."));
    assert_eq!(alphabet(&read, 0), ["other.x", "same", "say.y"]);
    assert_eq!(alphabet(&read, 1), ["other.y", "same", "say.x"]);
    let pairs = valid(
        "const N = 1\nset C = {[0..N][0..N], undef}\nP(A='a) = ([A].at[p:C] -> if (p != 'undef) then (seen -> P) else P).",
    );
    assert_eq!(alphabet(&pairs, 0).len(), 6);
}

#[test]
fn an_index_out_of_range_is_an_error_state() {
    let (text, warned) = ("P = P[0], P[i:0..1] = (up -> P[i+1]).", ["F0507"]);
    assert_eq!(said(text), warned);
    let read = fsp::read("range.fsp", text, &fsp::Options::default(), &none).composition.expect("a warning only");
    assert_eq!(product(&read).wrong.len(), 1);
}

#[test]
fn an_index_on_either_side_of_a_relabelling() {
    let text = "P = (in -> out -> P).\n||S = (p[0..2]:P)/{mid[i:1..2]/p[i-1].out, mid[i:1..2]/p[i].in}.";
    let read = valid(text);
    assert_eq!(alphabet(&read, 1), ["mid[1]", "mid[2]"]);
}

#[test]
fn deterministic_keeps_the_traces() {
    let text = "P = (a -> b -> STOP | a -> c -> STOP).\n";
    assert_eq!(product(&valid(text)).states.len(), 4);
    let read = valid(&format!("{text}deterministic ||S = (P)."));
    assert_eq!(read.components[0].structure.states(), 3);
    assert_eq!(valid("deterministic P = (a -> b -> STOP | a -> c -> STOP).").components[0].structure.states(), 3);
    let property = valid("P = (a -> P).\nQ = (a -> b -> Q).\nproperty ||S = (Q).\n||T = (P || S).");
    assert_eq!(product(&property).wrong.len(), 1);
}

#[test]
fn progress_is_read_with_indices_and_conditions() {
    let text = "P = (a[1..2] -> P | b -> P).\nprogress G[i:1..2] = {a[i]}\nprogress H = if {b} then {a[1..2]}";
    let read = valid(text);
    let names: Vec<(&str, bool, usize)> =
        read.progress.iter().map(|p| (p.name.as_str(), p.condition.is_some(), p.sets[0].len())).collect();
    assert_eq!(names, [("G[1]", false, 1), ("G[2]", false, 1), ("H", true, 2), ("", false, 1)]);
    assert_eq!(read.progress[3].sets.len(), 3);
}

#[test]
fn asserts_have_quantifiers_and_name_each_other() {
    let text = "range R = 1..2\nset I = {[R]}\nP = (a[i:R] -> b[i] -> P).\n\
        fluent ON[i:R] = <a[i], b[i]>\nfluent OFF[i:R] = <b[i], {a[R], b[{I\\{[i]}}]}>\n\
        assert ONE = [] !(forall[i:R] ON[i])\nassert SOME = [] (a[R] -> exists[i:R] ON[i] && !OFF[R])\n\
        assert BOTH = (ONE && SOME)\nassert WRONG = forall[i:R] <> a[i]\nassert WEAK = !a[1] W (a[R] || b[1])\n";
    let read = valid(text);
    let kept: Vec<bool> = read.formulas.iter().map(|formula| holds(&read, &formula.formula)).collect();
    assert_eq!(kept, [true, true, true, false, true]);
    assert_eq!(said("P = (a -> P).\nassert A = a -> a -> a"), ["F0003"]);
    assert_eq!(said("P = (a -> P).\nassert A = B\nassert B = A"), ["F0202"; 2]);
}

#[test]
fn a_set_in_a_formula_may_be_large() {
    let read = valid("P = (a[0..4999] -> P).\nltl F { [] {a[0..4999]} }");
    assert_eq!(read.formulas.len(), 1);
    assert_eq!(said("P = (a[0..49999] -> P).\nltl F { [] {a[0..49999]} }"), ["F0201"]);
}

#[test]
fn a_proposition_of_a_state_that_is_never_reached_is_known_and_never_holds() {
    let read = valid("P = (a -> P), BAD[i:1..2]{bad[i]} = STOP.\nltl F { [] !bad[2] }");
    assert!(holds(&read, &read.formulas[0].formula));
}
