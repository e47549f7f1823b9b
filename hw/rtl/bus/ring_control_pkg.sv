// SPDX-License-Identifier: Apache-2.0
// What travels between ring_control and the engine whose rings it controls.
package ring_control_pkg;

  // What the host has set: of each ring its base, the logarithm of its places, and the host's own index.
  typedef struct packed {
    logic [63:0] base;
    logic [3:0]  log2;
    logic [15:0] tail;
  } submission_ring_t;

  typedef struct packed {
    logic [63:0] base;
    logic [3:0]  log2;
    logic [15:0] head;
  } completion_ring_t;

  typedef struct packed {
    logic             enable;
    submission_ring_t submission;
    completion_ring_t completion;
  } ring_settings_t;

  // What the rings are doing.
  typedef struct packed {
    logic        idle;
    logic [7:0]  in_flight;
    logic [15:0] submission_head;
    logic        submission_overrun;  // an impossible tail
    logic [15:0] completion_tail;
    logic        completion_overrun;  // an impossible head
  } ring_state_t;

  // What has happened in this cycle, for interrupts, errors and counters.
  typedef struct packed {
    logic       written;           // a completion is in host memory, or lost
    logic       written_interrupt; // with it: its descriptor was marked
    logic [1:0] jobs;              // so many ended, those of streams as well
    logic [1:0] failed;            // of these, with another status than Ok
    logic       drained;           // nothing is left to do
    logic       descriptor_fault;
    logic       data_fault;
    logic       completion_fault;
    logic       bus_busy;
    logic [1:0] bus_beats;
  } ring_events_t;

endpackage
