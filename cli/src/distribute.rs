//! Several processes that check together: who they are, how the others are started, and what is said when one is gone.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use fencepost_checker::compiled::distributed::{Cluster, ConnectError, Places};
use fencepost_spec::diagnostic::Problem;
use serde::{Deserialize, Serialize};

use crate::exit::ExitStatus;
use crate::exploring::{EngineName, ExploringArguments};
use crate::resume::program;

/// Where the processes of an exploration are.
#[derive(Args, Clone, Debug, Default)]
pub struct DistributeArguments {
    /// With --engine timely: explore in this many processes of this machine, each with one thread [default: 1]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "hosts")]
    pub processes: Option<u16>,
    /// With --engine timely: explore with the processes at these addresses, one HOST:PORT a line; start each with the same arguments and
    /// its own --process. What travels between them is plain text
    #[arg(long, value_name = "FILE", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Which line of --hosts this process is, from 0; process 0 reports
    #[arg(long, value_name = "NUMBER", requires = "hosts")]
    pub process: Option<usize>,
    /// Accept addresses beyond this machine: only where nobody else can reach the network
    #[arg(long, requires = "hosts")]
    pub trust_network: bool,
}

/// The variable by which a process that was started for an exploration knows where it belongs.
const JOIN: &str = "FENCEPOST_JOIN";

/// How long processes on one machine may take to come together.
const LOCAL_PATIENCE: Duration = Duration::from_secs(60);

/// How long processes on several machines may take: people start them.
const HOSTS_PATIENCE: Duration = Duration::from_secs(600);

/// How long a process that was started here may take to end after the report.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// Most processes that a file may list.
const MOST_HOSTS: usize = 1_024;

/// What a started process is told.
#[derive(Serialize, Deserialize)]
struct Join {
    addresses: Vec<SocketAddr>,
    process: usize,
    watchword: String,
}

/// The processes of an exploration.
pub struct Distribution {
    cluster: Cluster,
    /// Whether this process was started by another, which speaks for it.
    is_started: bool,
    /// Those that were started here.
    children: Children,
}

impl Distribution {
    /// Brings the processes together, if `--engine timely` asks for it.
    ///
    /// # Errors
    /// A [`Problem`] with the options, the file, or the other processes.
    pub fn of(arguments: &DistributeArguments, exploring: &ExploringArguments) -> Result<Option<Self>, Problem> {
        demand_use(arguments, exploring)?;
        if exploring.engine != EngineName::Timely {
            return Ok(None);
        }
        if let Ok(join) = std::env::var(JOIN) {
            return Self::joined(&join).map(Some);
        }
        let (Some(file), Some(process)) = (&arguments.hosts, arguments.process) else {
            return Self::started(usize::from(arguments.processes.unwrap_or(1))).map(Some);
        };
        let addresses = hosts(file, arguments.trust_network)?;
        if process >= addresses.len() {
            let last = addresses.len() - 1;
            return Err(Problem::new(format!("`--process {process}`: `{}` lists no such process", file.display()))
                .with_help(format!("accepted: 0 to {last}, as the file has {} addresses", addresses.len())));
        }
        // The same program, asked the same: all but which process it is.
        // States travel as the bytes that this very program gives them.
        let program = program().map_err(|error| Problem::new(format!("this program cannot be read: {error}")))?;
        let watchword = format!("{program} {} {addresses:?}", common(std::env::args().skip(1)));
        if io::stderr().is_terminal() {
            eprintln!("process {process} of {}: waits for the others", addresses.len());
        }
        let cluster = Cluster::connect(&Places { addresses, process, watchword }, None, HOSTS_PATIENCE);
        Ok(Some(Self::with(cluster.map_err(|error| apart(&error))?, false, Children::default())))
    }

    fn with(cluster: Cluster, is_started: bool, children: Children) -> Self {
        Self { cluster, is_started, children }
    }

    /// Ends what was explored together: leaves the others, and waits for those that were started here. A distribution that is dropped
    /// instead breaks off, so that nobody waits for this process.
    pub fn end(self) {
        let Self { cluster, mut children, .. } = self;
        cluster.finish();
        children.wait();
    }

