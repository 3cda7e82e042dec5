//! Replaying: an implementation is moved along traces of the model, and what it says and shows is compared with what the model
//! allows.
//!
//! [`walker`] speaks of the model in the words of the driver, [`tracker`] keeps the set of all positions that agree with everything
//! seen so far, [`trace`] is a walk written down with what is allowed at each step, [`runner`] moves a subject along traces,
//! [`pairs`] holds every contract against every other. [`divergence`] says where and how it left the contract, [`blame`] looks for the clause, [`shrink`] for the fewest steps.

pub mod atlas;
pub mod audit;
pub mod blame;
pub mod divergence;
pub mod file;
mod fused;
pub mod images;
mod look;
pub mod names;
pub mod orders;
pub mod page;
pub mod pairs;
pub mod position;
pub mod product;
pub mod random;
pub mod record;
pub mod runner;
pub mod session;
pub mod shrink;
pub mod symptom;
pub mod trace;
pub mod tracker;
pub mod walker;
mod world;

pub use world::settings;
