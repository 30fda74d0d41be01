//! Limits of memory and time of evaluations, observed by a separate thread.
//!
//! Front ends count steps and the size of values ([`crate::limits`]), and fail with the place that
//! exceeds a limit. This module covers uncounted costs: while a [`Watch`] is held, a thread
//! observes the memory and the CPU time of the process. At a first bound it sets a flag, which
//! front ends check at every step (`exceeded`), so that their error has a place. At a second bound,
//! for code that reaches no further step, the process exits and names the last file.
//!
//! A bound covers all concurrent evaluations, and grows with their input. One factor raises all
//! bounds: [`set_factor`].

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::exceeded::Exceeded;
pub use crate::exceeded::HELP;

/// The memory in bytes at which a front end ends an evaluation.
const MEMORY: u64 = 144 << 20;
/// The memory at which the program ends.
const MAX_MEMORY: u64 = 184 << 20;
/// The CPU time in seconds after which a front end ends an evaluation. Programs are limited by
/// steps; this bound stops code that counts none.
const SECONDS: u64 = 10;
/// The CPU time at which the program ends.
const MAX_SECONDS: u64 = 12;
/// The maximum CPU time in seconds of uncounted work, before its next step ends it.
const MAX_UNCOUNTED: f64 = 0.6;
/// The CPU time of uncounted work at which the process exits.
const EXIT_UNCOUNTED: f64 = 0.75;
/// The memory that is allowed for each byte of input, because the tree of a document takes more
/// than its text.
const MEMORY_OF_INPUT: u64 = 16;
/// The number of bytes of input that add a second to the time limit.
const INPUT_OF_SECOND: u64 = 4 << 20;
/// The interval of the thread's samples.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(4);
/// The size of a memory page, the unit of `/proc/self/statm`.
const PAGE: u64 = 4096;

static FACTOR: AtomicU32 = AtomicU32::new(1);
/// 0, or a bound of [`Bound`] that is exceeded.
static EXCEEDED: AtomicU8 = AtomicU8::new(0);
/// The number of times a bound was exceeded.
static EXCEEDED_COUNT: AtomicU64 = AtomicU64::new(0);
/// The bytes that were read since no evaluation was active.
static READ: AtomicU64 = AtomicU64::new(0);
/// The number of starts and steps of uncounted work, and the number of active ones.
static UNCOUNTED_STEPS: AtomicU64 = AtomicU64::new(0);
static UNCOUNTED: AtomicU32 = AtomicU32::new(0);
static STATE: Mutex<State> =
    Mutex::new(State { active: 0, memory: 0, seconds: 0.0, is_running: false });
/// The file that is being read or rendered.
static CURRENT_FILE: Mutex<String> = Mutex::new(String::new());
static END: OnceLock<fn(Exceeded, &str)> = OnceLock::new();

/// The evaluation that is watched.
struct State {
    /// The number of evaluations.
    active: u64,
    /// The memory of the process before them, in bytes.
    memory: u64,
    /// The CPU time of the process when the last one began or ended.
    seconds: f64,
    /// Whether there is a thread that looks.
    is_running: bool,
}

const BY_MEMORY: u8 = 1;
const BY_TIME: u8 = 2;
const BY_MOMENT: u8 = 3;

/// Multiplies all bounds: of memory, time, steps, and the sizes of values.
pub fn set_factor(factor: u32) {
    FACTOR.store(factor.max(1), Ordering::Relaxed);
}

/// The factor of all bounds.
#[inline]
pub fn factor() -> u32 {
    FACTOR.load(Ordering::Relaxed)
}

/// A bound, multiplied by the [`factor`].
#[inline]
pub fn scaled(bound: u64) -> u64 {
    bound.saturating_mul(u64::from(factor()))
}

/// As [`scaled`], for sizes in memory.
#[inline]
pub fn scaled_size(bound: usize) -> usize {
    bound.saturating_mul(factor() as usize)
}

/// Checks the bounds of the current evaluation.
///
/// # Errors
/// The exceeded bound.
#[inline]
pub fn check() -> Result<(), Exceeded> {
    if EXCEEDED.load(Ordering::Relaxed) == 0 { Ok(()) } else { exceeded() }
}

