//! Counters in loops, whose predicates no run asks for: what the program compares is enough.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question};

const LIFT: &str = "
int __VERIFIER_nondet_int(void);
void up(void);
void down(void);
int floor_ = 0;
void lift(void)
{
    while (1) {
        int wanted = __VERIFIER_nondet_int();
        if (wanted < 0 || wanted > 3)
            continue;
        while (floor_ != wanted) {
            if (floor_ < wanted) {
                up();
                floor_++;
            } else {
                down();
                floor_--;
            }
        }
    }
}
";

fn holds(formula: &str) -> bool {
    let spec = format!("file \"p.c\";\nprogram = (lift)\nltl A {{ {formula} }}\n");
    let specification = specification(read_with("test.spec", &spec, &[("p.c", LIFT)]));
    match ask(&specification, Question::Formula(0), 20).verdict {
        Outcome::Holds(holds) => {
            checked(&specification, &holds).expect("a proof");
            true
        }
        Outcome::Fails(_) => false,
        Outcome::Inconclusive(reason) => panic!("{formula}: {reason:?}"),
    }
}

#[test]
fn a_lift_stays_between_its_floors() {
    assert!(holds("[] {floor_ >= 0 && floor_ < 4}"));
    assert!(holds("[] (up -> {floor_ < 3})"));
    assert!(holds("[] (down -> {floor_ > 0})"));
    assert!(!holds("[] (down -> {floor_ == 1})"));
    assert!(!holds("[] (up -> {floor_ < 2})"));
}
