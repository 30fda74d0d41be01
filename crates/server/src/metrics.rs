//! Counters, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the classes of times, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0];

/// The counters of a server.
#[derive(Default)]
pub(crate) struct Metrics {
    pub(crate) refused_connections: AtomicU64,
    pub(crate) failed_handshakes: AtomicU64,
    pub(crate) overloaded: AtomicU64,
    pub(crate) failed_compiles: AtomicU64,
    compiles: Times,
    requests: Mutex<BTreeMap<(&'static str, u16), Times>>,
    reports: [AtomicU64; REPORT_STATUSES.len()],
}

/// The statuses of reports. Others count as the last one.
const REPORT_STATUSES: [&str; 4] = ["changed", "unchanged", "failed", "unknown"];

/// A distribution of times.
#[derive(Default)]
struct Times {
    classes: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl Times {
    fn note(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        for (class, _) in self.classes.iter().zip(BOUNDS).filter(|(_, bound)| seconds <= *bound) {
            class.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        let comma = if labels.is_empty() { "" } else { "," };
        let line = |out: &mut String, text: std::fmt::Arguments<'_>| {
            // A text in memory takes everything.
            let _ = out.write_fmt(text);
            out.push('\n');
        };
        for (class, bound) in self.classes.iter().zip(BOUNDS) {
            let count = class.load(Ordering::Relaxed);
            line(out, format_args!("{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {count}"));
        }
        let count = self.count.load(Ordering::Relaxed);
        line(out, format_args!("{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {count}"));
        let seconds = self.micros.load(Ordering::Relaxed) as f64 / 1e6;
        line(out, format_args!("{name}_sum{{{labels}}} {seconds}"));
        line(out, format_args!("{name}_count{{{labels}}} {count}"));
    }
}

impl Metrics {
    /// Counts a request by the pattern of its route.
    pub(crate) fn note_request(&self, pattern: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.entry((pattern, status)).or_default().note(took);
    }

    /// Counts a compile.
    pub(crate) fn note_compile(&self, took: Duration, is_done: bool) {
        self.compiles.note(took);
        if !is_done {
            self.failed_compiles.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a report.
    pub(crate) fn note_report(&self, status: &str) {
        let last = REPORT_STATUSES.len() - 1;
        let index = REPORT_STATUSES.iter().position(|known| *known == status).unwrap_or(last);
        self.reports[index].fetch_add(1, Ordering::Relaxed);
    }

    /// Writes all counters, and the gauges `gauges` with their help.
    pub(crate) fn write(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut out = String::new();
        for (name, help, value) in gauges {
            // A text in memory takes everything.
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        let counters = [
            (
                "ordain_connections_refused_total",
                "Connections over the limits",
                &self.refused_connections,
            ),
            (
                "ordain_handshakes_failed_total",
                "TLS handshakes that failed",
                &self.failed_handshakes,
            ),
            ("ordain_overloaded_total", "Requests refused for overload", &self.overloaded),
            ("ordain_compiles_failed_total", "Compiles with errors", &self.failed_compiles),
        ];
        for (name, help, counter) in counters {
            let value = counter.load(Ordering::Relaxed);
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}");
        }
        let name = "ordain_reports_total";
        let _ = writeln!(out, "# HELP {name} Reports by status\n# TYPE {name} counter");
        for (status, counter) in REPORT_STATUSES.iter().zip(&self.reports) {
            let value = counter.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}{{status=\"{status}\"}} {value}");
        }
        let header = |out: &mut String, name: &str, help: &str| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        };
        header(&mut out, "ordain_compile_seconds", "Time of compiles");
        self.compiles.write(&mut out, "ordain_compile_seconds", "");
        header(&mut out, "ordain_request_seconds", "Time of requests by route and status");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((route, status), times) in requests.iter() {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            times.write(&mut out, "ordain_request_seconds", &labels);
        }
        out
    }
}
