//! Tables as the original program draws them: no wider than a terminal, with a centered header.

/// The maximum width of a table.
const MAX_WIDTH: usize = 80;

/// Draws a table with a header.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|text| (*text).to_owned()).collect();
    let widths = widths(&head, rows);
    let line = |mark: char| {
        let parts: Vec<String> =
            widths.iter().map(|width| mark.to_string().repeat(width + 2)).collect();
        format!("+{}+\n", parts.join("+"))
    };
    let mut out = line('-') + &draw_row(&head, &widths, centered) + &line('=');
    for cells in rows {
        out.push_str(&draw_row(cells, &widths, |text, width| format!("{text:width$}")));
    }
    out + &line('-')
}

/// The widths of the columns. If there is not enough room, the columns grow in turn by one
/// character each.
fn widths(head: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let length = |row: &[String], at: usize| row.get(at).map_or(0, |text| text.chars().count());
    let needed: Vec<usize> = (0..head.len())
        .map(|at| rows.iter().map(|row| length(row, at)).fold(length(head, at), usize::max))
        .collect();
    let room = MAX_WIDTH.saturating_sub(3 * head.len() + 1);
    if needed.iter().sum::<usize>() <= room {
        return needed;
    }
    let mut widths = vec![0; needed.len()];
    let mut left = room;
    while left > 0 {
        for (width, needed) in widths.iter_mut().zip(&needed) {
            if *width < *needed && left > 0 {
                *width += 1;
                left -= 1;
            }
        }
    }
    widths
}

/// Draws a row, with as many lines as its longest cell needs.
fn draw_row(cells: &[String], widths: &[usize], aligned: impl Fn(&str, usize) -> String) -> String {
    let cells: Vec<Vec<String>> =
        cells.iter().zip(widths).map(|(text, width)| wrapped(text, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or_default();
    let mut out = String::new();
    for at in 0..height {
        let parts = cells.iter().zip(widths).map(|(lines, width)| {
            let text = lines.get(at).map_or("", String::as_str);
            format!(" {} ", aligned(text, *width))
        });
        out.push_str(&format!("|{}|\n", parts.collect::<Vec<_>>().join("|")));
    }
    out
}

/// Wraps a text between words. Breaks a word that is too long.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut letters: Vec<char> = word.chars().collect();
        let gap = usize::from(used > 0);
        if used > 0 && used + gap + letters.len() > width {
            lines.push(String::new());
            used = 0;
        }
        while letters.len() > width.max(1) {
            let rest = letters.split_off(width.max(1));
            lines.last_mut().into_iter().for_each(|line| line.extend(&letters));
            lines.push(String::new());
            letters = rest;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            used += letters.len();
            line.extend(letters);
        }
    }
    lines
}

/// Centers a text.
fn centered(text: &str, width: usize) -> String {
    let room = width.saturating_sub(text.chars().count());
    let left = room / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(room - left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = vec![cells(&["fs", "1.2"]), cells(&["mitogen", "0.1"])];
        let wanted = "\
+---------+-----+
|  Name   |  V  |
+=========+=====+
| fs      | 1.2 |
| mitogen | 0.1 |
+---------+-----+
";
        assert_eq!(table(&["Name", "V"], &rows), wanted);
    }

    #[test]
    fn wide_lines_are_wrapped() {
        let head =
            ["Name", "Type", "Editable", "Installed version", "Expected in project", "Matches"];
        let rows = vec![cells(&["mitogen", "v2", "no", "0.2.5", "*", "yes"])];
        let wanted = "\
+---------+------+----------+-------------------+--------------------+---------+
|  Name   | Type | Editable | Installed version |    Expected in     | Matches |
|         |      |          |                   |      project       |         |
+=========+======+==========+===================+====================+=========+
| mitogen | v2   | no       | 0.2.5             | *                  | yes     |
+---------+------+----------+-------------------+--------------------+---------+
";
        assert_eq!(table(&head, &rows), wanted);
        assert_eq!(wrapped("ab cdefgh", 4), ["ab", "cdef", "gh"]);
    }
}
