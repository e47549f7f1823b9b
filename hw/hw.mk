# SPDX-License-Identifier: Apache-2.0
# The hardware's commands. Everything runs from .venv, which hw-setup makes from hw/requirements.txt; the flow is
# the package hw/garner_hw, its command garner-hw.
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: setup-hw hw-setup test-hw hw-lint hw-formal hw-regs hw-dist hw-shell-area hw-report hw-report-all hw-wave
.PHONY: soak hw-soak-more hw-soak-mutations hw-soak-mont hw-soak-rsa hw-soak-dma hw-soak-device hw-soak-erasure

$(VENV)/installed: hw/requirements.txt hw/constraints.txt hw/pyproject.toml
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --ignore-requires-python --only-binary :all: --requirement $< --constraint hw/constraints.txt
	$(VENV)/bin/pip install --quiet --no-deps --editable hw
	touch $@

setup-hw:
	@./setup.sh hw

hw-setup: setup-hw $(VENV)/installed ## the hardware tools: simulator, synthesis, place and route, proofs

test-hw: hw-setup ## the RTL against big integers, in simulation, and the proofs
	$(PYTHON) -m pytest --quiet --numprocesses 2 --dist loadfile --no-loadscope-reorder --durations 25 --durations-min 5 hw

.PHONY: profile
profile: setup-all hw-setup ## where mbedTLS's RSA and Garner's spend their time, and what a faster part would gain: a page with plots
	$(CARGO) build --release --bin garner
	$(VENV)/bin/garner-hw profile --garner $(OUT)/garner $(MORE)

.PHONY: explore
explore: hw-setup ## which row accelerator to build: a small sweep, simulated, synthesised and placed, and a page with plots
	$(VENV)/bin/garner-hw explore --space small --again $(MORE)

.PHONY: reproduce
reproduce: setup-all hw-setup build ## what of docs/reproduction.md takes under an hour, measured again, and printed beside what is committed
	rm -rf $(REPRODUCED)
	$(VENV)/bin/garner-hw profile --garner $(OUT)/garner --out $(REPRODUCED)
	$(VENV)/bin/garner-hw explore --space small --again --out $(REPRODUCED)
	RESULTS=$(REPRODUCED) PEER=no bench/run.sh batches
	$(VENV)/bin/garner-hw reproduction --measured $(REPRODUCED)
	$(VENV)/bin/garner-hw reproduction --check
REPRODUCED := hw/build/reproduced

hw-regs: hw-setup ## what is generated from hw/interface: registers, packages, C headers, Rust, tables of docs/integration.md
	$(VENV)/bin/garner-hw interface

hw-dist: hw-setup ## hw/dist: lists of sources for projects without Python
	$(VENV)/bin/garner-hw dist

hw-formal: hw-setup ## the proofs alone, those that take seconds
	$(PYTHON) -m pytest --quiet hw/formal

hw-shell-area: hw-setup ## what the bus shell costs on an ECP5, without any core
	$(VENV)/bin/garner-hw shell-area

hw-lint: hw-setup ## Verilator and slang over every module of hardware, warnings are errors; paths through garner_top and garner_board; mypy over the flow
	$(VENV)/bin/garner-hw interface --check
	$(VENV)/bin/garner-hw dist --check
	cd hw && ../$(VENV)/bin/mypy
	$(VENV)/bin/garner-hw lint

# Long runs. Each part is a target of its own, ends after SOAK_LIMIT at the latest, and takes HW_SOAK for more or less.
SOAK_LIMIT ?= 90m
SOAK = timeout --kill-after 10s $(SOAK_LIMIT) $(PYTHON) -m pytest -m ""

soak: hw-soak-more hw-soak-mutations hw-soak-mont hw-soak-rsa hw-soak-dma hw-soak-device hw-soak-erasure ## all of the seven below; MORE='-k 4096' chooses among one's runs

hw-soak-more: hw-setup ## the tests of test-hw that take long and rarely fail: more shapes, more parameters, the netlist of a core
	timeout --kill-after 10s $(SOAK_LIMIT) $(PYTHON) -m pytest -m soak --numprocesses 2 --dist loadfile hw $(MORE)

hw-soak-mutations: hw-setup ## seeded bugs, each of which a proof or a test must find
	timeout --kill-after 10s $(SOAK_LIMIT) $(PYTHON) -m pytest -m mutation --numprocesses 2 --dist loadfile hw $(MORE)