    /// Joins the process that started this one, which listens already on what is this one's standard input.
    fn joined(join: &str) -> Result<Self, Problem> {
        let Join { addresses, process, watchword } = serde_json::from_str(join).map_err(|error| {
            Problem::new(format!("the variable `{JOIN}` is for processes that fencepost starts: {error}"))
        })?;
        let listener = io::stdin().as_fd().try_clone_to_owned().map(TcpListener::from);
        let listener = listener.map_err(|error| apart(&ConnectError::Connection(error)))?;
        let cluster = Cluster::connect(&Places { addresses, process, watchword }, Some(listener), LOCAL_PATIENCE);
        Ok(Self::with(cluster.map_err(|error| apart(&error))?, true, Children::default()))
    }

    /// Starts the other processes on this machine. Each gets a socket that listens already, so that no port can be taken meanwhile.
    fn started(processes: usize) -> Result<Self, Problem> {
        let cannot = |what: &'static str| move |error: io::Error| Problem::new(format!("{what}: {error}"));
        let listeners: Vec<TcpListener> = (0..processes)
            .map(|_| TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)))
            .collect::<io::Result<_>>()
            .map_err(cannot("no port of this machine can be used"))?;
        let addresses: Vec<SocketAddr> = listeners
            .iter()
            .map(TcpListener::local_addr)
            .collect::<io::Result<_>>()
            .map_err(cannot("no port of this machine can be used"))?;
        let watchword = secret();
        let program = std::env::current_exe().map_err(cannot("this program cannot be found"))?;
        let mut listeners = listeners.into_iter();
        let own = listeners.next();
        let mut children = Children::default();
        for (process, listener) in (1..).zip(listeners) {
            let join = Join { addresses: addresses.clone(), process, watchword: watchword.clone() };
            let join = serde_json::to_string(&join).unwrap_or_else(|error| unreachable!("addresses are text: {error}"));
            let mut command = Command::new(&program);
            command.args(std::env::args_os().skip(1)).env(JOIN, join);
            command.stdin(Stdio::from(OwnedFd::from(listener))).stdout(Stdio::null());
            children.0.push(command.spawn().map_err(cannot("another process cannot be started"))?);
        }
        let cluster = Cluster::connect(&Places { addresses, process: 0, watchword }, own, LOCAL_PATIENCE);
        let cluster = cluster.map_err(|error| apart(&error))?;
        Ok(Self::with(cluster, false, children))
    }

    /// The processes, for the engine.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Whether this process reports what all of them found.
    pub fn reports(&self) -> bool {
        self.cluster.process() == 0
    }

    /// What to end with if a process was lost, which is said here.
    pub fn loss(&self) -> Option<ExitStatus> {
        let lost = self.cluster.lost()?;
        if !self.is_started {
            eprintln!(
                "error: process {lost} of {} is gone before the end, and what it knew with it: there is no result",
                self.cluster.processes()
            );
        }
        Some(ExitStatus::Stopped)
    }
}

/// Started processes: they end by themselves when this one has left the cluster, or are ended.
#[derive(Default)]
struct Children(Vec<Child>);

