# The hardware's commands. Everything runs from .venv, which hw-setup makes from hw/requirements.txt.
VENV := .venv
PYTHON := $(VENV)/bin/python

.PHONY: hw-setup hw-test hw-lint hw-formal

$(VENV)/installed: hw/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --ignore-requires-python --only-binary :all: --requirement $<
	touch $@

hw-setup: setup $(VENV)/installed ## the hardware tools: simulator, synthesis, place and route, proofs

hw-test: hw-setup ## the RTL against big integers, in simulation, and the short proofs
	$(PYTHON) -m pytest --quiet hw

hw-lint: hw-setup ## Verilator and slang over every module, warnings are errors
	$(PYTHON) hw/lint.py
