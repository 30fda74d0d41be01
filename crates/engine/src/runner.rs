//! Runs commands on this machine.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::fs::{Gid, MemfdFlags, Uid, memfd_create};
use rustix::process::geteuid;
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

use crate::host::{Invocation, Outcome, RunAs, Runner};

/// A command that writes more than this is ended.
const MAX_OUTPUT: u64 = 64 << 20;

/// How long to sleep between two looks at a command, at first and at most.
const POLL: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// Runs commands as child processes, each in a process group of its own.
///
/// Output goes to memory files and not to pipes: a daemon that a command leaves behind neither
/// holds up the run nor is ended by a broken pipe after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostRunner;

impl Runner for HostRunner {
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        let mut command = command(invocation)?;
        let stdout = memory_file("stdout")?;
        let stderr =
            if invocation.merge_stderr { stdout.try_clone()? } else { memory_file("stderr")? };
        command.stdin(input(&invocation.stdin)?);
        command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let mut child = match &invocation.run_as {
            None => command.spawn()?,
            Some(identity) => spawn_as(&mut command, identity)?,
        };
        let status = wait(&mut child, invocation.timeout, [&stdout, &stderr])?;
        let stdout = contents(stdout)?;
        let stderr = if invocation.merge_stderr { Vec::new() } else { contents(stderr)? };
        let status = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(-1);
        Ok(Outcome { status, stdout, stderr })
    }
}

fn command(invocation: &Invocation) -> io::Result<Command> {
    let mut argv: Vec<OsString> = Vec::new();
    if let Some(umask) = invocation.umask {
        // The umask belongs to the whole process, so a shell sets it in the child.
        let script = format!("umask {umask:04o}; exec \"$@\"");
        argv.extend(["/bin/sh", "-c", &script, "sh"].map(OsString::from));
    }
    argv.extend(invocation.argv.iter().cloned());
    let Some((program, args)) = argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "empty command"));
    };
    let mut command = Command::new(program);
    command.args(args).process_group(0);
    if let Some(env) = &invocation.env {
        command.env_clear().envs(env.iter().map(|(k, v)| (k, v)));
    }
    command.envs(invocation.set_env.iter().map(|(k, v)| (k, v)));
    if let Some(cwd) = &invocation.cwd {
        command.current_dir(cwd);
    }
    Ok(command)
}

/// Starts a command from a thread that took on the identity first: a child has that of the thread
/// that starts it, and only so can it have more groups.
fn spawn_as(command: &mut Command, identity: &RunAs) -> io::Result<Child> {
    let start = || {
        if let Some(groups) = identity.groups.as_ref().filter(|_| geteuid().is_root()) {
            let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
            set_thread_groups(&groups)?;
        }
        set_thread_gid(Gid::from_raw(identity.gid))?;
        set_thread_uid(Uid::from_raw(identity.uid))?;
        command.spawn()
    };
    std::thread::scope(|scope| scope.spawn(start).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that starts the command ended")))
}

fn memory_file(name: &str) -> io::Result<File> {
    Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
}

fn input(text: &[u8]) -> io::Result<Stdio> {
    if text.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = memory_file("stdin")?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(OwnedFd::from(file).into())
}

fn contents(mut file: File) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len().min(MAX_OUTPUT);
    let mut out = Vec::with_capacity(size as usize);
    file.seek(SeekFrom::Start(0))?;
    file.take(size).read_to_end(&mut out)?;
    Ok(out)
}

fn wait(child: &mut Child, limit: Option<Duration>, output: [&File; 2]) -> io::Result<ExitStatus> {
    let start = Instant::now();
    let mut pause = POLL.0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if limit.is_some_and(|l| start.elapsed() >= l) {
            kill(child)?;
            let text = format!("no end within {limit:?}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        for file in output {
            if file.metadata()?.len() > MAX_OUTPUT {
                kill(child)?;
                return Err(io::Error::other(format!("more than {MAX_OUTPUT} bytes of output")));
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(POLL.1);
    }
}

/// Ends the command and all that it started in its process group.
fn kill(child: &mut Child) -> io::Result<()> {
    // The group may be gone already; the child itself is ended below in any case.
    let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    child.kill()?;
    child.wait().map(drop)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sh(script: &str) -> Invocation {
        Invocation::new(["/bin/sh", "-c", script])
    }

    #[test]
    fn output_status_and_input() {
        let mut run = sh("cat; echo e >&2; exit 3");
        run.stdin = b"in\n".to_vec();
        let out = HostRunner.run(&run).unwrap();
        assert_eq!((out.status, out.stdout, out.stderr), (3, b"in\n".to_vec(), b"e\n".to_vec()));
        run.merge_stderr = true;
        assert_eq!(HostRunner.run(&run).unwrap().stdout, b"in\ne\n");
    }

    #[test]
    fn the_umask_holds_for_the_child_alone() {
        let mut run = sh("umask");
        run.umask = Some(0o27);
        assert_eq!(HostRunner.run(&run).unwrap().stdout_text().trim(), "0027");
    }

    #[test]
    fn a_timeout_ends_what_the_command_started() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().join("mark");
        let mut run = sh(&format!("(sleep 1; touch {}) & wait", mark.display()));
        run.timeout = Some(Duration::from_millis(100));
        assert_eq!(HostRunner.run(&run).unwrap_err().kind(), io::ErrorKind::TimedOut);
        std::thread::sleep(Duration::from_millis(1200));
        assert!(!mark.exists());
    }

    #[test]
    fn a_daemon_that_keeps_its_output_open_does_not_hold_up_the_run() {
        let start = Instant::now();
        assert!(HostRunner.run(&sh("sleep 5 &")).unwrap().success());
        assert!(start.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn endless_output_is_ended() {
        let error = HostRunner.run(&sh("exec yes")).unwrap_err();
        assert!(error.to_string().contains("bytes of output"), "{error}");
    }
}
