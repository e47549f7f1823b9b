// SPDX-License-Identifier: Apache-2.0
//! Nothing: `run.sh` asks Cargo where the sources in the dependencies are.
