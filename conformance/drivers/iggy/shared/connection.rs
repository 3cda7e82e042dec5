//! Connections to the server. Membership of a group is keyed by the connection, so every role has its own.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use fencepost_driver::{ErrorCode, Failure};
use iggy::prelude::{Client, IggyError, SystemClient, TcpClient, UserClient};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::answer::Trouble;
use super::options::Options;
use super::wire::Wire;

/// The server ends a membership when it has heard nothing for 36 seconds.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// Refusals that are about the user. Others at a sign-in mean that the server does not understand this client.
const NOT_WELCOME: [u32; 6] = [40, 41, 42, 43, 44, 47];

/// Whose connection it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The operator's.
    Operator,
    /// The producer's.
    Producer,
    /// The one that only looks.
    Observer,
    /// The connection of the consumer with this name.
    Consumer(String),
}

impl Role {
    fn name(&self) -> &str {
        match self {
            Self::Operator => "the operator",
            Self::Producer => "the producer",
            Self::Observer => "the observer",
            Self::Consumer(name) => name,
        }
    }
}

/// A signed-in connection.
#[derive(Debug)]
struct Connection {
    client: Arc<TcpClient>,
    heartbeat: JoinHandle<()>,
    /// What became of it, if it must not be used any more.
    lost: Option<String>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.heartbeat.abort();
    }
}

/// Waits for the answer to a request, as long as the time limit allows.
///
/// # Errors
/// The client's error, or that the time was over.
pub async fn within<T>(limit: Duration, request: impl Future<Output = Result<T, IggyError>>) -> Result<T, Trouble> {
    match timeout(limit, request).await {
        Ok(answer) => answer.map_err(Trouble::Error),
        Err(_) => Err(Trouble::TimeOut),
    }
}

/// Connects and signs in.
///
/// # Errors
/// A [`Failure`] that says in one line why the server cannot be used.
pub async fn sign_in<W: Wire>(options: &Options) -> Result<Arc<TcpClient>, Failure> {
    let configuration =
        W::configuration(&options.address.to_string()).map_err(|error| unreachable(error.to_string()))?;
    let client = TcpClient::create(Arc::new(configuration)).map_err(|error| unreachable(error.to_string()))?;
    let attempt = within(options.request_time_out, async {
        client.connect().await?;
        client.login_user(&options.username, &options.password).await
    });
    match attempt.await {
        Ok(_) => Ok(Arc::new(client)),
        Err(trouble) => {
            // A client that was refused must not go on trying in the background.
            let _ = timeout(Duration::from_secs(1), client.shutdown()).await;
            Err(unreachable(why_not::<W>(options, &trouble)))
        }
    }
}

fn unreachable(text: String) -> Failure {
    Failure { code: ErrorCode::Unreachable, text, is_definite: true }
}

fn why_not<W: Wire>(options: &Options, trouble: &Trouble) -> String {
    let address = options.address;
    let client = W::CLIENT;
    let limit = options.request_time_out.as_millis();
    match trouble {
        Trouble::Error(IggyError::CannotEstablishConnection) => format!("{address}: nobody accepts the connection"),
        Trouble::Error(IggyError::IncompatibleProtocolVersion(..)) => {
            format!("{address}: the server speaks another version of the protocol than {client}: {}", trouble.words())
        }
        Trouble::Error(error) if trouble.ends_connection() => format!(
            "{address}: the connection ended before the sign-in was answered ({error}); is that an Iggy server for {client}?"
        ),
        Trouble::Error(error) if !NOT_WELCOME.contains(&error.as_code()) => format!(
            "{address}: the sign-in with {client} was refused: {}; is that an Iggy server for {client}?",
            trouble.words()
        ),
        Trouble::Error(_) => format!("{address}: the sign-in with {client} was refused: {}", trouble.words()),
        Trouble::TimeOut => {
            format!("{address}: no answer to the sign-in within {limit} ms; is that an Iggy server for {client}?")
        }
    }
}

fn keep_alive(client: Arc<TcpClient>) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            sleep(HEARTBEAT_INTERVAL).await;
            // A lost connection shows at the next request, where it matters.
            let _ = client.ping().await;
        }
    })
}

/// The connections of all roles, made when they are needed and kept from one world to the next.
#[derive(Debug, Default)]
pub struct Connections {
    open: BTreeMap<Role, Connection>,
}

impl Connections {
    /// Why the connection of a consumer must not be used any more, if so: another one would be another session.
    pub fn lost(&self, role: &Role) -> Option<String> {
        if !matches!(role, Role::Consumer(_)) {
            return None;
        }
        let reason = self.open.get(role)?.lost.as_ref()?;
        Some(format!("the connection of {} is not used again before a reset: {reason}", role.name()))
    }

    /// The connection of a role; made, if there is none. The sessions of producer, operator and observer mean nothing to the server,
    /// so they get a new one for one that was lost.
    ///
    /// # Errors
    /// A [`Failure`], if the server cannot be used, or if this connection was lost, see [`Connections::lost`].
    pub async fn client<W: Wire>(&mut self, options: &Options, role: &Role) -> Result<Arc<TcpClient>, Failure> {
        if let Some(reason) = self.lost(role) {
            return Err(Failure { code: ErrorCode::Failed, text: reason, is_definite: true });
        }
        match self.open.get(role) {
            Some(Connection { lost: None, client, .. }) => return Ok(Arc::clone(client)),
            Some(_) => self.close(role).await,
            None => {}
        }
        let client = sign_in::<W>(options).await?;
        let heartbeat = keep_alive(Arc::clone(&client));
        self.open.insert(role.clone(), Connection { client: Arc::clone(&client), heartbeat, lost: None });
        Ok(client)
    }

    /// Never use the connection of this role again, if that is what the trouble means.
    pub fn note(&mut self, role: &Role, trouble: &Trouble) {
        if trouble.ends_connection()
            && let Some(connection) = self.open.get_mut(role)
        {
            connection.heartbeat.abort();
            connection.lost = Some(trouble.words());
        }
    }

    /// Closes the connection of a role.
    pub async fn close(&mut self, role: &Role) {
        if let Some(connection) = self.open.remove(role) {
            shut_down(&connection.client).await;
        }
    }

    /// Closes those that must not be used any more.
    pub async fn close_lost(&mut self) {
        let lost: Vec<Role> = self
            .open
            .iter()
            .filter(|(_, connection)| connection.lost.is_some())
            .map(|(role, _)| role.clone())
            .collect();
        for role in lost {
            self.close(&role).await;
        }
    }

    /// Closes all.
    pub async fn close_all(&mut self) {
        while let Some((_, connection)) = self.open.pop_first() {
            shut_down(&connection.client).await;
        }
    }
}

async fn shut_down(client: &TcpClient) {
    // A request that was never answered holds the client's lock until the client gives up by itself.
    let _ = timeout(Duration::from_secs(1), client.shutdown()).await;
}
