//! The programs that compiles start.

use std::io;
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::time::Duration;

use ordain_source::process::{Process, ProcessLimits, Processes, ProcessorShare, use_processes};
use ordain_source::{ProcessOutput, ProcessRequest};

use crate::affinity::SharedProcessor;
use crate::client::{self, Running};
use crate::launch::{Launch, OrphanPolicy};
use crate::run::{Limits, run};
use crate::tree;

/// Starts all programs through supervisors from now on, including those of compiles. The program of
/// this process has to call [`crate::supervisor::main`] when its name is
/// [`crate::supervisor::NAME`].
///
/// Call it before this process starts children: those that are there are of a program that replaced
/// itself by this one, and are collected when they end.
pub fn install() {
    tree::collect_inherited();
    client::use_supervisors();
    use_processes(Box::new(Supervised));
}

struct Supervised;

impl Processes for Supervised {
    fn run(&self, request: &ProcessRequest, limits: ProcessLimits) -> io::Result<ProcessOutput> {
        let text = |(name, value): &(String, String)| (name.into(), value.into());
        let launch = Launch {
            argv: request.argv.iter().map(Into::into).collect(),
            set_env: request.env.iter().map(text).collect(),
            cwd: request.cwd.clone(),
            ..Launch::default()
        };
        let limits = Limits { time: Some(limits.time), output: limits.output };
        let output = run(&launch, &request.stdin, false, limits)?;
        let status = output.status.code();
        Ok(ProcessOutput { status, stdout: output.stdout, stderr: output.stderr })
    }

    fn start(&self, argv: &[String], stdio: [OwnedFd; 3]) -> io::Result<Box<dyn Process>> {
        let launch = Launch {
            argv: argv.iter().map(Into::into).collect(),
            orphans: OrphanPolicy::End,
            ..Launch::default()
        };
        Ok(Box::new(RunningProcess(client::start(&launch, stdio)?)))
    }

    fn share_processor(&self, process: u32) -> Option<Box<dyn ProcessorShare>> {
        Some(Box::new(SharedProcessor::new(process)?))
    }
}

impl ProcessorShare for SharedProcessor {
    fn count_message(&mut self) {
        Self::count_message(self);
    }
}

struct RunningProcess(Running);

impl Process for RunningProcess {
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        self.0.wait(Some(limit))
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        self.0.end()
    }
}