/// The number of times that a bound was exceeded. When it grows, all concurrent evaluations end
/// with an error, whichever caused it.
pub fn exceeded_count() -> u64 {
    EXCEEDED_COUNT.load(Ordering::Relaxed)
}

#[cold]
fn exceeded() -> Result<(), Exceeded> {
    match EXCEEDED.load(Ordering::Relaxed) {
        0 => Ok(()),
        BY_MEMORY => Err(Exceeded::Memory(scaled(MEMORY) >> 20)),
        BY_MOMENT => Err(Exceeded::Moment((MAX_UNCOUNTED * 1000.0) as u64 * u64::from(factor()))),
        _ => Err(Exceeded::Time(scaled(SECONDS))),
    }
}

/// This many bytes multiplied by the [`factor`], plus the allowance for files that were read.
pub fn with_input(bytes: usize) -> usize {
    scaled_size(bytes).saturating_add(of_input() as usize)
}

/// Records that a file was read: bounds grow with it, and it is named if no better place is known.
pub fn read(path: &Path, bytes: usize) {
    READ.fetch_add(bytes as u64, Ordering::Relaxed);
    at(&path.to_string_lossy());
}

/// Notes the current file.
pub fn at(place: &str) {
    if END.get().is_some() {
        let mut noted = CURRENT_FILE.lock().unwrap_or_else(PoisonError::into_inner);
        noted.clear();
        noted.push_str(place);
    }
}

/// Sets the function that prints the last message before a bound ends the process. Without it
/// nothing is watched.
pub fn ends_with(print: fn(Exceeded, &str)) {
    let _ = END.set(print);
}

/// While it is held, an evaluation is watched.
#[derive(Debug)]
pub struct Watch {
    is_counted: bool,
}

impl Watch {
    /// Starts another watch, even within one.
    #[must_use]
    pub fn begin() -> Self {
        if END.get().is_none() {
            return Self { is_counted: false };
        }
        let mut state = state();
        let usage = Usage::open();
        if state.active == 0 {
            state.memory = usage.memory();
            READ.store(0, Ordering::Relaxed);
        }
        state.active += 1;
        state.seconds = usage.seconds();
        if !state.is_running {
            let thread = thread::Builder::new().name("budget".into()).stack_size(128 << 10);
            state.is_running = thread.spawn(look).is_ok();
        }
        Self { is_counted: true }
    }

    /// Starts a watch, unless the evaluation is part of a watched one.
    #[must_use]
    pub fn within() -> Self {
        if state().active > 0 { Self { is_counted: false } } else { Self::begin() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.is_counted {
            let mut state = state();
            state.active -= 1;
            if state.active == 0 {
                EXCEEDED.store(0, Ordering::Relaxed);
            } else {
                let usage = Usage::open();
                state.seconds = usage.seconds();
                // Memory that stays allocated afterwards, such as source texts, does not count for
                // later evaluations.
                let own = state.active * scaled(MEMORY) + of_input();
                state.memory = state.memory.max(usage.memory().saturating_sub(own));
            }
        }
    }
}

/// Held during uncounted work of a library, such as the operators of a template. The time between
/// its steps is limited.
#[derive(Debug)]
pub struct UncountedSection(());

impl UncountedSection {
    /// Begins uncounted work.
    #[must_use]
    pub fn begin() -> Self {
        UNCOUNTED.fetch_add(1, Ordering::Relaxed);
        Self::step();
        Self(())
    }

