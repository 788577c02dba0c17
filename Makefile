# Two commands: `make demo` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help demo learn ladder pictures test quick doctest architecture test-interop dev lint clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or later is needed: make PYTHON=python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

# one stamp for each set of extras, so that `make demo` installs no more than it needs
$(VENV)/base: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@
$(VENV)/train: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]'
	@touch $@
$(VENV)/test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,train]'
	@touch $@ $(VENV)/train
$(VENV)/dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,all]'
	@touch $@ $(VENV)/train $(VENV)/test

# results are not overwritten: what an earlier demo left keeps its files under another name
demo: $(VENV)/train  ## three minutes of self-play: a trained agent, its results and a game that it won, in runs/demo
	@if [ -e runs/demo ]; then n=1; while [ -e runs/demo-$$n ]; do n=$$((n + 1)); done; mv runs/demo runs/demo-$$n; echo "what was in runs/demo is now in runs/demo-$$n"; fi
	$(BIN)/python examples/12_selfplay_ppo_torch.py --game sphlag --steps 400000 --seed 2 --out runs/demo

# the agents of docs/learning.md; what is there already is not trained again
PPO := $(BIN)/python examples/12_selfplay_ppo_torch.py --seed 2
ALPHAZERO := $(BIN)/python examples/20_alphazero_torch.py --seed 1
learn: runs/learn/sphlag/results.md runs/learn/gliss/results.md runs/learn/gyges/results.md  ## an agent for each game in runs/learn: an hour
runs/learn/sphlag/results.md: | $(VENV)/train
	$(PPO) --game sphlag --steps 400000 --out $(@D)
runs/learn/gliss/results.md: | $(VENV)/train
	$(PPO) --game gliss --steps 1500000 --entropy 0.02 --out $(@D)
runs/learn/gyges/results.md: | $(VENV)/train
	$(ALPHAZERO) --game gyges --steps 1000000 --layers 4 --width 256 --out $(@D)

AGENTS := random,greedy,alphabeta:1,alphabeta:2,alphabeta:3,mcts:50,mcts:200,mcts:1000,mcts:5000
ladder: learn $(VENV)/test  ## the tables of docs/ladder-*.md: hours; goes on where it was stopped
	for game in sphlag gliss gyges; do model=runs/learn/$$game/model.zip; $(BIN)/ludarium tournament $$game --agents $(AGENTS),sb3:$$model,alphazero:64:$$model --games 20 --times --record runs/ladder-$$game.jsonl --out docs/ladder-$$game.md --force || exit; done

pictures: $(VENV)/base  ## the pictures of the README, docs/*.png
	$(BIN)/python docs/pictures.py

test: $(VENV)/test  ## all tests, as CI runs them
	$(BIN)/python -m pytest -n 2
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 tests/test_lockstep.py tests/test_evidence.py
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 tests/test_lockstep.py

quick: $(VENV)/test  ## the rule books and the contract in a minute, once the rules are compiled
	$(BIN)/python -m pytest -n 2 -m quick

# templates of kernels and adapters of libraries that are not installed cannot be imported
doctest: $(VENV)/test  ## the examples in docstrings
	$(BIN)/python -m pytest --doctest-modules --doctest-ignore-import-errors --ignore-glob='*kernels.py' envs/ludarium

architecture: | $(BIN)/python  ## the folders of the package, their floors, every import between them
	$(BIN)/python tests/architecture.py

test-interop: | $(BIN)/python  ## other libraries, each in an environment that it agrees with
	$(BIN)/python tests/interop/run.py

dev: $(VENV)/dev  ## everything that developing needs

lint: $(VENV)/dev  ## style and types, of the package and the examples
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy examples/*.py

clean:  ## remove the virtual environments and what tests leave
	rm -rf $(VENV) .venv-interop .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
