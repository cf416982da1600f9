//! The tutorials are tests: what the chapters of [`CHAPTERS`] tell the reader to type is typed here, and the
//! output must be what the chapter shows.
//!
//! A block that starts with `promela,file=NAME` is written to the file NAME in an empty folder; so are those of `fsp`, `c`, `text`, `toml` and
//! `spec`. One that starts with `diff,file=NAME` is a change of that file, as the reader would make it. In a block that
//! starts with `console` each line `$ highwater ..` is a command, `$ echo $?` asks for its exit code, and
//! the other lines are what the terminal shows, errors and answers in the order in which they come. All
//! commands of a chapter run in that folder, from the first block to the last. Of a shell's language there is what
//! the chapters need: words in single quotes, and `> NAME` at the end.
//!
//! Times and version numbers differ from machine to machine, so both sides are compared without
//! them. After a deliberate change of the output, `HIGHWATER_BLESS=1 cargo test -p highwater-cli --test all tutorial` writes
//! what is printed now into the chapters; read the difference before you keep it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The chapters, in `docs/src`.
const CHAPTERS: [&str; 9] = [
    "tutorial.md",
    "seeing.md",
    "buffers.md",
    "patterns.md",
    "livelock.md",
    "temporal.md",
    "composition.md",
    "components.md",
    "flow.md",
];

#[test]
fn the_tutorials_show_what_the_tool_prints() {
    let differences: Vec<String> = CHAPTERS.iter().flat_map(|chapter| differences(chapter)).collect();
    assert!(differences.is_empty(), "{} commands differ\n\n{}", differences.len(), differences.join("\n"));
}

/// Types all commands of a chapter; returns what is not as it is shown there, or writes what is.
fn differences(name: &str) -> Vec<String> {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(name);
    let text = std::fs::read_to_string(&chapter).unwrap_or_else(|e| panic!("{}: {e}", chapter.display()));
    let blocks = blocks(&text);
    let models = blocks.iter().filter(|block| block.file_name().is_some()).count();
    let commands: usize = blocks.iter().map(|block| block.commands().len()).sum();
    assert!(models > 0, "{name} has no model (```promela,file=NAME)");
    assert!(commands > 0, "{name} has no command (```console)");

    let mut terminal = Terminal::new(name.trim_end_matches(".md"));
    let (mut shown, mut copied) = (String::new(), 0);
    let mut differences = Vec::new();
    for block in &blocks {
        terminal.write(block);
        let mut printed = String::new();
        for command in block.commands() {
            let output = terminal.type_in(&command.line);
            if comparable(&output) != comparable(&command.output) {
                let expected = &command.output;
                differences
                    .push(format!("{name}: $ {}\n--- the chapter\n{expected}--- printed\n{output}", command.line));
            }
            printed += &format!("$ {}\n{output}", command.line);
        }
        if block.is_console() {
            shown = shown + &text[copied..block.start] + &printed;
            copied = block.start + block.body.len();
        }
    }
    shown += &text[copied..];
    if std::env::var_os("HIGHWATER_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&chapter, shown).unwrap();
        return Vec::new();
    }
    differences
}

#[test]
fn blocks_are_found_with_their_files_and_commands() {
    let text = "Text\n```promela,file=a.pml\nbyte x;\n```\n```console\n$ highwater check a.pml\none\n\ntwo\n$ echo $?\n0\n```\n```json\n{}\n```\n";
    let blocks = blocks(text);
    assert_eq!(blocks.len(), 3);
    assert_eq!((blocks[0].file_name(), blocks[0].body.as_str()), (Some("a.pml"), "byte x;\n"));
    let commands = blocks[1].commands();
    assert_eq!((commands[0].line.as_str(), commands[0].output.as_str()), ("highwater check a.pml", "one\n\ntwo\n"));
    assert_eq!((commands[1].line.as_str(), commands[1].output.as_str()), ("echo $?", "0\n"));
    assert!(blocks[2].file_name().is_none() && blocks[2].commands().is_empty());
    assert!(text[blocks[1].start..].starts_with(&blocks[1].body));
}

