//! Small cases by hand: expressions, separators, limits, texts.

use crate::support::languages;
use queues::{Languages, Limit, Limits, Regex, RegexError};

#[test]
fn expressions_need_their_separators() {
    let mut two = languages(2, 1);
    let a = Regex::Letter(0);
    assert_eq!(two.regex(&a), Err(RegexError::Separators { expected: 1 }));
    let sometimes = Regex::Concat(vec![Regex::Star(Box::new(Regex::Separator)), a.clone()]);
    assert_eq!(two.regex(&sometimes), Err(RegexError::Separators { expected: 1 }));
    let both = Regex::Concat(vec![a.clone(), Regex::Separator, a]);
    let language = two.regex(&both).unwrap();
    assert!(two.contains(language, &[vec![0], vec![0]]));
    assert_eq!(two.regex(&Regex::Letter(7)), Err(RegexError::Letter(7)));
    assert_eq!(two.regex(&Regex::Empty), Ok(two.empty()));
}

#[test]
fn texts_are_readable() {
    let mut one = languages(1, 2);
    let name = |letter: u32| if letter == 0 { "o".to_string() } else { "c".to_string() };
    let oc = Regex::Star(Box::new(Regex::word(&[0, 1])));
    let language = one.regex(&oc).unwrap();
    assert_eq!(one.describe(language, &name).unwrap(), "(o.c)^*");
    let plus = one.send(language, 0, 0).and_then(|l| one.send(l, 0, 1)).unwrap();
    assert_eq!(one.describe(plus, &name).unwrap(), "(o.c)^+");
    let universe = one.universe().unwrap();
    assert_eq!(one.describe(universe, &name).unwrap(), "(o|c)^*");
    let empty = one.empty();
    assert_eq!(one.describe(empty, &name).unwrap(), "0");
    let mut two = languages(2, 2);
    let words = two.stars(&[vec![0], vec![1]]).unwrap();
    assert_eq!(two.describe(words, &name).unwrap(), "o^*.#.c^*");
}

#[test]
fn limits_come_back_as_values() {
    let third_from_last = Regex::Concat(vec![
        Regex::any([0, 1]),
        Regex::Letter(0),
        Regex::Concat(vec![Regex::Alt(vec![Regex::Letter(0), Regex::Letter(1)]); 20]),
    ]);
    let mut small = Languages::new(1, 2, Limits { states: 1000, ..Limits::default() });
    assert_eq!(small.regex(&third_from_last), Err(RegexError::Limit(Limit::States)));
    let mut short = Languages::new(1, 2, Limits { steps: 1000, ..Limits::default() });
    assert_eq!(short.regex(&third_from_last), Err(RegexError::Limit(Limit::Steps)));
    let mut tight = Languages::new(1, 2, Limits { bytes: 500, ..Limits::default() });
    let mut language = tight.all_empty().unwrap();
    let stopped = (0..100).find_map(|_| match tight.send(language, 0, 0) {
        Ok(longer) => {
            language = longer;
            None
        }
        Err(limit) => Some(limit),
    });
    assert_eq!(stopped, Some(Limit::Memory));
}

#[test]
fn heads_and_empty_channels() {
    let mut two = languages(2, 2);
    let headed = two.beginning_with(1, &[1]).unwrap();
    assert!(two.contains(headed, &[vec![0], vec![1, 0]]));
    assert!(!two.contains(headed, &[vec![1], vec![]]) && !two.contains(headed, &[vec![1], vec![0]]));
    let dry = two.empty_channel(1).unwrap();
    assert!(two.contains(dry, &[vec![0, 1], vec![]]) && !two.contains(dry, &[vec![], vec![0]]));
}

#[test]
fn nothing_panics_on_what_does_not_exist() {
    let mut one = languages(1, 1);
    let universe = one.universe().unwrap();
    assert_eq!(one.send(universe, 3, 0), Ok(one.empty()));
    assert_eq!(one.receive(universe, 0, 9), Ok(one.empty()));
    assert!(!one.contains(universe, &[]) && !one.contains(universe, &[vec![5]]));
    assert_eq!(one.singleton(&[vec![5]]), Ok(one.empty()));
}
