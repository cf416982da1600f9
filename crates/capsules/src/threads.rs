//! Which thread runs which capsule: *any threads*, or as a build file configures them.

use crate::lexer::Dialect;

/// How capsules are assigned to threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Threads {
    /// Any assignment: each capsule instance has a queue of its own.
    #[default]
    Any,
    /// As configured: each controller has one queue for all its capsules. The first runs the top capsule.
    Configured(Vec<Controller>),
}

/// A physical thread that runs capsules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Controller {
    /// Its name.
    pub name: String,
    /// The logical threads that are mapped to it.
    pub logical: Vec<String>,
}

/// The threads that build files configure; one for everything if they name none.
///
/// `threads` of a `.tcjs` of Art: objects with a `name` and a list `logical`; timer controllers run no capsules. In ROOM the
/// `ThreadMapping`s of a mapping (`.etmap`); the physical threads themselves are in a `.etphys`, whose first is the default.
pub fn configured<'t>(dialect: Dialect, build_files: impl Iterator<Item = &'t str>) -> Vec<Controller> {
    let mut found: Vec<Controller> = Vec::new();
    for text in build_files {
        let words = tokens(text);
        let named = if dialect == Dialect::Art { art(&words) } else { room(&words) };
        for controller in named {
            match found.iter_mut().find(|known| known.name == controller.name) {
                Some(known) => known.logical.extend(controller.logical),
                None => found.push(controller),
            }
        }
    }
    if let Some(main) = found.iter().position(|controller| controller.name == "MainThread") {
        found.swap(0, main);
    }
    if found.is_empty() {
        found.push(Controller { name: String::from("MainThread"), logical: Vec::new() });
    }
    found
}

/// Words, strings without their quotes, and marks; comments are left out.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (token, len) = if let Some(after) = rest.strip_prefix("//") {
            (None, 2 + after.find('\n').unwrap_or(after.len()))
        } else if let Some(after) = rest.strip_prefix("/*") {
            (None, 2 + after.find("*/").map_or(after.len(), |end| end + 2))
        } else if matches!(first, '\'' | '"') {
            let inner = &rest[1..];
            let end = inner.find([first, '\n']).unwrap_or(inner.len());
            (Some(&inner[..end]), (end + 2).min(rest.len()))
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (Some(&rest[..end]), end)
        } else {
            let len = first.len_utf8();
            (Some(&rest[..len]).filter(|_| !first.is_whitespace()), len)
        };
        found.extend(token);
        rest = rest.get(len..).unwrap_or("");
    }
    found
}

fn art(words: &[&str]) -> Vec<Controller> {
    let Some(start) = words.windows(3).position(|w| w == ["threads", "=", "["]) else { return Vec::new() };
    let mut found = Vec::new();
    let (mut at, mut current) = (start + 3, None::<(Controller, bool)>);
    let mut depth = 1;
    while at < words.len() && depth > 0 {
        match words[at] {
            "{" => current = Some((Controller { name: String::new(), logical: Vec::new() }, false)),
            "}" => found.extend(current.take().filter(|(c, timer)| !timer && !c.name.is_empty()).map(|(c, _)| c)),
            "[" => depth += 1,
            "]" => depth -= 1,
            key @ ("name" | "implClass" | "logical") if words.get(at + 1) == Some(&":") => {
                let Some((controller, timer)) = &mut current else { break };
                let value = words.get(at + 2).copied().unwrap_or("");
                match key {
                    "name" => controller.name = value.to_owned(),
                    "implClass" => *timer = value.contains("Timer"),
                    _ if value == "[" => {
                        at += 3;
                        while at < words.len() && words[at] != "]" {
                            controller.logical.extend((words[at] != ",").then(|| words[at].to_owned()));
                            at += 1;
                        }
                        at += 1;
                        continue;
                    }
                    _ => controller.logical.push(value.to_owned()),
                }
                at += 2;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

fn room(words: &[&str]) -> Vec<Controller> {
    let mut found = Vec::new();
    for window in words.windows(5) {
        match window {
            ["ThreadMapping", logical, "-", ">", physical] => {
                found.push(Controller { name: (*physical).to_owned(), logical: vec![(*logical).to_owned()] });
            }
            ["DefaultThread", name, ..] => {
                found.insert(0, Controller { name: (*name).to_owned(), logical: Vec::new() });
            }
            ["Thread", name, "{", ..] => found.push(Controller { name: (*name).to_owned(), logical: Vec::new() }),
            _ => {}
        }
    }
    found
}
