//! How two processes find each other: the one with the higher number calls, says who it is, and is let in or not.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::cluster::{ConnectError, Places};

/// How long a process waits between two attempts to reach another.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// Longest time that a greeting may take.
const GREETING_TIME: Duration = Duration::from_secs(5);

/// Longest greeting, in bytes: a longer one is not ours.
const MOST_GREETING_BYTES: usize = 1 << 16;

/// After so much silence a peer is asked whether it is there still, and a few seconds later it counts as lost.
const SILENCE: Duration = Duration::from_secs(5);

/// The answer to a welcome caller.
const WELCOME: u8 = 1;

/// The connections to all other processes; `None` in the place of this one.
pub(super) fn sockets(
    places: &Places,
    listener: Option<TcpListener>,
    deadline: Instant,
) -> Result<Vec<Option<TcpStream>>, ConnectError> {
    let listener = match listener {
        Some(listener) => listener,
        None => {
            let address = places.addresses[places.process];
            TcpListener::bind(address).map_err(|error| ConnectError::Listen(address, error))?
        }
    };
    let mut sockets: Vec<Option<TcpStream>> = Vec::new();
    for callee in 0..places.process {
        sockets.push(Some(call(places, callee, deadline)?));
    }
    sockets.resize_with(places.addresses.len(), || None);
    listener.set_nonblocking(true).map_err(ConnectError::Connection)?;
    while let Some(absent) = (places.process + 1..sockets.len()).find(|caller| sockets[*caller].is_none()) {
        match listener.accept() {
            Ok((stream, _)) => {
                // Somebody who is no process of ours is sent away, and does not keep the others from coming.
                if let Some((caller, stream)) = let_in(places, stream).filter(|(caller, _)| sockets[*caller].is_none())
                {
                    sockets[caller] = Some(stream);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if Instant::now() >= deadline {
                    return Err(ConnectError::Absent(absent));
                }
                sleep(BETWEEN_ATTEMPTS);
            }
            Err(error) => return Err(ConnectError::Connection(error)),
        }
    }
    for socket in sockets.iter().flatten() {
        prepare(socket).map_err(ConnectError::Connection)?;
    }
    Ok(sockets)
}

/// Calls a process until it answers.
fn call(places: &Places, callee: usize, deadline: Instant) -> Result<TcpStream, ConnectError> {
    loop {
        if let Ok(mut stream) = TcpStream::connect_timeout(&places.addresses[callee], GREETING_TIME) {
            match greet(places, &mut stream) {
                Ok(true) => return Ok(stream),
                Ok(false) => return Err(ConnectError::Different(callee)),
                // It went away again: perhaps it was another's port before.
                Err(_) => {}
            }
        }
        if Instant::now() >= deadline {
            return Err(ConnectError::Absent(callee));
        }
        sleep(BETWEEN_ATTEMPTS);
    }
}

/// Says who calls; whether it is welcome.
fn greet(places: &Places, stream: &mut TcpStream) -> io::Result<bool> {
    stream.set_read_timeout(Some(GREETING_TIME))?;
    let greeting = format!("{}\n{}", places.process, places.watchword);
    stream.write_all(&(greeting.len() as u32).to_be_bytes())?;
    stream.write_all(greeting.as_bytes())?;
    let mut answer = [0];
    stream.read_exact(&mut answer)?;
    Ok(answer[0] == WELCOME)
}

/// Hears who calls; its number and the connection, if it is one of the processes that are to call.
fn let_in(places: &Places, mut stream: TcpStream) -> Option<(usize, TcpStream)> {
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(GREETING_TIME)).ok()?;
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let length = u32::from_be_bytes(length) as usize;
    let mut greeting = vec![0; if length <= MOST_GREETING_BYTES { length } else { return None }];
    stream.read_exact(&mut greeting).ok()?;
    let greeting = String::from_utf8(greeting).ok()?;
    let (caller, watchword) = greeting.split_once('\n')?;
    let caller: usize = caller.parse().ok()?;
    let is_welcome = watchword == places.watchword && (places.process + 1..places.addresses.len()).contains(&caller);
    stream.write_all(&[if is_welcome { WELCOME } else { 0 }]).ok()?;
    is_welcome.then_some((caller, stream))
}

/// Makes a connection ready for Timely.
fn prepare(socket: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    socket.set_read_timeout(None)?;
    socket.set_nodelay(true)?;
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, SILENCE)?;
    sockopt::set_tcp_keepintvl(socket, Duration::from_secs(1))?;
    sockopt::set_tcp_keepcnt(socket, 3)?;
    Ok(())
}
