//! Tables that fit on the terminal.
//!
//! A column is as wide as its widest cell. Where all of them together are too wide, the elastic
//! columns give way, the widest first, and their cells are cut, or go on below. A column in which nothing stands is
//! left out, with its title.

use crate::style::{Ink, Style};

/// Elastic columns do not get narrower than this.
const NARROWEST: usize = 8;
/// What is between two columns.
const GAP: &str = "  ";

/// How a column is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// From the left.
    Left,
    /// To the right, for numbers.
    Right,
    /// From the left; it may be cut.
    Elastic,
    /// From the left; it may go on in the next lines. For the last column.
    Wrapped,
}

/// The text of one column in one row.
pub(crate) struct Cell {
    text: String,
    ink: Option<Ink>,
}

impl Cell {
    /// A cell in a colour.
    pub(crate) fn inked(ink: Ink, text: impl Into<String>) -> Self {
        Cell { text: text.into(), ink: Some(ink) }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), ink: None }
    }
}

/// A row of cells, or a remark over the whole width.
pub(crate) enum Row {
    /// One cell per column.
    Cells(Vec<Cell>),
    /// One text.
    Remark(String),
}

/// A table.
pub(crate) struct Table {
    columns: Vec<(String, Set)>,
    rows: Vec<Row>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[(&str, Set)]) -> Self {
        let columns = columns.iter().map(|(title, set)| (String::from(*title), *set)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The table as text, every line after an indent.
    pub(crate) fn render(&self, indent: &str, style: Style) -> String {
        let widths = self.widths(indent, style);
        let mut text = String::new();
        if self.columns.iter().any(|(title, _)| !title.is_empty()) {
            let titles: Vec<Cell> =
                self.columns.iter().map(|(title, _)| Cell::inked(Ink::Faint, title.clone())).collect();
            self.line(&mut text, indent, &titles, &widths, style);
        }
        for row in &self.rows {
            match row {
                Row::Cells(cells) => self.line(&mut text, indent, cells, &widths, style),
                Row::Remark(remark) => text += &format!("{indent}{}\n", style.paint(Ink::Faint, remark)),
            }
        }
        text
    }

    fn line(&self, text: &mut String, indent: &str, cells: &[Cell], widths: &[usize], style: Style) {
        let mut line = String::from(indent);
        let (mut owed, mut below, mut offset) = (String::new(), String::new(), indent.chars().count());
        for ((cell, &width), (_, set)) in cells.iter().zip(widths).zip(&self.columns) {
            if width == 0 {
                continue;
            }
            let (first, rest) = if *set == Set::Wrapped { first_line(&cell.text, width) } else { (&*cell.text, "") };
            below += &lines(rest, width).map(|one| format!("{}{one}\n", " ".repeat(offset))).collect::<String>();
            offset += width + GAP.len();
            let shown = style.cut(first, width);
            let blank = " ".repeat(width - shown.chars().count());
            let painted = cell.ink.map_or_else(|| shown.clone(), |ink| style.paint(ink, &shown));
            // Blanks are written only once something follows them.
            let (before, after) = if *set == Set::Right { (blank, String::new()) } else { (String::new(), blank) };
            owed += &before;
            if !shown.is_empty() {
                line += &std::mem::take(&mut owed);
                line += &painted;
            }
            owed += &after;
            owed += GAP;
        }
        *text += line.trim_end();
        text.push('\n');
        *text += &below;
    }

    /// The widths of the columns; 0 for those that are left out.
    fn widths(&self, indent: &str, style: Style) -> Vec<usize> {
        let mut widths = vec![0; self.columns.len()];
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.text.chars().count().max(*width);
            }
        }
        for (width, (title, _)) in widths.iter_mut().zip(&self.columns) {
            if *width > 0 {
                *width = title.chars().count().max(*width);
            }
        }
        if style.width > 0 {
            self.shrink(&mut widths, style.width.saturating_sub(indent.chars().count()));
        }
        widths
    }

    /// Takes from the widest elastic column until the line fits, or nothing more can be taken.
    fn shrink(&self, widths: &mut [usize], room: usize) {
        let gaps = GAP.len() * widths.iter().filter(|&&width| width > 0).count().saturating_sub(1);
        let room = room.saturating_sub(gaps);
        let elastic = |column: &usize| matches!(self.columns[*column].1, Set::Elastic | Set::Wrapped);
        for column in (0..widths.len()).filter(elastic) {
            widths[column] = widths[column].min(room.max(NARROWEST));
        }
        while widths.iter().sum::<usize>() > room {
            let widest = (0..widths.len()).filter(elastic).max_by_key(|&column| widths[column]);
            let Some(width) = widest.map(|column| &mut widths[column]).filter(|width| **width > NARROWEST) else {
                return;
            };
            *width -= 1;
        }
    }
}

/// As many words of a text as have room in a line, at least one, and the others.
fn first_line(text: &str, width: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(width) else { return (text, "") };
    let blank = if text[end..].starts_with(' ') { Some(end) } else { text[..end].rfind(' ') };
    let cut = blank.filter(|&at| at > 0).unwrap_or(end);
    (&text[..cut], text[cut..].trim_start())
}

/// A text in lines.
fn lines(mut text: &str, width: usize) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (first, rest) = first_line(text, width.max(1));
        text = rest;
        (!first.is_empty()).then_some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_column_may_go_on_below() {
        let mut table = Table::new(&[("", Set::Left), ("", Set::Wrapped)]);
        table.push(Row::Cells(vec![Cell::from("P:0"), Cell::from("the queue is full, until Q receives")]));
        table.push(Row::Cells(vec![Cell::from("Q:1"), Cell::from("averylongwordwithoutblanks")]));
        insta::assert_snapshot!(table.render("  ", Style { width: 24, ..Style::PLAIN }), @"
          P:0  the queue is
               full, until Q
               receives
          Q:1  averylongwordwith
               outblanks
        ");
        for width in 0..40 {
            assert!(!table.render("  ", Style { width, ..Style::PLAIN }).is_empty());
        }
    }

    fn table() -> Table {
        let mut table = Table::new(&[("#", Set::Right), ("none", Set::Left), ("a", Set::Elastic), ("b", Set::Elastic)]);
        let row = |cells: [&str; 4]| Row::Cells(cells.into_iter().map(Cell::from).collect());
        table.push(row(["1", "", "short", ""]));
        table.push(Row::Remark(String::from("... and so on")));
        table.push(row(["10", "", "a longer text that is cut", "and another one"]));
        table
    }

    #[test]
    fn columns_are_as_wide_as_their_cells_and_empty_ones_are_left_out() {
        insta::assert_snapshot!(table().render("", Style::PLAIN), @"
         #  a                          b
         1  short
        ... and so on
        10  a longer text that is cut  and another one
        ");
    }

    #[test]
    fn the_widest_elastic_column_gives_way() {
        insta::assert_snapshot!(table().render("  ", Style { width: 34, ..Style::PLAIN }), @"
         #  a              b
         1  short
        ... and so on
        10  a longer t...  and anothe...
        ");
    }

    #[test]
    fn no_width_makes_it_panic() {
        for width in 0..60 {
            let text = table().render("  ", Style { width, unicode: true, color: true });
            assert_eq!(text.lines().count(), 4);
        }
    }
}
