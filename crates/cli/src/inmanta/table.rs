//! Tables of text.

/// A table with lines around its cells.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let cell = |row: &[String], at: usize| row.get(at).map_or(0, |text| text.chars().count());
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(at, text)| rows.iter().map(|row| cell(row, at)).fold(text.len(), usize::max))
        .collect();
    let line = |mark: char| {
        let parts: Vec<String> =
            widths.iter().map(|width| mark.to_string().repeat(width + 2)).collect();
        format!("+{}+\n", parts.join("+"))
    };
    let row = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(text, width)| format!(" {text:width$} "));
        format!("|{}|\n", cells.collect::<Vec<_>>().join("|"))
    };
    let head: Vec<String> = head.iter().map(|text| (*text).to_owned()).collect();
    let mut out = line('-') + &row(&head) + &line('=');
    for cells in rows {
        out.push_str(&row(cells));
        out.push_str(&line('-'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_as_wide_as_the_widest() {
        let rows = [vec!["std".to_owned(), "8.7.5".to_owned()]];
        let wanted = "\
+------+-------+
| Name | V     |
+======+=======+
| std  | 8.7.5 |
+------+-------+
";
        assert_eq!(table(&["Name", "V"], &rows), wanted);
    }
}
