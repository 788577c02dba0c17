"""The adapter for alpha-zero-general: values after the end, and the rule of signs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludarium

ROOT = Path(__file__).parent.parent


def adapter() -> Any:
    """Return the class of the example."""
    path = ROOT / "examples" / "33_alpha_zero_general.py"
    spec = importlib.util.spec_from_file_location("example_33", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.AlphaZeroGame


def search(game: Any, board: Any, depth: int) -> float:
    """Return the value of a canonical board for its player 1, by the rule of the recipe.

    Exhaustive to a depth in actions; unfinished games are worth 0.
    """
    ended = game.getGameEnded(board, 1)
    if ended or not depth:
        return ended
    return max(
        value_of(game, board, int(a), depth) for a in game.getValidMoves(board, 1).nonzero()[0]
    )


def value_of(game: Any, board: Any, action: int, depth: int, alternate: bool = False) -> float:
    """Return the value of an action; `alternate`: the sign turns at each action, which is wrong."""
    after, player = game.getNextState(board, 1, action)
    value = search(game, game.getCanonicalForm(after, player), depth - 1)
    return value if player == 1 and not alternate else -value


def exact(state: Any, player: int, depth: int) -> float:
    """Return the value for a player, by the results of both players alone."""
    if state.is_terminal():
        return state.returns()[player] or 1e-4
    if not depth:
        return 0.0
    values = [exact(state.child(action), player, depth - 1) for action in state.legal_actions()]
    return max(values) if state.current_player() == player else min(values)


def near_the_end(name: str, number: int) -> list[Any]:
    """Return positions in which an action, or two of the same player, win at once."""
    lines = (ROOT / "tests" / name / "wins.jsonl").read_text().splitlines()
    wins = [line for line in map(json.loads, lines) if line["kind"] == "win1"]
    game = ludarium.load_game(name)
    return [game.state_from_string(line["pos"]) for line in wins[:number]]


def test_the_rule_of_signs(name: str) -> None:
    """A turn of two actions that wins is worth +1 to the player who moves.

    With a sign that turns at each action the search would call it a loss.
    """
    game = adapter()(name)
    for state in near_the_end(name, 4):
        player = state.current_player()
        board = (state, player)
        winning = [a for a in state.legal_actions() if exact(state.child(a), player, 1) == 1]
        one = [a for a in winning if state.child(a).is_terminal()]
        depth = 1 if one else 2
        assert search(game, board, depth) == exact(state, player, depth) == 1
        for action in winning:
            same = state.child(action).current_player() == player
            assert value_of(game, board, action, 2) == 1
            assert value_of(game, board, action, 2, alternate=True) == (-1 if same else 1)


def test_values_after_the_end_are_of_the_player_asked(name: str, rng: np.random.Generator) -> None:
    """Played as the program's arena plays: the winner's value is +1, the loser's -1."""
    for max_turns in (200, 2):
        game = adapter()(name, max_turns=max_turns)
        board, player = game.getInitBoard(), 1
        while game.getGameEnded(board, player) == 0:
            canonical = game.getCanonicalForm(board, player)
            assert canonical[1] == canonical[0].current_player()
            assert game.getGameEnded(canonical, 1) == 0
            mask = game.getValidMoves(canonical, 1)
            assert mask.tolist() == board[0].legal_actions_mask().tolist()
            key = game.stringRepresentation(canonical)
            board, player = game.getNextState(board, player, int(rng.choice(np.flatnonzero(mask))))
            assert game.stringRepresentation(game.getCanonicalForm(board, player)) != key
        first, second = board[0].returns()
        for viewer, value in ((1, first), (-1, second)):
            assert game.getGameEnded(board, viewer) == (value or 1e-4)
            assert game.getGameEnded(game.getCanonicalForm(board, viewer), 1) == (value or 1e-4)


def test_symmetries_and_sizes(name: str) -> None:
    game = adapter()(name)
    board = game.getInitBoard()
    pi = game.getValidMoves(board, 1).astype(float)
    turned = game.getSymmetries(board, pi)
    assert len(turned) == len(game.game.symmetries())
    assert (turned[0][0] == board[0].observation_tensor()).all() and (turned[0][1] == pi).all()
    assert all(planes.shape == game.getBoardSize() for planes, _ in turned)
    assert len(pi) == game.getActionSize()


def test_the_adapter_is_short_and_in_the_recipe() -> None:
    text = (ROOT / "examples" / "33_alpha_zero_general.py").read_text()
    lines = text.partition("class AlphaZeroGame")[2].partition("\n\n\n")[0].splitlines()
    assert len([line for line in lines if line.strip() and '"""' not in line]) <= 24
    page = (ROOT / "docs" / "alpha-zero-general.md").read_text()
    for word in ("33_alpha_zero_general.py", "returns()[player]", "next_player == 1 else -v"):
        assert word in page


@pytest.mark.parametrize("option", ["sizes", "max_turn"])
def test_unknown_options_are_named(option: str) -> None:
    with pytest.raises(ValueError, match=option):
        adapter()(ludarium.list_games()[0], **{option: 1})
