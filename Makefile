# `make demo` and `make test` need Python 3.11+ with venv, git, and a package index that pip can reach; nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core hooks config -name __pycache__ -prune -o -type f -print)
PACKAGES := -p litecode.core -p litecode.hooks -p litecode.config

.PHONY: demo test lint types model models bench clean

# Commits five files through the installed hook with the real model, and checks the result.
demo: model
	$(BIN)/python tests/bench/demo.py

# Everything that has to be green: style, types of the installed wheel, all tests with the real model, coverage of core.
test: lint types models
	LITECODE_REQUIRE_MODEL=1 $(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage report

lint: $(VENV)/dependencies
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/installed
	$(BIN)/mypy --strict $(PACKAGES)

# Downloads into the user's cache once and checks the hash; says so in one line when the file is there.
model: $(VENV)/installed
	$(BIN)/git-litecode model pull

# The small one besides: some tests need a real engine, but not good answers.
models: model
	$(BIN)/git-litecode model pull qwen2.5-coder-0.5b

bench: $(VENV)/installed
	$(BIN)/python tests/bench/hook_bench.py

clean:
	rm -rf $(VENV) build .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)

# The dependencies come with a first installation of the project; sources that change later only replace the wheel.
$(VENV)/dependencies: pyproject.toml | $(BIN)/python
	rm -rf build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[embedded,dev]'
	touch $@

$(VENV)/installed: $(VENV)/dependencies $(SOURCES)
	rm -rf build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .
	rm -rf build
	touch $@