#[test]
fn a_change_replaces_lines_that_are_there_exactly_once() {
    let text = "byte x;\nbyte y;\n";
    assert_eq!(changed(text, " byte x;\n-byte y;\n+byte z;\n"), Ok(String::from("byte x;\nbyte z;\n")));
    assert_eq!(changed(text, "+first\n byte x;\n"), Ok(String::from("first\nbyte x;\nbyte y;\n")));
    assert!(changed(text, "-byte w;\n+byte z;\n").is_err());
    assert!(changed("a\na\n", "-a\n+b\n").is_err());
    assert!(changed(text, "").is_err());
}

#[test]
fn words_in_quotes_stay_together() {
    assert_eq!(words("check a.pml --progress 'q?a b' -p x"), ["check", "a.pml", "--progress", "q?a b", "-p", "x"]);
}

#[test]
fn a_redirection_is_outside_of_quotes() {
    assert_eq!(redirection("check --apply-bounds a.pml > b.pml"), ("check --apply-bounds a.pml", Some("b.pml")));
    assert_eq!(redirection("check -p 'ltl:[] (x > 1)' a.pml"), ("check -p 'ltl:[] (x > 1)' a.pml", None));
    assert_eq!(redirection("ltl 'x > 1' > c.txt"), ("ltl 'x > 1'", Some("c.txt")));
}

#[test]
#[should_panic(expected = "is never closed")]
fn a_block_that_is_not_closed_is_an_error() {
    blocks("```console\n$ highwater check a.pml\n");
}

#[test]
#[should_panic(expected = "output without a command")]
fn output_without_a_command_is_an_error() {
    blocks("```console\nhighwater check a.pml\n```\n")[0].commands();
}

#[test]
fn times_and_versions_do_not_count_in_a_comparison() {
    let one = "proved — all 54 states (explore, 0.06 ms)\n2 proved in 1.3 s\nhighwater 0.1.0  \n";
    let two = "proved — all 54 states (explore, 12 ms)\n2 proved in 0.4 ms\nhighwater 1.12.3\n";
    assert_eq!(comparable(one), comparable(two));
    assert_eq!(comparable("LRAT   52 ms   2 ms"), comparable("LRAT    3 ms   1 ms"));
    assert_ne!(comparable(one), comparable(&two.replace("54", "55")));
    assert_ne!(comparable("ab.pml:12"), comparable("ab.pml:13"));
}

/// A fenced block, and where its body starts in the chapter.
struct Block {
    info: String,
    body: String,
    start: usize,
}

/// A command and what follows it.
struct Typed {
    line: String,
    output: String,
}

impl Block {
    /// NAME, if the block starts with the name of a language and `,file=NAME`.
    fn file_name(&self) -> Option<&str> {
        let (language, name) = self.info.split_once(",file=")?;
        ["promela", "fsp", "c", "spec", "text", "toml"].contains(&language).then_some(name)
    }

    /// NAME, if the block starts with `diff,file=NAME`.
    fn changed_file_name(&self) -> Option<&str> {
        self.info.strip_prefix("diff,file=")
    }

    fn is_console(&self) -> bool {
        self.info == "console"
    }

    fn commands(&self) -> Vec<Typed> {
        let mut commands: Vec<Typed> = Vec::new();
        for line in self.body.lines().filter(|_| self.is_console()) {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push(Typed { line: command.to_owned(), output: String::new() }),
                None => {
                    let last = commands.last_mut().unwrap_or_else(|| panic!("output without a command: {line}"));
                    last.output += line;
                    last.output.push('\n');
                }
            }
        }
        commands
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        start += line.len();
        match (&mut open, line.trim_end().strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.body += line,
            (None, Some(info)) => open = Some(Block { info: info.to_owned(), body: String::new(), start }),
            (None, None) => {}
        }
    }
    if let Some(block) = open {
        panic!("a block that starts with ```{} is never closed", block.info);
    }
    blocks
}

