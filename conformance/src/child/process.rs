//! A child and everything that it starts: one process group.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

use super::command::{ChildCommand, ChildOptions};

/// How often it is looked whether a process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// How long a group that was asked to end may take, before it is killed.
const GRACE: Duration = Duration::from_millis(500);

/// The three pipes of a child.
pub(super) struct Ends {
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
    pub(super) errors: ChildStderr,
}

/// A process group whose leader this process has started.
///
/// The number of the group is used only while it cannot belong to anybody else: as long as the leader is not waited for, or members of
/// the group are left.
pub(super) struct Group {
    child: Child,
    id: Option<Pid>,
    status: Option<ExitStatus>,
}

impl Group {
    pub(super) fn start(command: &ChildCommand) -> io::Result<(Self, Ends)> {
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut group = Self { child, id, status: None };
        match (input, output, errors) {
            (Some(input), Some(output), Some(errors)) => Ok((group, Ends { input, output, errors })),
            _ => {
                group.kill();
                Err(io::Error::other("the pipes are missing"))
            }
        }
    }

    /// Whether the leader has ended. It is not waited for, so that its number stays taken.
    pub(super) fn has_ended(&self) -> bool {
        let Some(id) = self.id.filter(|_| self.status.is_none()) else { return true };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        matches!(waitid(WaitId::Pid(id), look), Ok(Some(_)))
    }

    /// Waits until the leader has ended by itself; `false` if it has not after some time, or Ctrl-C came first.
    pub(super) fn ends_within(&self, limit: Duration, options: &ChildOptions) -> bool {
        let begun = Instant::now();
        while !self.has_ended() {
            if begun.elapsed() >= limit || options.is_interrupted() {
                return false;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        true
    }

    /// Takes the exit status of a leader that has ended, and tells whether members of its group live on.
    pub(super) fn collect(&mut self, patience: Duration) -> bool {
        self.wait();
        let begun = Instant::now();
        // Who has just ended is a member until its parent has taken notice.
        while self.has_members() {
            if begun.elapsed() >= patience {
                return true;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        // From now on the number may be given to somebody else.
        self.id = None;
        false
    }

    fn has_members(&self) -> bool {
        self.id.is_some_and(|id| test_kill_process_group(id).is_ok())
    }

    /// Ends the whole group: asks for it, and kills what is left after a moment.
    pub(super) fn end(&mut self) {
        if self.status.is_none() {
            self.signal(Signal::TERM);
            let begun = Instant::now();
            while !self.has_ended() && begun.elapsed() < GRACE {
                std::thread::sleep(LOOK_EVERY);
            }
        }
        self.kill();
    }

    /// Kills the whole group and waits for its leader. Does nothing the second time.
    pub(super) fn kill(&mut self) {
        if self.status.is_none() || self.has_members() {
            self.signal(Signal::KILL);
        }
        self.wait();
        self.id = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // Fails only if nobody is left.
            let _ = kill_process_group(id, signal);
        }
    }

    fn wait(&mut self) {
        if self.status.is_none() {
            self.status = self.child.wait().ok();
        }
    }

    /// How the leader ended, as soon as it was waited for.
    pub(super) fn status(&self) -> Option<ExitStatus> {
        self.status
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
