// SPDX-License-Identifier: Apache-2.0
//! Registers of the accelerator, in bytes from the start of its page. Generated from garner_regs.rdl by
//! `make hw-regs`: change that file.

/// Identification.
pub const ID: usize = 0x000;
/// Version. Of the register map and the formats in host memory. A driver refuses another major version.
pub const VERSION: usize = 0x004;
/// VERSION, bits 15:0.
pub const VERSION_MINOR: u32 = 0x0000FFFF;
/// VERSION, bits 31:16.
pub const VERSION_MAJOR: u32 = 0xFFFF0000;
/// Capability: cores.
pub const CAPABILITY_CORES: usize = 0x008;
/// CAPABILITY_CORES, bits 7:0. Cores built, 1 to 32.
pub const CAPABILITY_CORES_CORES: u32 = 0x000000FF;
/// CAPABILITY_CORES, bits 15:8. Key slots of every core, numbered from 0.
pub const CAPABILITY_CORES_KEY_SLOTS: u32 = 0x0000FF00;
/// CAPABILITY_CORES, bits 23:16. Jobs the shell holds between a descriptor's fetch and its completion.
pub const CAPABILITY_CORES_IN_FLIGHT: u32 = 0x00FF0000;
/// CAPABILITY_CORES, bits 24:24. 1: the AXI4-Stream ports are built.
pub const CAPABILITY_CORES_STREAM: u32 = 0x01000000;
/// CAPABILITY_CORES, bits 25:25. 1: the AXI4 master is 64 bits wide; 0: 32.
pub const CAPABILITY_CORES_BUS64: u32 = 0x02000000;
/// Capability: arithmetic.
pub const CAPABILITY_ARITHMETIC: usize = 0x00C;
/// CAPABILITY_ARITHMETIC, bits 15:0. Longest modulus in bits.
pub const CAPABILITY_ARITHMETIC_MAX_BITS: u32 = 0x0000FFFF;
/// CAPABILITY_ARITHMETIC, bits 23:16. W: bits of a word of the multiplier.
pub const CAPABILITY_ARITHMETIC_WORD_BITS: u32 = 0x00FF0000;
/// CAPABILITY_ARITHMETIC, bits 31:24. Rows of the multiplier's array.
pub const CAPABILITY_ARITHMETIC_ROWS: u32 = 0xFF000000;
/// Capability: Montgomery constant. OpMultiply gives a*b*2^-R mod n with R = r_step * passes: the bits a pass of the array reduces, and passes as the core documents it for the length of n.
pub const CAPABILITY_MONTGOMERY: usize = 0x010;
/// CAPABILITY_MONTGOMERY, bits 15:0. Bits of R for each pass.
pub const CAPABILITY_MONTGOMERY_R_STEP: u32 = 0x0000FFFF;
/// CAPABILITY_MONTGOMERY, bits 31:16. Longest operand stream of a job, in 32-bit words.
pub const CAPABILITY_MONTGOMERY_OPERAND_WORDS: u32 = 0xFFFF0000;
/// Control.
pub const CONTROL: usize = 0x080;
/// CONTROL, bits 0:0. 1: run the rings. 0: fetch no more descriptors; those fetched are completed (STATUS.idle), then all indices of the hardware return to 0.
pub const CONTROL_ENABLE: u32 = 0x00000001;
/// CONTROL, bits 1:1. Write 1: erase every key slot, memory and buffer. Jobs taken so far are answered, those that run or wait with StatusEmptySlot. STATUS.zeroising is 1 until all is erased; no job is taken meanwhile.
pub const CONTROL_ZEROISE: u32 = 0x00000002;
/// CONTROL, bits 2:2. Write 1: all counters to 0.
pub const CONTROL_CLEAR_COUNTERS: u32 = 0x00000004;
/// Status.
pub const STATUS: usize = 0x084;
/// STATUS, bits 0:0. 1: no descriptor is fetched and not yet completed, and none can be fetched.
pub const STATUS_IDLE: u32 = 0x00000001;
/// STATUS, bits 1:1. 1: memories are being erased, after reset or CONTROL.zeroise; no job is taken.
pub const STATUS_ZEROISING: u32 = 0x00000002;
/// STATUS, bits 2:2. 1: SUBMISSION_TAIL is further from SUBMISSION_HEAD than the ring is long: nothing is fetched.
pub const STATUS_SUBMISSION_OVERRUN: u32 = 0x00000004;
/// STATUS, bits 3:3. 1: COMPLETION_HEAD is ahead of COMPLETION_TAIL, or further behind than the ring is long: nothing is written.
pub const STATUS_COMPLETION_OVERRUN: u32 = 0x00000008;
/// STATUS, bits 15:8. Descriptors fetched and not yet completed.
pub const STATUS_IN_FLIGHT: u32 = 0x0000FF00;
/// Interrupt status. Write 1 to clear. The lines are status and enable, bit by bit.
pub const INTERRUPT_STATUS: usize = 0x088;
/// INTERRUPT_STATUS, bits 0:0. Completions are waiting: one was marked interrupt, or INTERRUPT_COALESCE says so.
pub const INTERRUPT_STATUS_COMPLETION: u32 = 0x00000001;
/// INTERRUPT_STATUS, bits 1:1. The last fetched descriptor was completed and none waits.
pub const INTERRUPT_STATUS_IDLE: u32 = 0x00000002;
/// INTERRUPT_STATUS, bits 2:2. Something went wrong that ERROR tells.
pub const INTERRUPT_STATUS_ERROR: u32 = 0x00000004;
/// Interrupt enable.
pub const INTERRUPT_ENABLE: usize = 0x08C;
/// INTERRUPT_ENABLE, bits 0:0.
pub const INTERRUPT_ENABLE_COMPLETION: u32 = 0x00000001;
/// INTERRUPT_ENABLE, bits 1:1.
pub const INTERRUPT_ENABLE_IDLE: u32 = 0x00000002;
/// INTERRUPT_ENABLE, bits 2:2.
pub const INTERRUPT_ENABLE_ERROR: u32 = 0x00000004;
/// Interrupt coalescing. When completions raise an interrupt without being marked. Both 0: never.
pub const INTERRUPT_COALESCE: usize = 0x090;
/// INTERRUPT_COALESCE, bits 7:0. As soon as this many are written since the last interrupt; 0: no such limit.
pub const INTERRUPT_COALESCE_COUNT: u32 = 0x000000FF;
/// INTERRUPT_COALESCE, bits 31:8. This many cycles after the first one since the last interrupt; 0: no such limit.
pub const INTERRUPT_COALESCE_CYCLES: u32 = 0xFFFFFF00;
/// Error. Write 1 to clear. Each bit sets INTERRUPT_STATUS.error when it comes up.
pub const ERROR: usize = 0x094;
/// ERROR, bits 0:0. A descriptor could not be read; its completion has StatusBusFault and tag 0.
pub const ERROR_DESCRIPTOR_FAULT: u32 = 0x00000001;
/// ERROR, bits 1:1. Operands could not be read or results not written; the completion has StatusBusFault.
pub const ERROR_DATA_FAULT: u32 = 0x00000002;
/// ERROR, bits 2:2. A completion could not be written: it is lost, its place in the ring keeps what was there. Disable and enable the rings, as the phase of that place is of no use any more.
pub const ERROR_COMPLETION_FAULT: u32 = 0x00000004;
/// ERROR, bits 3:3. An index written by the host was impossible: see STATUS.
pub const ERROR_OVERRUN: u32 = 0x00000008;
/// Submission ring, address, low word. A multiple of 64: the lower bits read 0. Change only while CONTROL.enable is 0 and STATUS.idle is 1.
pub const SUBMISSION_BASE_LOW: usize = 0x100;
/// SUBMISSION_BASE_LOW, bits 31:6.
pub const SUBMISSION_BASE_LOW_VALUE: u32 = 0xFFFFFFC0;
/// Submission ring, address, high word.
pub const SUBMISSION_BASE_HIGH: usize = 0x104;
/// Submission ring, size. The ring has 2^log2 descriptors of 64 bytes. Change only while disabled and idle.
pub const SUBMISSION_SIZE: usize = 0x108;
/// SUBMISSION_SIZE, bits 3:0. 0 to 15.
pub const SUBMISSION_SIZE_LOG2: u32 = 0x0000000F;
/// Submission ring, tail: the doorbell. Descriptors the host has written, modulo 2^16 (not modulo the size). Write 0 before enabling.
pub const SUBMISSION_TAIL: usize = 0x10C;
/// SUBMISSION_TAIL, bits 15:0.
pub const SUBMISSION_TAIL_INDEX: u32 = 0x0000FFFF;
/// Submission ring, head. Descriptors the hardware has read, modulo 2^16: their places are free again.
pub const SUBMISSION_HEAD: usize = 0x110;
/// SUBMISSION_HEAD, bits 15:0.
pub const SUBMISSION_HEAD_INDEX: u32 = 0x0000FFFF;
/// Completion ring, address, low word. A multiple of 16: the lower bits read 0. Change only while CONTROL.enable is 0 and STATUS.idle is 1.
pub const COMPLETION_BASE_LOW: usize = 0x180;
/// COMPLETION_BASE_LOW, bits 31:4.
pub const COMPLETION_BASE_LOW_VALUE: u32 = 0xFFFFFFF0;
/// Completion ring, address, high word.
pub const COMPLETION_BASE_HIGH: usize = 0x184;
/// Completion ring, size. The ring has 2^log2 completions of 16 bytes. Change only while disabled and idle.
pub const COMPLETION_SIZE: usize = 0x188;
/// COMPLETION_SIZE, bits 3:0. 0 to 15.
pub const COMPLETION_SIZE_LOG2: u32 = 0x0000000F;
/// Completion ring, head. Completions the host has taken, modulo 2^16. Write 0 before enabling.
pub const COMPLETION_HEAD: usize = 0x18C;
/// COMPLETION_HEAD, bits 15:0.
pub const COMPLETION_HEAD_INDEX: u32 = 0x0000FFFF;
/// Completion ring, tail. Completions the hardware has written, modulo 2^16.
pub const COMPLETION_TAIL: usize = 0x190;
/// COMPLETION_TAIL, bits 15:0.
pub const COMPLETION_TAIL_INDEX: u32 = 0x0000FFFF;
/// Counter: clock cycles.
pub const CYCLES: usize = 0x200;
/// Counter: jobs completed, whatever their status.
pub const JOBS: usize = 0x208;
/// Counter: jobs completed with a status other than StatusOk.
pub const JOBS_FAILED: usize = 0x210;
/// Counter: cycles of cores at work, summed over the cores.
pub const BUSY_CORE_CYCLES: usize = 0x280;
/// Counter: cycles in which a transaction of the AXI4 master is under way.
pub const BUS_CYCLES: usize = 0x288;
/// Counter: data beats of the AXI4 master, read and written.
pub const BUS_BEATS: usize = 0x290;
