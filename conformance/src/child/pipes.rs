//! The three pipes of a child, none of which is ever waited for alone: whichever is ready is served. So neither a child that does not
//! read nor one that writes more than a pipe holds can stop the runner.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use fencepost_driver::MOST_LINE_BYTES;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

use super::process::Ends;
use super::tail::Tail;

/// Bytes that are read at once.
const CHUNK: usize = 32 * 1024;

/// What there is to be read.
pub(super) enum Arrived {
    /// A whole line, its end left out.
    Line(Vec<u8>),
    /// No whole line yet.
    Nothing,
    /// More than a line may have, and no end of it; the beginning.
    TooLong(Vec<u8>),
    /// The end of the stream, and what stands before it.
    End(Vec<u8>),
}

/// The runner's ends of the pipes.
pub(super) struct Pipes {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    /// To be written, from `written` on.
    outgoing: Vec<u8>,
    written: usize,
    /// Read, from `taken` on not yet handed out; up to `searched` there is no end of a line.
    incoming: Vec<u8>,
    taken: usize,
    searched: usize,
    tail: Tail,
}

impl Pipes {
    pub(super) fn new(ends: Ends) -> io::Result<Self> {
        ioctl_fionbio(&ends.input, true)?;
        ioctl_fionbio(&ends.output, true)?;
        ioctl_fionbio(&ends.errors, true)?;
        Ok(Self {
            input: Some(ends.input),
            output: Some(ends.output),
            errors: Some(ends.errors),
            outgoing: Vec::new(),
            written: 0,
            incoming: Vec::new(),
            taken: 0,
            searched: 0,
            tail: Tail::default(),
        })
    }

    /// Where to put what is to be written.
    pub(super) fn outgoing(&mut self) -> &mut Vec<u8> {
        &mut self.outgoing
    }

    /// The last lines on standard error.
    pub(super) fn last_errors(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// Whether the child has closed its standard error.
    pub(super) fn has_no_errors_left(&self) -> bool {
        self.errors.is_none()
    }

    /// Ends the child's input, as soon as everything is written that can be written at once.
    pub(super) fn close_input(&mut self) {
        self.write();
        self.input = None;
    }

    /// Whether there is a whole line.
    pub(super) fn has_line(&self) -> bool {
        self.incoming[self.searched..].contains(&b'\n')
    }

    /// Takes the next line, if there is one.
    pub(super) fn take_line(&mut self) -> Arrived {
        let Some(length) = self.incoming[self.searched..].iter().position(|byte| *byte == b'\n') else {
            self.searched = self.incoming.len();
            let rest = &self.incoming[self.taken..];
            return match () {
                () if rest.len() >= MOST_LINE_BYTES => Arrived::TooLong(rest.to_vec()),
                () if self.output.is_none() => Arrived::End(rest.to_vec()),
                () => Arrived::Nothing,
            };
        };
        let end = self.searched + length;
        let line = self.incoming[self.taken..end].to_vec();
        (self.taken, self.searched) = (end + 1, end + 1);
        if line.len() >= MOST_LINE_BYTES { Arrived::TooLong(line) } else { Arrived::Line(line) }
    }

    /// Writes and reads what can be written and read; waits for it at most this long.
    pub(super) fn serve(&mut self, wait: Duration) -> io::Result<()> {
        self.write();
        let ready = self.wait_for_one(wait)?;
        if ready.output {
            self.read_output();
        }
        if ready.errors {
            self.read_errors();
        }
        if ready.input {
            self.write();
        }
        Ok(())
    }

    fn wait_for_one(&self, wait: Duration) -> io::Result<Ready> {
        let mut waiting = Vec::with_capacity(3);
        if let Some(output) = &self.output {
            waiting.push((Pipe::Output, PollFd::new(output, PollFlags::IN)));
        }
        if let Some(errors) = &self.errors {
            waiting.push((Pipe::Errors, PollFd::new(errors, PollFlags::IN)));
        }
        if let Some(input) = self.input.as_ref().filter(|_| self.written < self.outgoing.len()) {
            waiting.push((Pipe::Input, PollFd::new(input, PollFlags::OUT)));
        }
        let (names, mut descriptors): (Vec<Pipe>, Vec<PollFd<'_>>) = waiting.into_iter().unzip();
        let limit = Timespec { tv_sec: wait.as_secs().cast_signed(), tv_nsec: wait.subsec_nanos().into() };
        match poll(&mut descriptors, Some(&limit)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let is_ready =
            |pipe| names.iter().zip(&descriptors).any(|(name, it)| *name == pipe && !it.revents().is_empty());
        Ok(Ready { output: is_ready(Pipe::Output), errors: is_ready(Pipe::Errors), input: is_ready(Pipe::Input) })
    }

    /// A child that reads no more will be found dead, or not answering; that is told then.
    fn write(&mut self) {
        while let Some(input) = self.input.as_mut().filter(|_| self.written < self.outgoing.len()) {
            match input.write(&self.outgoing[self.written..]) {
                Ok(count) if count > 0 => self.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                _ => self.input = None,
            }
        }
        self.outgoing.clear();
        self.written = 0;
    }

    fn read_output(&mut self) {
        let Some(output) = &mut self.output else { return };
        self.incoming.drain(..self.taken);
        self.searched -= self.taken;
        self.taken = 0;
        let before = self.incoming.len();
        self.incoming.resize(before + CHUNK, 0);
        let count = read(output, &mut self.incoming[before..]);
        self.incoming.truncate(before + count.unwrap_or(0));
        if count == Some(0) {
            self.output = None;
        }
    }

    fn read_errors(&mut self) {
        let Some(errors) = &mut self.errors else { return };
        let mut bytes = [0; 4096];
        match read(errors, &mut bytes) {
            Some(0) => self.errors = None,
            count => self.tail.push(&bytes[..count.unwrap_or(0)]),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pipe {
    Input,
    Output,
    Errors,
}

#[derive(Default)]
struct Ready {
    input: bool,
    output: bool,
    errors: bool,
}

/// How many bytes were read, 0 at the end (or if the stream is broken); `None` if there is nothing to be read now.
fn read(stream: &mut impl Read, bytes: &mut [u8]) -> Option<usize> {
    match stream.read(bytes) {
        Ok(count) => Some(count),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => None,
        Err(_) => Some(0),
    }
}