impl Children {
    /// Waits a while for all of them to end.
    fn wait(&mut self) {
        let deadline = Instant::now() + END_PATIENCE;
        for child in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // Without effect on one that has ended.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Refuses options that would have no effect.
fn demand_use(arguments: &DistributeArguments, exploring: &ExploringArguments) -> Result<(), Problem> {
    if exploring.engine == EngineName::Timely {
        return match exploring.threads {
            None => Ok(()),
            Some(_) => {
                Err(Problem::new("`--threads` has no effect with `--engine timely`: each process has one thread")
                    .with_help("accepted: --processes NUMBER"))
            }
        };
    }
    let given = [("--processes", arguments.processes.is_some()), ("--hosts", arguments.hosts.is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Problem::new(format!("`{option}` has no effect without `--engine timely`"))),
    }
}

/// Reads a file of addresses; each must be of this machine, unless the network is trusted.
fn hosts(file: &Path, trusts_network: bool) -> Result<Vec<SocketAddr>, Problem> {
    let name = file.display().to_string();
    let text =
        std::fs::read_to_string(file).map_err(|error| Problem::new(format!("`{name}` cannot be read: {error}")))?;
    let mut addresses: Vec<SocketAddr> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let host = line.trim();
        let begin = start + (line.len() - line.trim_start().len());
        start += line.len();
        if host.is_empty() || host.starts_with('#') {
            continue;
        }
        let problem = |what: String| Problem::at(&name, &text, begin..begin + host.len(), what);
        let resolved = host.to_socket_addrs().map(|mut found| found.next());
        let Ok(Some(address)) = resolved else {
            return Err(
                problem(format!("`{host}` is no address")).with_help("accepted: HOST:PORT, such as 127.0.0.1:2101")
            );
        };
        if !trusts_network && !address.ip().is_loopback() {
            return Err(problem(format!("`{host}` is beyond this machine, and what travels there is plain text"))
                .with_help("accepted: addresses such as 127.0.0.1:2101, or others with --trust-network"));
        }
        if addresses.contains(&address) {
            return Err(problem(format!("`{host}` is there twice")));
        }
        if addresses.len() == MOST_HOSTS {
            return Err(problem(format!("more than {MOST_HOSTS} processes")));
        }
        addresses.push(address);
    }
    if addresses.is_empty() {
        return Err(Problem::new(format!("`{name}` lists no process")).with_help("accepted: one HOST:PORT a line"));
    }
    Ok(addresses)
}

/// Options in which the processes of an exploration may differ.
const OWN_OPTIONS: [&str; 4] = ["--process", "--hosts", "--format", "--resume"];

/// What all processes of an exploration are asked.
fn common(arguments: impl Iterator<Item = String>) -> String {
    let mut common = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let name = argument.split('=').next().unwrap_or_default();
        if !OWN_OPTIONS.contains(&name) {
            common.push(argument);
        } else if !argument.contains('=') {
            arguments.next();
        }
    }
    common.join(" ")
}

/// A word that nobody else knows.
fn secret() -> String {
    // The keys of these hashers come from the system's random numbers.
    let random = || RandomState::new().hash_one(Instant::now());
    format!("{:016x}{:016x}", random(), random())
}

/// The problem that the processes did not come together.
fn apart(error: &ConnectError) -> Problem {
    Problem::new(format!("the processes did not come together: {error}"))
}

#[cfg(test)]
mod tests {
    use super::{common, hosts};

    fn read(text: &str, trusts_network: bool) -> Result<usize, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hosts");
        std::fs::write(&file, text).expect("a file");
        hosts(&file, trusts_network).map(|addresses| addresses.len()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn given_addresses_of_this_machine_when_read_should_be_accepted() {
        assert_eq!(read("# two\n127.0.0.1:2101\n\n  [::1]:2102  \n", false), Ok(2));
    }

    #[test]
    fn given_an_address_beyond_this_machine_when_read_should_need_trust() {
        let error = read("127.0.0.1:2101\n10.0.0.2:2101\n", false).expect_err("a problem");
        assert!(
            error.contains("2:1") && error.contains("10.0.0.2:2101") && error.contains("--trust-network"),
            "{error}"
        );
        assert_eq!(read("127.0.0.1:2101\n10.0.0.2:2101\n", true), Ok(2));
    }

    #[test]
    fn given_no_addresses_when_read_should_say_where_and_what_is_accepted() {
        for (text, expected) in [
            ("", "lists no process"),
            ("here\n", "HOST:PORT"),
            ("::1\n", "HOST:PORT"),
            ("127.0.0.1:1\n127.0.0.1:1\n", "twice"),
        ] {
            let error = read(text, false).expect_err("a problem");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn given_arguments_of_two_processes_when_compared_should_differ_only_in_what_is_asked() {
        let common = |text: &str| common(text.split(' ').map(str::to_owned));
        let one = common("check --hosts a --process 0 --engine timely --format json");
        assert_eq!(one, common("check --process=1 --engine timely --hosts=b"));
        assert_ne!(one, common("check --process=1 --engine timely --hosts=b --bounds ci"));
    }
}
