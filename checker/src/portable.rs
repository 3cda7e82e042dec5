//! Models whose states can leave the process: to another process, or to a disk.

use serde::Serialize;
use serde::de::DeserializeOwned;
use stateright::actor::Actor;

use crate::actor_system::ActorSystem;

/// What can be written down as bytes and read again as an equal value. Equal values must give equal bytes.
pub trait Portable: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> Portable for T {}

/// An actor system all of whose values are portable. Every [`ActorSystem`] with such values is one.
pub trait PortableSystem:
    ActorSystem<
        Actor: Actor<Msg: Portable, Timer: Portable, State: Portable, Random: Portable, Storage: Portable>,
        History: Portable,
    >
{
}

impl<M> PortableSystem for M where
    M: ActorSystem<
            Actor: Actor<Msg: Portable, Timer: Portable, State: Portable, Random: Portable, Storage: Portable>,
            History: Portable,
        >
{
}
