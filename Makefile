# "make" alone lists what there is. Every target that needs the environment in .venv
# makes it first, and again when requirements.txt or pyproject.toml has changed.
# Written for GNU make 3.81 and newer, which is what macOS has.

VENV := .venv
STAMP := $(VENV)/installed
ifeq ($(OS),Windows_NT)
  BIN := $(VENV)/Scripts
else
  BIN := $(VENV)/bin
endif
RUN := $(BIN)/python

# Which Python makes the environment: PYTHON, else the first of these that is 3.11 or
# newer. A name on the path may be a stub that runs nothing, so each is tried.
PYTHON ?=
PYTHONS := python3.13 python3.12 python3.11 python3 python
TORCH_INDEX ?=
ARGS ?=

# The theme would print a notice about another version of MkDocs at every start.
export NO_MKDOCS_2_WARNING ?= 1

.DEFAULT_GOAL := help
.PHONY: help site serve test check check-style check-pages format clean

help:
	@echo 'make site    run the chapters and build the site into site/'
	@echo 'make serve   preview that follows every save'
	@echo 'make test    the tests'
	@echo 'make check   all that must hold: format, lint, types, workflows, tests, pages'
	@echo 'make format  put the code in its format, and mend what lint can mend'
	@echo 'make clean   remove what the others made, but for .venv'
	@echo ''
	@echo 'PYTHON=python3.12  the Python to make .venv with'
	@echo 'TORCH_INDEX=URL    where PyTorch comes from; on Linux without a GPU:'
	@echo '                   https://download.pytorch.org/whl/cpu'
	@echo 'ARGS="..."         more arguments for mkdocs serve, pytest or scripts/build.py'

$(STAMP): requirements.txt pyproject.toml scripts/make_env.py
	@new='import sys; sys.exit(sys.version_info < (3, 11))'; \
	set -- '$(PYTHON)'; \
	if [ -n "$$1" ] && ! "$$1" -c "$$new" 2>/dev/null; then \
	  echo "make: PYTHON=$$1 is not a Python 3.11 or newer; name one that is." >&2; \
	  exit 1; \
	fi; \
	for name in $(PYTHONS); do \
	  if [ -z "$$1" ] && $$name -c "$$new" 2>/dev/null; then set -- $$name; fi; \
	done; \
	if [ -z "$$1" ]; then \
	  echo 'make: Python 3.11 or newer is needed and none is on the path;' \
	    'install one, or name it: make PYTHON=/path/to/python3.' >&2; \
	  exit 1; \
	fi; \
	"$$1" scripts/make_env.py --venv '$(VENV)' --torch-index '$(TORCH_INDEX)'

site: $(STAMP)
	@$(RUN) scripts/build.py $(ARGS)

serve: $(STAMP)
	@$(RUN) -m mkdocs serve $(ARGS)

# On machines with many cores more workers than eight only cost memory.
test: $(STAMP)
	@echo '== tests'
	@$(RUN) -m pytest -n auto --maxprocesses 8 $(ARGS)

check: check-style test check-pages

check-style: $(STAMP)
	@echo '== format'
	@$(RUN) -m ruff format --check .
	@echo '== lint'
	@$(RUN) -m ruff check .
	@echo '== types'
	@$(RUN) -m mypy
	@echo '== workflows'
	@$(RUN) -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/gate.yml
	@$(BIN)/zizmor --offline --quiet --pedantic .github/workflows

check-pages: $(STAMP)
	@echo '== chapters'
	@$(RUN) -m literate check
	@echo '== site'
	@$(RUN) scripts/build.py

format: $(STAMP)
	@$(RUN) -m ruff check --fix-only .
	@$(RUN) -m ruff format .

clean:
	rm -rf site .site-* build dist .cache src/*.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find docs scripts src tests -name __pycache__ -type d -prune -exec rm -rf {} +
