# The commands of this project; `make` alone lists them.
.DEFAULT_GOAL := help
CARGO ?= cargo
PREFIX ?= /usr/local
OUT := target/release

.PHONY: help setup build speed test lint format check-ct bench fuzz install clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages)
	@./setup.sh

build: setup ## the library, the C library and the garner command, optimised
	$(CARGO) build --release

speed: build ## real keys, real signatures, one table beside OpenSSL
	$(OUT)/garner speed

test: setup ## every test
	$(CARGO) test --workspace
	$(CARGO) test --release --package garner --test optimised

lint: setup ## formatter and linter, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings

format: ## format everything
	$(CARGO) fmt --all

check-ct: build ## constant-time evidence: memcheck over the scalar twins, program-counter traces of the kernels
	./ct/check.sh

bench: build ## every benchmark of docs/performance.md, data and plots into bench/results
	./bench/run.sh

install: build ## the command, the C library and its header below PREFIX
	install -D -m 755 $(OUT)/garner $(DESTDIR)$(PREFIX)/bin/garner
	install -D -m 755 $(OUT)/libgarner.so $(DESTDIR)$(PREFIX)/lib/libgarner.so
	install -D -m 644 crates/capi/include/garner.h $(DESTDIR)$(PREFIX)/include/garner.h

clean: ## remove what was built
	$(CARGO) clean
