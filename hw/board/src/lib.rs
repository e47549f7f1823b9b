// SPDX-License-Identifier: Apache-2.0
//! A simulated board: the Verilated design as a PCI function behind a vfio-user socket.
//!
//! | module | what it does |
//! |---|---|
//! | [`function`] | speaks vfio-user: configuration space, registers, maps, interrupts |
//! | [`simulation`] | runs the design on its own thread |
//! | [`link`] | moves its data, in the time a PCIe link takes |
//! | [`memory`] | the client's memory |
//! | [`model`] | the design, compiled by Verilator |
//! | [`faults`] | faults on purpose |

pub mod config_space;
pub mod faults;
pub mod function;
// What the driver knows of the design, generated; a board needs little of it.
#[path = "../../../crates/garner/src/device/board/interface/mod.rs"]
pub mod interface;
pub mod link;
pub mod memory;
pub mod model;
pub mod simulation;
