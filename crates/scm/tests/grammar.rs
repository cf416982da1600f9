//! The grammar: what is accepted, with all the variants that published files have and the ones that we added.

use crate::common::valid;
use scm::{Regex, read};

fn model(rest: &str) -> String {
    format!("scm m : nb_channels = 2 ; parameters : int a ; int b ; {rest}")
}

/// The language of a bad state, as a regular expression over a = 1 and b = 2.
fn language(text: &str) -> Regex {
    let text = model(&format!(
        "automaton p : initial : 0 state 0 : to 0 : when true , 0 ! a ; bad_states : (automaton p : in 0 : true with {text})"
    ));
    valid("m", &text).specification.bad[0].queues.clone().unwrap().regex
}

#[test]
fn blanks_comments_and_lines_do_not_matter() {
    let tight = "scm M:nb_channels=2;lossy:0,1 parameters:int a;real b;automaton p:initial:0 state 0:to 0:when true,0!a;state 1:bad_states:(automaton p:in 1:true)";
    let model = valid("m", tight);
    assert_eq!(model.network.symbol_sets[0].symbols, ["a", "b"]);
    assert!(model.network.channel_types.iter().all(|c| c.lossy));
    let wide = tight.replace(':', " /* : */ : // :\n").replace(';', "\n;\n");
    assert_eq!(valid("m", &wide).network.machines[0].edges.len(), 1);
}

#[test]
fn one_action_at_most_and_internal_steps() {
    let text = model(
        "automaton p : initial : 7 state 7 : to 7 : when true ; to 7 : when true , 1 ? a ; to 7 : ; to 7 : 1 ! a ;",
    );
    assert_eq!(valid("m", &text).network.machines[0].edges.len(), 4);
    let two = model("automaton p : initial : 7 state 7 : to 7 : when true , 1 ? a , 1 ! a ;");
    assert_eq!(read("m", &two).diagnostics[0].code, "S0003");
}

#[test]
fn numbers_of_states_are_numbers() {
    let text = model("automaton p : initial : 007 state 7 : to 07 : when true ;");
    assert_eq!(valid("m", &text).network.machines[0].locations[0].labels, ["7"]);
}

#[test]
fn precedence_and_blank_sides_of_languages() {
    let (a, b, separator) = (|| Regex::Message(1), || Regex::Message(2), || Regex::Separator);
    assert_eq!(
        language("a.#.b|b.#"),
        Regex::Union(vec![Regex::Concat(vec![a(), separator(), b()]), Regex::Concat(vec![b(), separator()]),])
    );
    assert_eq!(language("#"), Regex::Separator);
    assert_eq!(language(".#."), Regex::Separator);
    assert_eq!(language("a # b"), Regex::Concat(vec![a(), separator(), b()]));
    assert_eq!(
        language("(a|)^* . # . (b^+)^*"),
        Regex::Concat(vec![
            Regex::Star(Box::new(Regex::Union(vec![a(), Regex::Empty]))),
            separator(),
            Regex::Star(Box::new(b())),
        ])
    );
    assert_eq!(language("_.#._"), Regex::Concat(vec![Regex::Empty, separator(), Regex::Empty]));
}

#[test]
fn a_language_for_one_channel_leaves_the_others_free() {
    let any = Regex::any([1, 2]);
    assert_eq!(language("1 : b"), Regex::Concat(vec![any, Regex::Separator, Regex::Message(2)]));
}

#[test]
fn parts_of_bad_states_mean_or_and_union() {
    let text = model(
        "automaton p : initial : 0 state 0 : state 1 : state 2 : automaton q : initial : 0 state 0 : automaton r : initial : 0 state 0 :
         bad_states : (automaton p : in 0 : true in 2 : true automaton q : in 0 : true) (automaton r : in 0) (with a.#)",
    );
    let bad = valid("m", &text).specification.bad;
    assert_eq!(bad.len(), 3);
    let locations: Vec<u32> = bad[0].machines[0].as_ref().unwrap().iter().map(|allowed| allowed.location.0).collect();
    assert_eq!(locations, [0, 2]);
    assert!(bad[0].machines[2].is_none() && bad[1].machines[0].is_none());
    assert!(bad[2].machines.iter().all(Option::is_none) && bad[2].queues.is_some());
}

#[test]
fn words_that_we_added_are_still_names() {
    let text = "scm channels : nb_channels = 1 ; parameters : int channels ; int and ; int or ; int not ; int false ;
        automaton channels : initial : 0 state 0 : to 0 : when true , 0 ! and ; to 0 : when true , 0 ! channels ;";
    valid("m", text);
}

#[test]
fn deep_and_long_expressions_are_no_danger() {
    let deep = |open: &str, close: &str| {
        model(&format!(
            "automaton p : initial : 0 state 0 : to 0 : when {}1{} ; bad_states : (automaton p : in 0 : true with {}a{}.#)",
            open.repeat(100_000),
            close.repeat(100_000),
            "(".repeat(100_000),
            ")".repeat(100_000)
        ))
    };
    assert!(read("m", &deep("(", ")")).diagnostics.iter().all(|d| d.code == "S0005" || d.code == "S0003"));
    assert!(read("m", &deep("!", "")).model.is_none());
    assert!(read("m", &deep("1+", "")).model.is_none());
    let stars = format!("a{}.#", "^*".repeat(100_000));
    assert!(matches!(language(&stars), Regex::Concat(_)));
    let long = format!("({}).#.b", vec!["a"; 100_000].join("|"));
    assert!(matches!(language(&long), Regex::Concat(_)));
}
