//! Garner's vector kernels: straight-line programs over vector registers with two back ends.
