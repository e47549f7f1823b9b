//! One RSA private operation, in batches: blind, split by the CRT, exponentiate on a device, recombine, check.
