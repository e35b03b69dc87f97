# make lab    set up and open the studio              make test   what every change must pass
# make slow   the long tests (fuzzing)                make lint   style, types, direction of imports
# make bench  speed, beside a peer in the same run    make wheel PYTHON=3.12   a wheel in dist/
# make generated   files written from the catalogue   make pictures   pictures of the documentation
# make web    build the studio's page                 make sanitize   the kernel's tests under ASan and UBSan
SHELL := /bin/bash
PYTHON ?= 3
VENV := .venv
BIN := $(VENV)/bin
# A bare version ("3.12") or any interpreter ("/opt/python/bin/python3").
INTERPRETER = $(shell tools/find-python $(PYTHON))
NATIVE := CMakeLists.txt $(wildcard native/*)
PAGE := src/puzzlebox/studio/static/index.html

.PHONY: lab test slow sanitize lint bench web browser wheel generated pictures clean
.DEFAULT_GOAL := test

lab: $(VENV)/built $(PAGE)
	@$(BIN)/puzzlebox

test: lint browser
	tools/npm test --silent
	$(BIN)/pytest -q -m "not slow" -n auto

slow: $(VENV)/built
	$(BIN)/pytest -q -m slow -s

sanitize: $(VENV)/built
	$(BIN)/python tools/sanitize

lint: $(VENV)/built $(PAGE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	tools/npm run --silent check

web: $(PAGE)

browser: $(VENV)/built
	@tools/get-browser

bench: $(VENV)/built
	$(BIN)/python -m benchmarks

# Files written from the catalogue and the models: the JSON Schema and the table of things.
generated: $(VENV)/built
	$(BIN)/python -m puzzlebox.schema
	$(BIN)/python -m puzzlebox.studio.layout

pictures: $(VENV)/built
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/terminal_picture.py
	$(BIN)/python tools/gallery.py
	$(BIN)/python tools/bundled_sheet.py
	$(BIN)/python tools/studio_pictures.py

wheel: $(PAGE)
	@test -n "$(INTERPRETER)"
	$(INTERPRETER) -m pip wheel --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist web/node_modules $(dir $(PAGE))

$(VENV)/installed: pyproject.toml constraints.txt
	@test -n "$(INTERPRETER)"
	$(INTERPRETER) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt cmake ninja nanobind scikit-build-core
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation -e ".[dev]"
	@touch $@ $(VENV)/built

# Only the kernel changed: compile it again, install nothing else.
$(VENV)/built: $(VENV)/installed $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The page is built by Node and served by Python; what is installed needs no Node.
$(PAGE): web/node_modules/.package-lock.json $(shell find web/src web/public -type f) web/index.html web/vite.config.ts
	tools/npm run --silent build -- --logLevel warn

web/node_modules/.package-lock.json: web/package-lock.json $(VENV)/installed
	tools/npm ci --silent
	@touch $@
