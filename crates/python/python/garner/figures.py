# SPDX-License-Identifier: Apache-2.0
"""What this process's gatherer has done, and what this machine has to do it with."""

from typing import NamedTuple

from . import _native


class Statistics(NamedTuple):
    """The figures of this process's gatherer. Counters begin with its first operation; a child of fork has its own."""

    private_operations: int
    """Signatures and decryptions answered."""
    public_operations: int
    """Verifications and encryptions answered."""
    batches: int
    """Batches of private operations."""
    public_batches: int
    """Batches of public operations."""
    lanes_used: int
    """Exponentiations in the batches of private operations: two for an operation."""
    lanes_offered: int
    """Room in those batches."""
    slots: int
    """Batches that run at the same time."""
    queue: int
    """Operations that wait now."""
    queue_high_water: int
    """Most operations that ever waited."""
    faults: int
    """Results that failed the check; none was released."""
    retries: int
    """Operations run again on another path."""
    device_failures: int
    """Batches that failed as a whole."""
    out_of_service: int
    """Devices taken out of service."""
    mean_fill: float
    """Private operations in a batch."""
    load: float
    """0 idle, 1 as many batches as slots all the time."""
    device_seconds: float
    """Time in batches of all kinds, added up."""
    running_seconds: float
    """Time since the first operation."""


class Device(NamedTuple):
    """What runs batches."""

    name: str
    """`cpu`, `libcrypto`, `cuda:0`, ..."""
    min_bits: int
    """Shortest modulus of one exponentiation: a private operation is two, of half its key's length each."""
    max_bits: int
    """Longest modulus of one exponentiation."""
    preferred_batch: int
    """Exponentiations wanted in one call."""


def stats() -> Statistics:
    """The figures of this process, as of now."""
    return Statistics(**_native.statistics())


def devices() -> list[Device]:
    """The devices of this machine, the preferred one first; libcrypto is the last resort."""
    return [Device(*device) for device in _native.devices()]
