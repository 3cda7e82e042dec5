//! The command line of Fencepost: arguments in, reports out.
//!
//! [`command`] lists the subcommands; each is a module of its own ([`check`], [`ask`], [`follow`], [`driver_test`],
//! [`book`]). What they share: [`select`] (contracts, scenarios, views, clauses and fences by name or file), [`exploring`]
//! (the options of an exploration), [`run`] (a contract explored view by view), [`expectation`] and [`vacuity`] (what is
//! not as expected), [`margins`] (whether the bounds are large enough), [`reduced`] (fewer states by symmetry), [`output`], [`whole_file`], [`interrupt`] and [`exit`].

pub mod ask;
pub mod book;
pub mod check;
pub mod command;
pub mod distribute;
pub mod driver_test;
pub mod exit;
pub mod expectation;
pub mod exploring;
pub mod follow;
pub mod grow;
pub mod interrupt;
pub mod kill_matrix;
pub mod margins;
pub mod output;
pub mod reduced;
pub mod replay;
mod resume;
pub mod run;
pub mod select;
pub mod traces;
pub mod vacuity;
pub mod whole_file;
