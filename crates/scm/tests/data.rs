//! Automata with variables: they run in `model::semantics`, and fold into plain machines that do the same.

use crate::common::{Found, search, valid};
use model::semantics::{Reading, Semantics};
use scm::fold::{Limits, fold};
use scm::{Model, print};

/// A sender that stops after three messages, and a receiver that counts them modulo four.
const COUNTING: &str = "
scm counting :
nb_channels = 1 ;
parameters : int a = 3 ; int b ;
automaton sender :
int x ;
initial : 0
state 0 :
to 0 : when x < a , 0 ! a with x = x + 1 ;
to 1 : when x == a , 0 ! b ;
state 1 :
automaton receiver :
int n = 1 ; int m = 2 * 3 ;
initial : 0
state 0 :
to 0 : when n <= 3 and not (n = 9) , 0 ? a with n = n + 1 , m = 5 ;
to 1 : when n > 3 , 0 ? b ;
state 1 :
to 2 : when n = 4 ;
state 2 :
bad_states :
(automaton receiver : in 2 : n == 4 && m == 5)
(automaton receiver : in 1 : n < 4)
";

fn reached(network: &model::network::Network) -> usize {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = stepper.initial().unwrap().unwrap();
    let mut seen = std::collections::HashSet::from([first.clone()]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.pop() {
        stepper
            .expand(&state, None, &mut |successor| {
                assert!(successor.fault.is_none(), "{:?}", successor.fault);
                let next = successor.state.unwrap().to_vec();
                if seen.insert(next.clone()) {
                    waiting.push(next);
                }
            })
            .unwrap();
    }
    seen.len()
}

#[test]
fn guards_and_assignments_fold_into_states_and_nothing_changes() {
    let model = valid("counting", COUNTING);
    let folded = fold(&model.network, &Limits::default()).unwrap();
    assert!(folded.is_exact() && folded.faults.is_empty() && folded.prologue.is_empty());
    assert_eq!(reached(&folded.network), reached(&model.network));
    let specification = folded.specification(&model.network, &model.specification);
    assert_eq!(specification.bad.len(), 1, "nothing is in state 1 with n < 4");
    let plain = Model { network: folded.network.clone(), specification };
    // Three times a and once b are sent and received, and one internal step follows.
    assert_eq!(search(&plain, 4, 1000), Found::Bad(9));
    let text = print(&plain.network, &plain.specification).unwrap();
    assert_eq!(search(&valid("printed", &text), 4, 1000), Found::Bad(9), "{text}");
}

#[test]
fn what_has_data_is_not_printed_before_it_is_folded() {
    let model = valid("counting", COUNTING);
    let reason = print(&model.network, &model.specification).unwrap_err();
    assert!(reason.why.contains("fold"), "{reason}");
}

#[test]
fn a_counter_without_a_limit_is_refused_at_its_declaration() {
    let text = "scm m : nb_channels = 1 ; parameters : int a ;
automaton p : int small ; int large ; initial : 0 state 0 : to 0 : when true with large = large + 1 , small = 1 ;";
    let model = valid("m", text);
    let limits = Limits { states: 100, ..Limits::default() };
    let reason = fold(&model.network, &limits).unwrap_err();
    let start = reason.span.start as usize;
    assert_eq!(&text[start..start + 5], "large", "{reason}");
}