hw-soak-mont: hw-setup ## tens of thousands of random multiplications, for every shape of the array
	HW_SOAK=$${HW_SOAK:-20} $(SOAK) hw/tb/mont/test_mont.py $(MORE)

hw-soak-rsa: hw-setup ## RSA-2048, 3072 and 4096, and exponentiations of 1024 to 4096 bits by as many
	$(SOAK) hw/tb/rsa/soak_rsa.py $(MORE)

hw-soak-dma: hw-setup ## 70,000 jobs a run through the rings, pauses at random on the bus, two bus widths
	$(SOAK) hw/tb/top/soak_dma.py $(MORE)

hw-soak-device: hw-setup ## a thousand RSA private operations end to end: rings, three cores, pauses at random
	HW_SOAK=$${HW_SOAK:-1000} $(SOAK) hw/tb/top/test_device.py $(MORE)

hw-soak-erasure: hw-setup ## reset and CONTROL.zeroise at 200 random moments each: no signal may depend on a key afterwards
	HW_SOAK=$${HW_SOAK:-200} $(SOAK) hw/tb/top/test_erasure.py $(MORE)

hw-report: hw-setup ## docs/hardware.md, report.json and the plot from the runs kept in hw/report/runs
	$(VENV)/bin/garner-hw report

hw-report-all: hw-setup ## measures what is missing or stale (hours), not AES (docs/hardware.md), then hw-report; fetches nextpnr-ecp5
	$(VENV)/bin/garner-hw measure cores
	$(VENV)/bin/garner-hw measure full --only shell
	$(VENV)/bin/garner-hw measure full
	$(VENV)/bin/garner-hw report

hw-wave: hw-setup ## one multiplication, word by word, as a picture: hw/report/wave.svg
	$(VENV)/bin/garner-hw wave

# The simulated board: MODEL_PARAMETERS are those of garner_board. Of AES as little as there may be, which simulates sooner.
.PHONY: board test-board board-demo board-guest
MODEL_PARAMETERS ?= Cores=2 MaxBits=2048 AesMessages=2 AesStages=1 AesKeySlots=8
# A smaller one, of RSA alone, that can write waveforms.
WAVE_PARAMETERS := Cores=1 MaxBits=512 Rows=4
BOARD_MODEL = $$($(PYTHON) -m garner_hw.device $(MODEL_PARAMETERS))
WAVE_MODEL = $$($(PYTHON) -m garner_hw.device --rsa --waves $(WAVE_PARAMETERS))

board: setup-all hw-setup ## the simulated board: garner-board and a model of garner_board for it; prints the line that starts it
	$(CARGO) build --release --package garner-board
	@echo "$(OUT)/garner-board --model $(BOARD_MODEL) --socket /tmp/board0"

test-board: setup-all hw-setup ## the board device over the simulated board: right results, faults, load, communication
	GARNER_MODEL="$(BOARD_MODEL)" GARNER_WAVE_MODEL="$(WAVE_MODEL)" \
		$(CARGO) test --workspace --test board --test faults --test communication --test function --test aes --test aes_direct --test c_board -- --include-ignored --nocapture

board-demo: hw-setup build ## TLS handshakes signed by the simulated board, verified by OpenSSL alone
	$(CARGO) run --release --package garner-board --example handshakes -- \
		$(OUT)/libgarner_provider.so $(OUT)/garner-board "$(BOARD_MODEL)"

GUEST_TEST = hw/board/guest/test.sh target/guest $${CARGO_TARGET_DIR:-target}/debug "$(BOARD_MODEL)"

board-guest: setup-all hw-setup ## the board behind VFIO: garner in a QEMU guest with an IOMMU; fetches QEMU 11, Bochs 3 and a kernel
	$(CARGO) build --workspace --bin garner --bin garner-board
	$(GUEST_TEST)

# The system on chip; docs/soc.md.
.PHONY: soc soc-test soc-report soc-bitstream
soc: hw-setup ## the RISC-V system with its accelerators: builds and boots it in simulation, and gives a console
	$(VENV)/bin/garner-hw soc console

soc-test: hw-setup ## the same system's tests: levels, schemes, faults
	$(PYTHON) -m pytest --quiet hw/tb/soc

soc-report: hw-setup ## hw/soc/report/report.json and the table of docs/soc.md; measures what is not kept (an hour for all)
	$(VENV)/bin/garner-hw soc report

soc-bitstream: hw-setup ## the system for a ULX3S board, placed, routed and packed: hw/build/soc-ulx3s (minutes); fetches nextpnr, ecppack
	$(VENV)/bin/garner-hw soc bitstream $(MORE)