    /// Records the next step of the work.
    pub fn step() {
        UNCOUNTED_STEPS.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for UncountedSection {
    fn drop(&mut self) {
        UNCOUNTED.fetch_sub(1, Ordering::Relaxed);
        Self::step();
    }
}

/// A sample of uncounted work: the number of steps, and the CPU time.
#[derive(Clone, Copy)]
struct Sample {
    steps: u64,
    seconds: f64,
}

impl Sample {
    /// The duration of the current step; 0 if there is none.
    fn moment(&mut self, seconds: f64) -> f64 {
        let steps = UNCOUNTED_STEPS.load(Ordering::Relaxed);
        if steps != self.steps || UNCOUNTED.load(Ordering::Relaxed) == 0 {
            *self = Self { steps, seconds };
        }
        seconds - self.seconds
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory allowance for files that were read.
fn of_input() -> u64 {
    READ.load(Ordering::Relaxed).saturating_mul(MEMORY_OF_INPUT)
}

/// Takes samples until no evaluation is active.
fn look() {
    let mut seen = Sample { steps: 0, seconds: state().seconds };
    // Most evaluations end before the first look, which then opens no files.
    let mut files = None;
    loop {
        thread::sleep(SAMPLE_INTERVAL);
        let mut state = state();
        if state.active == 0 {
            state.is_running = false;
            return;
        }
        let usage = files.get_or_insert_with(Usage::open);
        let used = usage.memory().saturating_sub(state.memory + of_input());
        let now = usage.seconds();
        let (time, moment) = (now - state.seconds, seen.moment(now));
        let time_of_input = (READ.load(Ordering::Relaxed) / INPUT_OF_SECOND) as f64;
        let active = state.active;
        let most = |bound: u64| active.saturating_mul(scaled(bound));
        let is_longer = |bound: u64| time > most(bound) as f64 + time_of_input;
        // Other concurrent work uses the CPU time of the process, too.
        let is_longer_moment =
            |bound: f64| moment > bound * f64::from(factor()) * active as f64 + time_of_input;
        let flag = match () {
            () if used > most(MEMORY) => BY_MEMORY,
            () if is_longer(SECONDS) => BY_TIME,
            () if is_longer_moment(MAX_UNCOUNTED) => BY_MOMENT,
            () => 0,
        };
        if EXCEEDED.load(Ordering::Relaxed) == 0 && flag != 0 {
            EXCEEDED_COUNT.fetch_add(1, Ordering::Relaxed);
        }
        EXCEEDED.store(flag, Ordering::Relaxed);
        let is_over = used > most(MAX_MEMORY) || is_longer(MAX_SECONDS);
        if is_over || is_longer_moment(EXIT_UNCOUNTED) {
            if let (Err(bound), Some(print)) = (exceeded(), END.get()) {
                let place = CURRENT_FILE.lock().unwrap_or_else(PoisonError::into_inner);
                print(bound, &place);
            }
            std::process::exit(1);
        }
    }
}

/// The system's counters for this process.
struct Usage {
    memory: Option<File>,
    time: Option<File>,
}

impl Usage {
    fn open() -> Self {
        let open = |path| File::open(path).ok();
        Self { memory: open("/proc/self/statm"), time: open("/proc/self/stat") }
    }

    /// The private memory of the process in bytes; 0 if the system does not report it.
    fn memory(&self) -> u64 {
        let mut buffer = [0; MAX_STAT_LENGTH];
        let text = read_current(self.memory.as_ref(), &mut buffer);
        let mut pages = text.split(' ').skip(1).map(|n| n.parse::<u64>().unwrap_or_default());
        let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
        resident.saturating_sub(shared) * PAGE
    }

    /// The CPU time of the process in seconds; 0 if the system does not report it.
    fn seconds(&self) -> f64 {
        /// Clock ticks per second, the same on all current systems.
        const TICKS: f64 = 100.0;
        let mut buffer = [0; MAX_STAT_LENGTH];
        let text = read_current(self.time.as_ref(), &mut buffer);
        // The name of the program is in parentheses and may contain spaces.
        let fields = text.rsplit(')').next().unwrap_or_default();
        let times = fields.split_whitespace().skip(11).take(2);
        times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
    }
}

/// The maximum length of a line that the system prints about a process.
const MAX_STAT_LENGTH: usize = 1024;

/// The current content of a file in `/proc`. The kernel regenerates it on each read from the start,
/// so the file stays open and one call is enough.
fn read_current<'b>(file: Option<&File>, buffer: &'b mut [u8; MAX_STAT_LENGTH]) -> &'b str {
    let len = file.and_then(|file| file.read_at(buffer, 0).ok()).unwrap_or(0);
    std::str::from_utf8(&buffer[..len]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_is_used() {
        let usage = Usage::open();
        let before = usage.memory();
        let bytes = vec![1u8; 32 << 20];
        assert!(usage.memory() >= before + (30 << 20), "{} to {}", before, usage.memory());
        assert!(bytes.iter().all(|byte| *byte == 1));
        let mut sum = 0u64;
        let start = usage.seconds();
        while usage.seconds() < start + 0.02 {
            sum += (0..100_000u64).fold(0, |a, b| a ^ b);
        }
        assert!(sum < u64::MAX);
    }
}