/// A text after a change: lines with `-` go, lines with `+` come, the others say where.
fn changed(text: &str, change: &str) -> Result<String, String> {
    let side = |without: char| -> String {
        let lines = change.split_inclusive('\n').filter(|line| !line.starts_with(without));
        lines.map(|line| line.get(1..).unwrap_or(line)).collect()
    };
    let (old, new) = (side('+'), side('-'));
    match text.matches(&old).count() {
        1 if !old.is_empty() => Ok(text.replacen(&old, &new, 1)),
        count => Err(format!("these lines are there {count} times, not once:\n{old}")),
    }
}

/// A folder, and the exit code of the last command that was typed there.
struct Terminal {
    folder: PathBuf,
    exit_code: i32,
}

impl Terminal {
    fn new(name: &str) -> Terminal {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tutorial").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Terminal { folder, exit_code: 0 }
    }

    /// Writes or changes the file of a block, if it has one.
    fn write(&self, block: &Block) {
        if let Some(name) = block.file_name() {
            std::fs::write(self.folder.join(name), &block.body).unwrap();
        }
        if let Some(name) = block.changed_file_name() {
            let file = self.folder.join(name);
            let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name} is changed: {e}"));
            std::fs::write(&file, changed(&text, &block.body).unwrap_or_else(|e| panic!("{name}: {e}"))).unwrap();
        }
    }

    /// Runs a command and returns what appears on the terminal.
    fn type_in(&mut self, line: &str) -> String {
        if line == "echo $?" {
            return format!("{}\n", self.exit_code);
        }
        let arguments = line.strip_prefix("highwater ").unwrap_or_else(|| panic!("cannot run this: {line}"));
        let (arguments, name) = redirection(arguments);
        let redirected = name.map(|name| File::create(self.folder.join(name)).unwrap());
        // One file for both, so that errors and answers keep their order.
        let screen = self.folder.join(".screen");
        let file = File::create(&screen).unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_highwater"))
            .args(words(arguments))
            .current_dir(&self.folder)
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .stdout(redirected.unwrap_or_else(|| file.try_clone().unwrap()))
            .stderr(file)
            .status()
            .unwrap();
        self.exit_code = status.code().expect("it was not killed");
        std::fs::read_to_string(&screen).unwrap()
    }
}

/// A command and the file of `> NAME` at its end. A `>` inside single quotes belongs to a formula.
fn redirection(arguments: &str) -> (&str, Option<&str>) {
    match arguments.rsplit_once(" > ") {
        Some((arguments, name)) if !name.contains('\'') => (arguments, Some(name)),
        _ => (arguments, None),
    }
}

/// The words of a command, as a shell makes them of blanks and single quotes.
fn words(line: &str) -> Vec<String> {
    let plain = |part: &str| !part.contains(['"', '|', '>', '\\', '$']);
    assert!(line.split('\'').step_by(2).all(plain), "this needs a shell: {line}");
    let mut words = vec![String::new()];
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
            continue;
        }
        for (number, piece) in part.split(' ').enumerate() {
            if number > 0 {
                words.push(String::new());
            }
            words.last_mut().unwrap().push_str(piece);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A text without what differs from run to run: times, versions, blanks at the end of a line.
fn comparable(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.trim_end().split(' ').collect();
        let mut kept: Vec<&str> = Vec::new();
        for word in words {
            let unit = word.trim_end_matches([')', ',', '.']);
            if ["µs", "ms", "s", "min", "h"].contains(&unit) && kept.last().is_some_and(|last| is_number(last)) {
                kept.pop();
                // In a table, a time is moved to the right by blanks.
                while kept.pop_if(|last| last.is_empty()).is_some() {}
                kept.push("TIME");
                kept.push(&word[unit.len()..]);
            } else {
                kept.push(if is_version(word) { "VERSION" } else { word });
            }
        }
        kept.join(" ") + "\n"
    };
    text.lines().map(line).collect()
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

fn is_version(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}
