# SPDX-License-Identifier: Apache-2.0
# The Linux kernel driver; docs/linux.md.
.PHONY: linux-test linux-demo linux-checked linux-million linux-long-keys linux-bench
LINUX_TEST = linux/test/test.sh target/guest target/linux

linux-test: setup-all hw-setup ## the kernel driver, built for Debian's kernels and loaded by them in QEMU with the simulated board; fetches them
	$(CARGO) build --release --package garner-board
	$(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" $(OR_LEFT_OUT)

linux-demo: setup-all hw-setup ## the same in short, on one page: self-test, keyctl signs with RSA-2048 in hardware, openssl, an encrypted disk
	$(CARGO) build --release --package garner-board
	BITS=2048 $(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" 6.12:demo $(OR_LEFT_OUT)

linux-checked: setup-all hw-setup ## the same on a kernel that checks itself (extra tests, KASAN, lockdep, kmemleak), which it builds; checkpatch, sparse
	linux/test/kernel.sh target/linux
	linux/test/check.sh target/linux
	$(CARGO) build --release --package garner-board
	$(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" checked

linux-million: setup-all hw-setup ## a million requests of AES under resets, removals and lost interrupts: a quarter of an hour
	$(CARGO) build --release --package garner-board
	$(LINUX_TEST) $(OUT) "$(BOARD_MODEL)" 6.12:million:lost-interrupt=0.2

LONG_KEYS = $$($(PYTHON) -m garner_hw.device Cores=1 MaxBits=1024 AesKeyBits=256 AesMessages=2 AesStages=2 AesKeySlots=8)

linux-long-keys: setup-all hw-setup ## AES on a board whose engines were built for keys of 256 bits
	$(CARGO) build --release --package garner-board
	AES_BITS=256 $(LINUX_TEST) $(OUT) "$(LONG_KEYS)" 6.12:aes

# The engines at their largest, and little beside them to simulate
LARGE_ENGINES = $$($(PYTHON) -m garner_hw.device Cores=1 MaxBits=1024 AesMessages=4 AesStages=10 AesKeySlots=8)

linux-bench: setup-all hw-setup ## AES-128-CBC over buffer sizes: AF_ALG with the driver, user space, libcrypto; curves in bench/results
	$(CARGO) build --release --package garner-board --package garner-device-board --example aes_costs --bin garner-board
	$(LINUX_TEST) $(OUT) "$(LARGE_ENGINES)" 6.12:bench
	$(PYTHON) bench/aes.py --guest target/linux/6.12-bench.log --board $(OUT)/garner-board --model "$(LARGE_ENGINES)" \
		--costs $(OUT)/examples/aes_costs
