# SPDX-License-Identifier: Apache-2.0
# The Linux kernel driver; docs/linux.md.
.PHONY: linux-test linux-demo
LINUX_TEST = linux/test/test.sh target/guest target/linux

linux-test: hw-setup ## the kernel driver, built for Debian's kernels and loaded by them in QEMU with the simulated board; fetches them
	$(CARGO) build --release --package garner-board
	$(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" || [ $$? -eq 77 ]

linux-demo: hw-setup ## the same in short, on one page: self-test, keyctl signs with RSA-2048 in hardware, counters
	$(CARGO) build --release --package garner-board
	BITS=2048 $(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" 6.12:demo || [ $$? -eq 77 ]
