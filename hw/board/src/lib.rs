// SPDX-License-Identifier: Apache-2.0
//! A simulated board: the Verilated design as a PCI function behind a vfio-user socket.
//!
//! | module | what it does |
//! |---|---|
//! | [`function`] | speaks vfio-user: configuration space, registers, maps, interrupts |
//! | `client` | asks the client for memory that it mapped without a descriptor |
//! | [`simulation`] | runs the design on its own thread |
//! | [`device`] | the design, compiled by Verilator, with what is around its pins |
//! | [`link`] | brings what it reads, writes and signals to the client |
//! | [`memory`] | the client's memory |
//! | [`faults`] | faults on purpose |

mod client;
pub mod config_space;
pub mod device;
pub mod faults;
pub mod function;
// What the driver knows of the design, generated; a board needs little of it.
#[path = "../../../crates/device-board/src/interface/mod.rs"]
pub mod interface;
pub mod link;
pub mod memory;
pub mod simulation;
