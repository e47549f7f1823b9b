// SPDX-License-Identifier: Apache-2.0
//! What kernels of several kinds are written with.

pub mod reduction;
pub mod registers;
pub mod rows;
