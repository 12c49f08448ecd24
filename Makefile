# Everything works from a fresh clone with Python 3.11 or later, pip and make. Another interpreter: make PYTHON=python3.12 test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
GOAL := $(MAKECMDGOALS)
PIP := -m pip install --quiet --disable-pip-version-check --no-compile # most of what is installed is never imported

# What Python compiles is kept, whatever is set elsewhere: a thousand processes of the tests would compile it again.
export PYTHONDONTWRITEBYTECODE :=

# Nothing here computes by BLAS, whose threads spin at the start of each process.
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test every-test check quick-tests lint browser bench prove dataset clean

help:
	@echo 'make setup   the command and what it needs, in .venv: no games, no tests'
	@echo 'make run     the course'\''s tournament for every heuristic, with its ranking and report'
	@echo 'make test    format, lint, types, import directions, the pages of docs and every test'
	@echo 'make check   the same with the quick tests only: the inner loop'
	@echo 'make docs    the documentation as a site, in build/docs/site; a broken link fails'
	@echo 'make bench   the benchmarks, with their figures'
	@echo 'make prove   the long evidence, into docs/evidence: hours'
	@echo 'make dataset the data set of exact values, in docs/dataset: a minute'
	@echo 'make clean   remove the environment and everything that was built'

setup: $(READY)
	@echo "$(BIN)/isolarium --help says what there is"

run: $(READY)
	@$(BIN)/isolarium study course

test:
	@$(MAKE) --no-print-directory -j 2 $(READY) browser GOAL=$@
	@$(MAKE) --no-print-directory -j 2 lint every-test

every-test:
	env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS $(BIN)/pytest -q -p tests.collection_turns -n 3 --dist worksteal # much of the time they wait for processes and a browser

check: $(READY)
	@$(MAKE) --no-print-directory -j 2 lint quick-tests

quick-tests:
	@env -u MAKELEVEL -u MAKEFLAGS -u MFLAGS HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -p tests.collection_turns -n 2 -m 'not slow'

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.fill_docs --check
	$(BIN)/python -m tools.check_prose

browser: # for the tests of the pages
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v google-chrome >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo 'Installing Chromium, for the tests of the pages...'; \
	    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium-headless-shell >/dev/null; \
	  else \
	    echo 'make: the pages are tested in Chromium; install it: sudo apt-get install chromium-headless-shell' >&2; exit 1; \
	  fi; }

.PHONY: docs
docs: $(VENV)/docs-ready
	@$(BIN)/python -m tools.build_site

bench: $(READY)
	@for file in tools/benchmarks/[a-z]*.py; do $(BIN)/python -m "tools.benchmarks.$$(basename "$$file" .py)" || exit 1; done

prove: $(READY) # plies, certificates, start_9x9, oracle, stealer, champion and levels go on from what is in docs/evidence; without their files they begin anew
	ISOLARIUM_TEST_CASES=all $(BIN)/pytest -q -p tests.collection_turns -n 3 --dist worksteal
	$(BIN)/python -m tools.proofs.kill_runs 50 > docs/evidence/kill_runs.txt
	$(BIN)/python -m tools.proofs.kill_tuning 30 > docs/evidence/kill_tuning.txt
	$(BIN)/python -m tools.proofs.tuning_truth > docs/evidence/tuning_truth.txt
	$(BIN)/python -m tests.stats.simulations > docs/evidence/statistics.txt
	$(BIN)/python -m tools.proofs.attack_server > docs/evidence/attack_server.txt
	$(BIN)/python -m tools.proofs.lying_workers > docs/evidence/lying_workers.txt
	$(BIN)/python -m tools.proofs.sandbox_attacks
	$(BIN)/python -m tools.proofs.damage_records > docs/evidence/damage_records.txt
	$(BIN)/python -m tools.proofs.fuzz_specs > docs/evidence/fuzz_specs.txt
	$(BIN)/python -m tools.proofs.conformance > docs/evidence/conformance.txt
	mkdir -p build && $(BIN)/isolarium book puzzles --out build/puzzles.txt && $(BIN)/python -m tools.proofs.puzzles build/puzzles.txt > docs/evidence/puzzles.txt
	$(BIN)/python -m tools.proofs.kernel_games > docs/evidence/kernel_games.txt
	$(BIN)/python -m tools.proofs.wasm_equality > docs/evidence/wasm_equality.txt
	$(BIN)/python -m tools.proofs.joust_rules > docs/evidence/joust_rules.txt
	$(BIN)/python -m tools.proofs.course_clock > docs/evidence/course_clock.txt
	$(BIN)/python -m tools.proofs.lying_agents > docs/evidence/lying_agents.txt
	$(BIN)/python -m tools.proofs.honest_agents > docs/evidence/honest_agents.txt
	$(BIN)/python -m tools.proofs.graded_class > docs/evidence/graded_class.txt
	$(BIN)/python -m tools.proofs.long_match 10000 > docs/evidence/long_match.txt
	$(BIN)/python -m tools.proofs.first_moves > docs/evidence/first_moves.txt
	$(BIN)/python -m tools.proofs.broken_law
	$(BIN)/python -m tools.proofs.strips
	$(BIN)/python -m tools.proofs.plies
	$(BIN)/python -m tools.proofs.certificates 7x7 20
	$(BIN)/python -m tools.proofs.certificates 8x8 20
	$(BIN)/python -m tools.proofs.proof_size > docs/evidence/proof_size.txt
	$(BIN)/python -m tools.proofs.start_9x9 > docs/evidence/start-9x9.txt
	$(BIN)/python -m tools.proofs.fairy_stockfish $(FAIRY_STOCKFISH)
	$(BIN)/python -m tools.proofs.oracle
	$(BIN)/python -m tools.proofs.stealer
	$(BIN)/python -m tools.proofs.champion
	$(BIN)/python -m tools.proofs.levels

dataset: $(READY)
	$(BIN)/python -m tools.dataset
	$(BIN)/python -m tools.fill_docs

clean:
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'make: $(PYTHON) is not Python 3.11 or later; name one that is: make PYTHON=python3.12 $(GOAL)' >&2; exit 1; }
	@echo 'Setting up $(VENV) (once; about a minute)...'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) -c constraints.txt --upgrade pip hatchling # the pip of Python 3.11 takes twice as long for what follows
	@$(BIN)/python $(PIP) -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

$(VENV)/docs-ready: $(READY)
	@$(BIN)/python $(PIP) -c constraints.txt --no-build-isolation -e '.[docs]'
	@touch $@
