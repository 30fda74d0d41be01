//! Running a child process with a time limit, for [`crate::HostWorld`].

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::world::{ProcessOutput, ProcessRequest};

/// How long to sleep between two looks at a child that is still running.
const POLL: Duration = Duration::from_millis(2);

/// Runs the child to its end; kills its process group at the time limit.
///
/// # Errors
/// When the program cannot be started, or with [`io::ErrorKind::TimedOut`] when the limit passed.
pub(crate) fn run(request: &ProcessRequest) -> io::Result<ProcessOutput> {
    let Some((program, args)) = request.argv.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "empty command"));
    };
    let mut command = Command::new(program);
    command.args(args).envs(request.env.iter().map(|(k, v)| (k, v)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    if let Some(cwd) = &request.cwd {
        command.current_dir(cwd);
    }
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    let input = request.stdin.clone();
    let writer = std::thread::spawn(move || {
        // A child that does not read its input is no error of ours.
        let _ = stdin.map(|mut s| s.write_all(&input));
    });
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status = wait(&mut child, request.timeout)?;
    drop(writer.join());
    let join = |h: JoinHandle<Vec<u8>>| h.join().unwrap_or_default();
    Ok(ProcessOutput { status: status.code(), stdout: join(stdout), stderr: join(stderr) })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut out = Vec::new();
        // What was read before an error still counts.
        let _ = pipe.map(|mut p| p.read_to_end(&mut out));
        out
    })
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<std::process::ExitStatus> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= end {
            let group = format!("-{}", child.id());
            // The group, so that what the child started ends too.
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("no end within {limit:?}"),
            ));
        }
        std::thread::sleep(POLL);
    }
}
