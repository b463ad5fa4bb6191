//! An engine's process with all that it starts: scripts and shells that run the engine for us end
//! together with it.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::threads::locked;

/// How long processes that were asked to end may take for it.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(500);
/// Pause between two looks at a process that should end.
const POLL: Duration = Duration::from_millis(5);

/// The processes that run now.
static RUNNING: Mutex<Running> = Mutex::new(Running {
    is_over: false,
    #[cfg(unix)]
    groups: Vec::new(),
});

struct Running {
    /// No others are started.
    is_over: bool,
    #[cfg(unix)]
    groups: Vec<Pid>,
}

fn running() -> MutexGuard<'static, Running> {
    locked(&RUNNING)
}

/// Ends all engines with what they have started, and lets no others begin: the program is to end.
/// Without process groups engines end when their input does.
pub fn end_all_engines() {
    let mut running = running();
    running.is_over = true;
    #[cfg(unix)]
    end_groups(&std::mem::take(&mut running.groups), || ());
}

/// Asks groups to end, then kills what is left of them. That they are gone already is no error.
/// `look` is called while they are waited for.
#[cfg(unix)]
fn end_groups(groups: &[Pid], mut look: impl FnMut()) {
    for &group in groups {
        kill_process_group(group, Signal::TERM).unwrap_or_default();
    }
    poll_until(GRACE, || {
        look();
        let is_gone = |&group: &Pid| test_kill_process_group(group).is_err();
        groups.iter().all(is_gone).then_some(())
    });
    for &group in groups {
        kill_process_group(group, Signal::KILL).unwrap_or_default();
    }
}

/// A process that leads a group of its own. Without process groups it stands for itself alone.
pub(super) struct Process {
    child: Child,
    /// None once the group was ended: its number may then be another's.
    #[cfg(unix)]
    group: Option<Pid>,
}

impl Process {
    /// Starts a command whose three pipes are piped.
    pub(super) fn start(mut command: Command) -> io::Result<Process> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only groups are noted"))]
        let mut running = running();
        if running.is_over {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
        }
        let child = command.spawn()?;
        #[cfg(unix)]
        running.groups.push(Pid::from_child(&child));
        Ok(Process {
            #[cfg(unix)]
            group: Some(Pid::from_child(&child)),
            child,
        })
    }

    /// Input, output and errors; to be taken once.
    pub(super) fn pipes(&mut self) -> (ChildStdin, ChildStdout, ChildStderr) {
        let child = &mut self.child;
        let input = child.stdin.take().expect("stdin is piped");
        let output = child.stdout.take().expect("stdout is piped");
        (input, output, child.stderr.take().expect("stderr is piped"))
    }

    /// How the process ended, if it has.
    pub(super) fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// As [`Process::status`], but waits for it.
    pub(super) fn wait(&mut self, timeout: Duration) -> Option<ExitStatus> {
        poll_until(timeout, || self.status())
    }

    /// Ends the whole group.
    pub(super) fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.take() {
            running().groups.retain(|&other| other != group);
            // A dead leader is part of its group until it was waited for.
            end_groups(&[group], || {
                self.status();
            });
        }
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

/// Asks until there is an answer, but not longer than the timeout.
pub(super) fn poll_until<T>(timeout: Duration, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + timeout;
    loop {
        let found = answer();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        thread::sleep(POLL);
    }
}
