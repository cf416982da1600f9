//! The property patterns of Dwyer, Avrunin & Corbett (ICSE 1999, *Patterns in property specifications for finite-state
//! verification*), in LTL as their catalogue has them: each pattern in the scopes globally, before R, after Q, between
//! Q and R, and after Q until R. And the surge protector of Chaki et al. (2004, section 5).

use temporal::{Formula, Precedence, parse_with};

/// A pattern and its formula in each scope, in the order above.
pub type Pattern = (&'static str, [&'static str; 5]);

pub const PATTERNS: [Pattern; 11] = [
    (
        "absence of p",
        [
            "[] !p",
            "<> r -> (!p U r)",
            "[] (q -> [] !p)",
            "[] ((q && !r && <> r) -> (!p U r))",
            "[] ((q && !r) -> (!p W r))",
        ],
    ),
    (
        "existence of p",
        [
            "<> p",
            "!r W (p && !r)",
            "[] !q || <> (q && <> p)",
            "[] ((q && !r) -> (!r W (p && !r)))",
            "[] ((q && !r) -> (!r U (p && !r)))",
        ],
    ),
    (
        "at most two stretches of p",
        [
            "!p W (p W (!p W (p W [] !p)))",
            "<> r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))",
            "<> q -> (!q U (q && (!p W (p W (!p W (p W [] !p))))))",
            "[] ((q && <> r) -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r))))))))))",
            "[] (q -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U ((r || (!p W r)) || [] p)))))))))",
        ],
    ),
    (
        "universality of p",
        ["[] p", "<> r -> (p U r)", "[] (q -> [] p)", "[] ((q && !r && <> r) -> (p U r))", "[] ((q && !r) -> (p W r))"],
    ),
    (
        "s precedes p",
        [
            "!p W s",
            "<> r -> (!p U (s || r))",
            "[] !q || <> (q && (!p W s))",
            "[] ((q && !r && <> r) -> (!p U (s || r)))",
            "[] ((q && !r) -> (!p W (s || r)))",
        ],
    ),
    (
        "s responds to p",
        [
            "[] (p -> <> s)",
            "<> r -> ((p -> (!r U (s && !r))) U r)",
            "[] (q -> [] (p -> <> s))",
            "[] ((q && !r && <> r) -> ((p -> (!r U (s && !r))) U r))",
            "[] ((q && !r) -> ((p -> (!r U (s && !r))) W r))",
        ],
    ),
    (
        "s, t precedes p",
        [
            "<> p -> (!p U (s && !p && X (!p U t)))",
            "<> r -> (!p U (r || (s && !p && X (!p U t))))",
            "[] !q || (!q U ((q && <> p) -> (!p U (s && !p && X (!p U t)))))",
            "[] ((q && <> r) -> (!p U (r || (s && !p && X (!p U t)))))",
            "[] (q -> (<> p -> (!p U (r || (s && !p && X (!p U t))))))",
        ],
    ),
    (
        "p precedes s, t",
        [
            "<> (s && X <> t) -> (!s U p)",
            "<> r -> (!(s && !r && X (!r U (t && !r))) U (r || p))",
            "[] !q || (!q U (q && (<> (s && X <> t) -> (!s U p))))",
            "[] ((q && <> r) -> (!(s && !r && X (!r U (t && !r))) U (r || p)))",
            "[] (q -> ((!(s && !r && X (!r U (t && !r))) U (r || p)) || [] !(s && X <> t)))",
        ],
    ),
    (
        "p responds to s, t",
        [
            "[] ((s && X <> t) -> X <> (t && <> p))",
            "<> r -> (((s && X (!r U t)) -> X (!r U (t && <> p))) U r)",
            "[] (q -> [] ((s && X <> t) -> X (!t U (t && <> p))))",
            "[] ((q && <> r) -> (((s && X (!r U t)) -> X (!r U (t && <> p))) U r))",
            "[] (q -> (((s && X (!r U t)) -> X (!r U (t && <> p))) U (r || [] ((s && X (!r U t)) -> X (!r U (t && <> p))))))",
        ],
    ),
    (
        "s, t responds to p",
        [
            "[] (p -> <> (s && X <> t))",
            "<> r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)",
            "[] (q -> [] (p -> (s && X <> t)))",
            "[] ((q && <> r) -> ((p -> (!r U (s && !r && X (!r U t)))) U r))",
            "[] (q -> ((p -> (!r U (s && !r && X (!r U t)))) U (r || [] (p -> (s && X <> t)))))",
        ],
    ),
    (
        "s, t without z responds to p",
        [
            "[] (p -> <> (s && !z && X (!z U t)))",
            "<> r -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r)",
            "[] (q -> [] (p -> (s && !z && X (!z U t))))",
            "[] ((q && <> r) -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r))",
            "[] (q -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U (r || [] (p -> (s && !z && X (!z U t))))))",
        ],
    ),
];

/// All formulas of the catalogue, with the names of their atoms.
pub fn all() -> Vec<(Formula, Vec<String>)> {
    let texts = PATTERNS.iter().flat_map(|(_, scopes)| scopes);
    let read = |text: &&str| parse_with(text, Precedence::Usual).unwrap_or_else(|error| panic!("{text}: {error}"));
    texts.map(read).map(|parsed| (parsed.formula, parsed.atoms)).collect()
}

/// The surge protector for currents and thresholds 0 to `range`: state/event, states alone, events alone.
pub fn surge_protector(range: u32) -> [(Formula, Vec<String>); 3] {
    let any = |parts: Vec<String>| format!("({})", parts.join(" || "));
    let all = |parts: Vec<String>| parts.join(" && ");
    let allowed = |current: u32| any((current..=range).map(|m| format!("m_is_{m}")).collect());
    let both = all((1..=range).map(|c| format!("(c{c} -> {})", allowed(c))).collect());
    let other = |c: u32| any((0..=range).filter(|&d| d != c).map(|d| format!("c_is_{d}")).collect());
    let states = (1..=range).map(|c| format!("[] (({} && X c_is_{c}) -> {})", other(c), allowed(c)));
    let raised = |c: u32| any((c..=range).map(|m| format!("m{m}")).collect());
    let events = (1..=range).flat_map(|c| (0..c).map(move |m| (c, m)));
    let events = events.map(|(c, m)| format!("[] (m{m} -> (!c{c} W {}))", raised(c)));
    let read = |text: String| {
        let parsed = parse_with(&text, Precedence::Usual).unwrap_or_else(|error| panic!("{text}: {error}"));
        (parsed.formula, parsed.atoms)
    };
    [read(format!("[] ({both})")), read(all(states.collect())), read(all(events.collect()))]
}
