# SPDX-License-Identifier: Apache-2.0
# The commands of this project; `make` alone lists them.
.DEFAULT_GOAL := help
CARGO ?= cargo
PREFIX ?= /usr/local
OUT := $(or $(CARGO_TARGET_DIR),target)/release

.PHONY: help setup setup-all build speed test lint format openssl-matrix check-ct check-ct-mutations check-keys bench bench-gpu fuzz
.PHONY: install uninstall deb demo clean emulated

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what a build needs and is missing (Debian packages)
	@./setup.sh

setup-all: ## the same, and what tests and benchmarks need: valgrind, nginx, HAProxy, BIND's utilities and more
	@./setup.sh all

build: setup ## the library, the C library and the garner command, optimised
	$(CARGO) build --release

speed: build ## real keys, real signatures, one table beside OpenSSL
	$(OUT)/garner speed

test: setup-all hw-test board-test ## every test; the library's with the kernels and again without them
	$(CARGO) test --workspace
	$(GUEST_TEST) || [ $$? -eq 77 ]
	$(EMULATED_TEST) || [ $$? -eq 77 ]
	@echo "again without the kernels (GARNER_CPU=libcrypto)"
	GARNER_CPU=libcrypto $(CARGO) test --workspace $(WITHOUT_KERNELS)

# Not again: the kernels' own tests and traces, what runs under valgrind, which always does without kernels, and the Debian
# package, which is the same. The traces are skipped by name: without their package cargo would choose other features of
# what is shared, and build everything again.
WITHOUT_KERNELS = --exclude garner-kernels --exclude garner-gpu-kernels -- \
	--skip arithmetic::vectors --skip valgrind_finds_nothing_wrong --skip memcheck_to_find --skip package_holds \
	--skip leaks_on_purpose_are_seen --skip traces_alike_for_all_secrets

# The program with the tests of the library's inside. Of the whole workspace, as everything is built here: for one package
# alone cargo would choose other features, and build most of it again.
LIBRARY_TESTS = $$($(CARGO) test --workspace --lib --no-run --quiet --message-format json | \
	sed -n 's/.*crates\/garner\/src\/lib.rs.*"executable":"\([^"]*\)".*/\1/p')
EMULATED_TEST = crates/garner/emulated/test.sh target/guest "$${CARGO_TARGET_DIR:-target}/debug" "$(LIBRARY_TESTS)" \
	every_kernel_does every_kernel_for_avx_ifma

emulated: setup-all ## the kernels on emulated processors, with AVX-512 IFMA and with AVX-IFMA; fetches what board-guest does
	$(CARGO) build --workspace --bin garner
	$(EMULATED_TEST)

lint: setup-all hw-lint ## formatter and linters, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings
	@! git grep --files-without-match SPDX-License-Identifier -- $(SOURCES) || \
		{ echo "the files above have no SPDX-License-Identifier line" >&2; exit 1; }

# What must say under which licence it is.
SOURCES = '*.rs' '*.sv' '*.v' '*.vlt' '*.rdl' '*.py' '*.c' '*.h' '*.cpp' '*.sh' '*.sby' '*.pl' '*.mk' Makefile

format: ## format everything
	$(CARGO) fmt --all

openssl-matrix: setup-all ## the tests of the OpenSSL front ends against the system's OpenSSL and newer ones, built from source once
	crates/openssl-provider/matrix/run.sh

check-ct: setup-all ## constant-time evidence: form and traces of the kernels, memcheck over their twin and the code around them
	$(CARGO) run --release --package garner-constant-time

check-ct-mutations: setup-all ## whether check-ct finds leaks: plants some in a copy of the library, each of which must be found
	$(CARGO) run --release --package garner-constant-time --bin check-ct-mutations

fuzz: setup ## the parsers of keys, a minute each; wants a nightly compiler and `cargo install cargo-fuzz`
	fuzz/make_seeds.sh
	$(CARGO) +nightly fuzz run private_key -- -max_total_time=60
	$(CARGO) +nightly fuzz run public_key -- -max_total_time=60

check-keys: setup ## 10,000 generated RSA-2048 keys, each held by libcrypto against every criterion of FIPS 186-5
	$(CARGO) run --release --package garner --example keygen_proof

bench: setup-all build ## every benchmark of docs/performance.md, data and plots into bench/results
	./bench/run.sh
	./bench/openssl.sh

bench-gpu: setup ## everything on a GPU, checked and measured, into bench/results
	./bench/gpu.sh

demo: build ## one signing program in software and accelerated, over 1 to 256 callers, side by side and drawn
	@mkdir -p target
	$(CARGO) run --release --package garner-openssl-provider --example demo -- $(OUT)/libgarner_provider.so target/demo.svg

# Root has no compiler, and a build of root's would be in the way of the next.
install: ## after `make build`: command and C library below PREFIX, OpenSSL's modules where OpenSSL looks for them
	@[ -x $(OUT)/garner ] || { echo "make install: $(OUT)/garner is not there; first make build" >&2; exit 1; }
	install -D -s -m 755 $(OUT)/garner $(DESTDIR)$(PREFIX)/bin/garner
	crates/capi/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig
	@crates/openssl-common/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"

uninstall: ## remove what `make install` with the same PREFIX installed
	rm -f $(DESTDIR)$(PREFIX)/bin/garner
	crates/capi/install.sh --remove $(PREFIX) "$(DESTDIR)"
	@crates/openssl-common/install.sh --remove $(PREFIX) "$(DESTDIR)"

deb: setup-all build ## the same as a Debian package, in target/
	packaging/deb.sh $(OUT) target

clean: ## remove what was built
	$(CARGO) clean

include hw/hw.mk
