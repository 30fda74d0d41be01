//! A crontab as lines, and the jobs in it.

use rustc_hash::FxHashMap;

/// The comment before the name of a job.
const NAME_MARKER: &str = "# Puppet Name: ";

/// The times of a job in the order of the table.
pub(super) const FIELDS: [&str; 5] = ["minute", "hour", "monthday", "month", "weekday"];

/// A job with the numbers of the lines that it consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Job {
    /// The name in the marker above it.
    pub(super) name: Option<String>,
    /// Settings between the mark and the job.
    pub(super) environment: Vec<String>,
    /// In the order of [`FIELDS`]; `None` is any.
    pub(super) times: [Option<Vec<String>>; 5],
    /// Such as `daily`.
    pub(super) special: Option<String>,
    /// The command.
    pub(super) command: String,
    /// The lines of the marker and the settings.
    above: Vec<usize>,
    /// The line of the job itself.
    line: usize,
}

/// A crontab. Lines keep their line endings.
#[derive(Clone, Debug)]
pub(super) struct Table {
    lines: Vec<Vec<u8>>,
    /// All jobs from top to bottom.
    pub(super) jobs: Vec<Job>,
    /// The index in `jobs` of the last job of a name.
    pub(super) named: FxHashMap<String, usize>,
}

impl Table {
    pub(super) fn parse(text: &[u8]) -> Self {
        let lines: Vec<Vec<u8>> =
            text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let mut jobs: Vec<Job> = Vec::new();
        // The name, settings and lines of a marker without its job so far.
        let mut open = Job::default();
        for (number, line) in lines.iter().enumerate() {
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end_matches(['\n', '\r']);
            let start = line.trim_start();
            if start.starts_with('#') {
                if let Some(at) = start.find(&NAME_MARKER[2..]) {
                    open = Job::default();
                    open.name = Some(start[at + NAME_MARKER.len() - 2..].trim_end().to_string());
                    open.above.push(number);
                }
            } else if super::values::is_setting(line) {
                if open.name.is_some() {
                    open.environment.push(line.to_string());
                    open.above.push(number);
                }
            } else if let Some(mut job) = parse_job(line) {
                let mark = std::mem::take(&mut open);
                (job.name, job.environment, job.above) = (mark.name, mark.environment, mark.above);
                job.line = number;
                jobs.push(job);
            }
        }
        let named = jobs.iter().enumerate().filter_map(|(i, j)| Some((j.name.clone()?, i)));
        let named = named.collect();
        Self { lines, jobs, named }
    }

    /// The table as text.
    pub(super) fn text(&self) -> Vec<u8> {
        self.lines.concat()
    }

    /// Takes a job of this table out.
    pub(super) fn remove(&mut self, job: &Job) {
        self.lines[job.line].clear();
        for line in &job.above {
            self.lines[*line].clear();
        }
    }

    /// Replaces a job of this table by another.
    pub(super) fn replace(&mut self, job: &Job, new: &Job) {
        self.remove(job);
        self.lines[job.line] = new.print().into_bytes();
    }

    /// Adds a job at the end.
    pub(super) fn append(&mut self, job: &Job) {
        if let Some(last) = self.lines.last_mut()
            && !last.ends_with(b"\n")
        {
            last.push(b'\n');
        }
        self.lines.push(job.print().into_bytes());
    }
}

/// The job in a line that is neither comment nor setting.
fn parse_job(line: &str) -> Option<Job> {
    let mut job = Job::default();
    let mut rest = line.trim_start();
    if let Some(special) = rest.strip_prefix('@') {
        let (special, command) = special.split_once(char::is_whitespace)?;
        job.special = Some(special.to_string());
        rest = command;
    } else {
        for field in &mut job.times {
            let (time, after) = rest.split_once(char::is_whitespace)?;
            if time != "*" {
                *field = Some(time.split(',').map(str::to_string).collect());
            }
            rest = after.trim_start();
        }
    }
    job.command = rest.trim_start().to_string();
    (!job.command.is_empty()).then_some(job)
}

impl Job {
    fn print(&self) -> String {
        let mut text = String::new();
        if let Some(name) = &self.name {
            text.push_str(NAME_MARKER);
            text.push_str(name);
            text.push('\n');
        }
        for setting in &self.environment {
            text.push_str(setting);
            text.push('\n');
        }
        match &self.special {
            Some(special) => text.push_str(&format!("@{special} ")),
            None => {
                for time in &self.times {
                    let time = time.as_ref().map_or_else(|| "*".to_string(), |t| t.join(","));
                    text.push_str(&time);
                    text.push(' ');
                }
            }
        }
        text.push_str(&self.command);
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "MAILTO=x\n# note\n\n5 4 * * *   /bin/hand   job\n@daily foo\n# Puppet Name: b\n\
        A=b\nC=d e\n1,5 */2 1-5 12 1,5 /bin/b 1";

    #[test]
    fn jobs_are_found_with_their_marks() {
        let table = Table::parse(TEXT.as_bytes());
        assert_eq!(table.jobs.len(), 3);
        assert_eq!(table.jobs[0].command, "/bin/hand   job");
        assert_eq!(table.jobs[1].special.as_deref(), Some("daily"));
        let job = &table.jobs[2];
        assert_eq!(job.name.as_deref(), Some("b"));
        assert_eq!(job.environment, ["A=b", "C=d e"]);
        assert_eq!(job.times[0].as_deref(), Some(&["1".to_string(), "5".to_string()][..]));
        assert!(table.jobs[0].environment.is_empty());
    }

    #[test]
    fn other_lines_stay() {
        let mut table = Table::parse(TEXT.as_bytes());
        let job = table.jobs[2].clone();
        let mut new = job.clone();
        new.environment.clear();
        table.replace(&job, &new);
        table.append(&Job { command: "z".into(), ..Job::default() });
        let text = String::from_utf8(table.text()).unwrap_or_default();
        let (kept, rest) = text.split_at(TEXT.find("# Puppet").unwrap_or(0));
        assert!(TEXT.starts_with(kept));
        assert_eq!(rest, "# Puppet Name: b\n1,5 */2 1-5 12 1,5 /bin/b 1\n* * * * * z\n");
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let text = b"# \xff\n1 * * * * a\n";
        assert_eq!(Table::parse(text).text(), text);
    }
}
