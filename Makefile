# make lab    set up and open the studio              make test   what every change must pass
# make slow   the long tests (fuzzing)                make lint   style, types, direction of imports
# make bench  speed, beside a peer in the same run    make wheel PYTHON=3.12   a wheel in dist/
# make generated   files written from the catalogue   make pictures   pictures of the documentation
# make web    build the studio's page                 make sdist  a source distribution in dist/
# make docs   the documentation as a site in build/site
# make lock   renew the list of versions              make lowest the tests with the lowest versions of everything
# make sanitize   the kernel's tests under ASan and UBSan
SHELL := /bin/bash
PYTHON ?= 3
VENV := .venv
BIN := $(VENV)/bin
# A bare version ("3.12") or any interpreter ("/opt/python/bin/python3").
INTERPRETER = $(shell tools/find-python $(PYTHON))
NATIVE := CMakeLists.txt $(wildcard native/*)
PAGE := src/puzzlebox/studio/static/index.html

# Tests start several hundred programs: without compiled files each of them would compile all its modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: lab test slow sanitize lint style types check-page test-page bench web docs browser sdist wheel lock lowest generated pictures clean
.DEFAULT_GOAL := test

lab: $(VENV)/built $(PAGE)
	@$(BIN)/puzzlebox

# What does not depend on each other runs two at a time. The tests often wait for programs they started, so one
# worker more than there are cores; the tests of a file stay together, because they share what they set up.
test:
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint browser test-page
	$(BIN)/pytest -q -m "not slow" -n $$(($$(nproc) + 1)) --dist loadscope

slow: $(VENV)/built $(PAGE)
	$(BIN)/pytest -q -m slow -s

sanitize: $(VENV)/built
	$(BIN)/python tools/sanitize

lint: types style check-page

types: $(VENV)/installed
	$(BIN)/mypy

style: $(VENV)/built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

check-page: $(PAGE)
	tools/npm run --silent check

test-page: $(PAGE)
	tools/npm test --silent

web: $(PAGE)

browser: $(VENV)/built
	@tools/get-browser

bench: $(VENV)/built
	$(BIN)/python -m benchmarks

# The site can be read from its folder or from any server; it fetches nothing from elsewhere.
docs: $(VENV)/built
	@$(BIN)/zensical build --strict
	@echo "open build/site/index.html"

# Files written from the source: the JSON Schema, pages of the documentation, the notices.
generated: $(VENV)/built $(PAGE)
	$(BIN)/python -m puzzlebox.arena.schema
	$(BIN)/python tools/reference.py
	$(BIN)/python -m puzzlebox.studio.layout
	$(BIN)/python tools/import_graph.py
	cp $(dir $(PAGE))notices.txt THIRD-PARTY-NOTICES.txt

pictures: $(VENV)/built
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/terminal_picture.py
	$(BIN)/python tools/gallery.py
	$(BIN)/python tools/bundled_sheet.py
	$(BIN)/python tools/testbed.py sheets
	$(BIN)/python tools/demands_picture.py
	$(BIN)/python tools/intuitions_sheets.py
	$(BIN)/python tools/sight_picture.py
	$(BIN)/python tools/infant_task_pictures.py
	$(BIN)/python tools/studio_pictures.py

# What is handed out; the built page is part of both, and neither depends on the folder or the hour.
sdist: $(VENV)/installed $(PAGE)
	@rm -f dist/puzzlebox-*.tar.gz
	$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")'

wheel: sdist
	$(INTERPRETER) -m pip wheel --quiet --no-deps --wheel-dir dist dist/puzzlebox-*.tar.gz

lock: $(VENV)/installed
	tools/lock

# ARGUMENTS are pytest's: make lowest ARGUMENTS="-n 2 tests/arena/envs/test_envs.py"
lowest: $(VENV)/installed $(PAGE)
	tools/lowest $(INTERPRETER) $(ARGUMENTS)

clean:
	rm -rf $(VENV) .venv-lowest .cache build dist web/node_modules $(dir $(PAGE))

$(VENV)/installed: requirements.lock constraints.txt tools/install
	@test -n "$(INTERPRETER)"
	tools/install $(INTERPRETER) $(VENV) requirements.lock
	@touch $@

# Only the kernel or the description of the project changed: compile again, install nothing else.
$(VENV)/built: $(VENV)/installed pyproject.toml $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The page is built by Node and served by Python; what is installed needs no Node.
$(PAGE): web/node_modules/.package-lock.json $(shell find web/src web/public -type f) web/index.html web/*.ts native/NOTICES.txt
	tools/npm run --silent build -- --logLevel warn

web/node_modules/.package-lock.json: web/package-lock.json $(VENV)/installed
	tools/npm ci --silent
	@touch $@
