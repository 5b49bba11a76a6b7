PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# Named after the interpreter, so another PYTHON makes the environment anew.
STAMP := $(VENV)/installed-$(notdir $(PYTHON))

TRUSTED := from gradproof.report.limits import trusted_modules; print(*trusted_modules(), sep=",")

# Where no file may grow, what measures the command cannot write either.
LIMITED := test_without_the_right_to_mount_a_limit_on_each_file_is_full_too

# The tests start hundreds of processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help verify library names smoke test full sample coverage extras oracle lint proofs site mutants load \
  truth drawn programs trust audits bench scale times chromium clean

PIP := $(RUN) -m pip install --quiet --no-input --disable-pip-version-check
# Tests of one group have work in common, which one process does once.
PYTEST := $(RUN) -m pytest -n auto --dist loadgroup
BRIEF := -m "not slow" --hypothesis-profile brief
# What catches most: the tests that catch the bugs planted in the kernel, and the command once.
NAMED := from trust.kernel.bugs import BUGS; print(*sorted({t for b in BUGS for t in b.tests}))
COMMAND := $(addprefix tests/cli/test_cli.py::test_,everything_as_expected_is_0 refuted_is_1 \
  undecided_is_3_and_1_wins_over_3 it_is_also_a_module list_shows_the_records)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile

verify: $(STAMP) ## verify the operations in specs/
	@$(RUN) -m gradproof verify

# `pointwise` is what others are made of.
FAMILIES := $(filter-out %/__init__.py %/pointwise.py,$(wildcard specs/library/*.py))
# What is known to be open, tests/library/test_library.py tells from what is not: 3 is "undecided".
library: $(STAMP) ## settle and test the library of ops in specs/library/, and write docs/library.md
	@$(PYTEST) tests/library
	@mkdir -p build
	@$(RUN) -m gradproof check $(FAMILIES) --quiet --jobs 2 --json build/library.json || test $$? -eq 3
	@$(RUN) -m gradproof.report.library build/library.json docs/library.md

names: $(STAMP) ## write docs/source-names.md
	@$(RUN) -m gradproof.report.names docs/source-names.md

smoke: lint ## check style and types, and run the tests that catch most (a minute)
	@$(PYTEST) $(BRIEF) --quiet tests/project/test_imports.py $(COMMAND) \
	  $$($(RUN) -c '$(NAMED)')

test: $(STAMP) ## run the tests, but for the slow ones
	@$(PYTEST) $(BRIEF)

full: $(STAMP) ## run all tests, the slow ones too
	@$(PYTEST)

sample: $(STAMP) ## judge a fixed sample of mutants, random definitions and programs (two minutes)
	@$(RUN) -m trust sample

# From the first import on: the plugin imports modules before pytest could begin to measure.
coverage: $(STAMP) ## measure the branch coverage of the trusted modules (half an hour)
	@$(PIP) --editable '.[coverage]'
	@$(RUN) -m coverage erase
	@$(RUN) -m coverage run --source="$$($(RUN) -c '$(TRUSTED)')" -m pytest -n auto --dist loadgroup \
	  --deselect tests/evidence/test_load.py::$(LIMITED)
	@$(RUN) -m coverage combine --quiet
	@$(RUN) -m coverage report --show-missing --fail-under=100

oracle: $(STAMP) ## compare with PyTorch, installing it first
	@$(PIP) --editable '.[oracle]'
	@GRADPROOF_REQUIRE_TORCH=1 $(RUN) -m pytest tests/suite/test_oracles.py tests/evidence/test_bench.py

proofs: $(STAMP) ## write everything that is generated: proofs/ and TRUST.md
	@$(RUN) -m gradproof report
	@$(MAKE) --no-print-directory trust

site: chromium ## test the site in Chromium, installing it first
	@$(PIP) --editable '.[site]'
	@GRADPROOF_REQUIRE_BROWSER=1 $(RUN) -m pytest tests/report/test_site.py

# So that one session has all tests, as CI runs them.
extras: chromium ## install what the tests of the site and those against PyTorch and JAX need
	@$(PIP) --editable '.[site,oracle]'

chromium: $(STAMP)
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { \
	  echo "Installing chromium and chromium-driver ..."; \
	  apt-get update --quiet --quiet && \
	  DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends \
	    chromium chromium-driver >/dev/null; } || { \
	  echo "Install chromium and chromium-driver, as root on Debian: apt-get install" \
	    "chromium chromium-driver" >&2; exit 1; }

trust: $(STAMP) ## write TRUST.md: what is trusted, what checks it, what is not claimed
	@$(RUN) -c 'from trust.page import write; write()'

mutants: $(STAMP) ## change every definition in many ways, and see what catches it (hours)
	@$(RUN) -m trust mutants --record

load: $(STAMP) ## settle 500 definitions while workers die, solvers crash and the disk is full
	@$(RUN) -m trust load --record

truth: $(STAMP) ## draw 10,000 definitions, right and broken, and judge each verdict (an hour or two)
	@$(RUN) -m trust truth --record

drawn: $(STAMP) ## draw 1,000 definitions with kinks, wrong at a point or far out, and see that none is green
	@$(RUN) -m trust drawn --count 1000 --shrink

programs: $(STAMP) ## draw 1,000 programs of each adapter, right and wrong, and judge each verdict (hours)
	@$(PIP) --editable '.[oracle]'
	@$(RUN) -m trust programs --record

lint: $(STAMP) ## check style and types
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy --strict -p gradproof -p trust

audits: $(STAMP) ## audit gradients of PyPI's packages and of PyTorch, and write docs/audits.md (half an hour)
	@$(PIP) --editable '.[oracle]'
	@$(RUN) -m trust.audits

bench: $(STAMP) ## measure proofs beside gradcheck and SymPy (ten minutes), or OPS="conv figures" alone
	@$(RUN) -m pip install --quiet --no-input --disable-pip-version-check --editable '.[oracle]'
	@$(RUN) -m bench $(OPS)

scale: $(STAMP) ## settle 250 to 2,000 small definitions, and measure time and memory (5 minutes)
	@$(RUN) -m bench scale

times: $(STAMP) ## measure make smoke, make test and, in a fresh clone, .ci/run (a quarter of an hour)
	@$(RUN) -m bench tests

clean: ## delete the environment, caches and build output
	@rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	@find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# --clear first: whatever an interrupted install left behind goes, old stamp included.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "gradproof needs Python 3.11 or later, and $(PYTHON) is not that." >&2; \
	  echo "Install one and name it, for example: PYTHON=python3.12 make verify" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: its venv module is missing." >&2; \
	  echo "On Debian and Ubuntu, install the package python3-venv." >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) --editable '.[test]'
	@touch $@
