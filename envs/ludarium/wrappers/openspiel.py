"""OpenSpiel: every installed game as a game of `pyspiel`, for its search, bots and learners.

    >>> from ludarium.wrappers.openspiel import register      # doctest: +SKIP
    >>> register()                                            # doctest: +SKIP
    ['ludarium_gliss', 'ludarium_gyges', 'ludarium_sphlag']
    >>> pyspiel.load_game("ludarium_gliss(board_size=13)")    # doctest: +SKIP

A turn of two actions is two actions of the same player in a row, as OpenSpiel allows. Numbers and
texts of actions are those of `State`; the parameters are the options. Illegal actions raise
`IllegalActionError` and leave the state as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

try:
    import pyspiel
except ImportError as error:  # pragma: no cover
    raise ImportError("this needs OpenSpiel: pip install open_spiel") from error

from ludarium.agents import Agent, make_agent
from ludarium.core.game import Game, GameType, game_type
from ludarium.core.registry import list_games
from ludarium.core.state import State

PREFIX = "ludarium_"
OWN_DEFAULT = 0  # stands for the default of an int that follows from other parameters
SETUPS = 4096  # number of outcomes of the chance node that chooses a random set-up

# ---------------------------------------------------------------- registration


def register() -> list[str]:
    """Register every installed game with `pyspiel`, as ``ludarium_<name>``.

    Further calls change nothing.

    Returns:
        The names for `pyspiel.load_game`.
    """
    known = set(pyspiel.registered_names())
    names = []
    for name in list_games():
        kind = _describe(game_type(name), chance=False)
        names.append(kind.short_name)
        if kind.short_name not in known:
            pyspiel.register_game(kind, _class_of(name))
    return names


def _class_of(name: str) -> type[OpenSpielGame]:
    """Return a class that makes a game from its parameters alone.

    It is a class, as for OpenSpiel's own games, not a function: OpenSpiel's registry releases what
    it holds after the interpreter has ended, and only objects in a reference cycle survive that.
    """

    def __init__(self: OpenSpielGame, parameters: Mapping[str, Any] | None = None) -> None:
        OpenSpielGame.__init__(self, name, parameters or {})

    return type(OpenSpielGame.__name__, (OpenSpielGame,), {"__init__": __init__})


def _defaults(kind: GameType) -> dict[str, Any]:
    """Return the parameters of a game and their defaults."""
    return {
        name: OWN_DEFAULT if callable(option.default) else option.default
        for name, option in kind.all_options().items()
    }


def _describe(kind: GameType, chance: bool) -> Any:
    """Return a game's facts as a `pyspiel.GameType`."""
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=PREFIX + kind.name,
        long_name=kind.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_defaults(kind),
    )


def _leaves_to_chance(game: Game) -> bool:
    """Return whether the first position depends on the seed."""
    return len({game.new_initial_state(seed).to_string() for seed in range(16)}) > 1


# ---------------------------------------------------------------- games


class OpenSpielGame(pyspiel.Game):
    """A game of this package as a `pyspiel.Game`; `pyspiel.load_game` makes it.

    A game with a random set-up begins with a chance node of 4096 equally likely outcomes, each of
    which is the seed of a set-up; all other games are deterministic.

    Attributes:
        game: the game, with its options.

    Args:
        name: name of the game.
        parameters: options of the game. For an int whose default follows from other options, 0
            means that default.

    Raises:
        ValueError: An option is unknown or its value is not allowed.
    """

    def __init__(self, name: str, parameters: Mapping[str, Any]) -> None:
        kind = game_type(name)
        defaults = _defaults(kind)
        given = {
            key: value
            for key, value in parameters.items()
            if key not in defaults or value != defaults[key]
        }
        self.game = kind.load(**given)
        self.chance = _leaves_to_chance(self.game)
        facts = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_distinct_actions,
            max_chance_outcomes=SETUPS if self.chance else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.max_game_length,
        )
        super().__init__(_describe(kind, self.chance), facts, given)

    def new_initial_state(self, text: str | None = None) -> OpenSpielState:
        """Return the first position, or the one that a line of text describes.

        Raises:
            ValueError: The text is not a position of this game.
        """
        if text is not None:
            return OpenSpielState(self, self.game.state_from_string(text))
        return OpenSpielState(self, None if self.chance else self.game.new_initial_state())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the observer that fills OpenSpiel's observations."""
        from open_spiel.python.observation import IIGObserverForPublicInfoGame

        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1 for a random set-up, else 0."""
        return int(self.chance)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reload, (str(self),)


def _reload(text: str) -> Any:
    """Unpickle a game, in a process that may not have registered it."""
    register()
    return pyspiel.load_game(text)


# ---------------------------------------------------------------- states


class OpenSpielState(pyspiel.State):
    """A position as a `pyspiel.State`.

    ``str(state)`` is the position in one line, which two different positions never share.

    Attributes:
        state: the `State`; None at the chance node that chooses the set-up.
    """

    def __init__(self, game: OpenSpielGame, state: State | None) -> None:
        super().__init__(game)
        self.state = state

    def current_player(self) -> int:
        """Return the player to move, or the number that stands for chance or for the end."""
        if self.state is None:
            return int(pyspiel.PlayerId.CHANCE)
        player = self.state.current_player()
        return player if player >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Return whether the game is over, by the rules or by `max_turns`."""
        return self.state is not None and self.state.is_terminal()

    def returns(self) -> list[float]:
        """Return the scores: +1 and -1, or zeros unless somebody has won."""
        return [0.0, 0.0] if self.state is None else self.state.returns()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the seeds of the set-ups with their probabilities."""
        return [(seed, 1 / SETUPS) for seed in range(SETUPS)]

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.state is None else self.state.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.state is not None:
            self.state.apply_action(action)
        elif 0 <= action < SETUPS:
            self.state = self.get_game().game.new_initial_state(action)
        else:
            raise ValueError(f"outcome {action} is not allowed: outcomes are 0 to {SETUPS - 1}")

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action's text; OpenSpiel may ask for one that is not legal here."""
        if self.state is None:
            return f"set-up {action}"
        if action in self.state.legal_actions():
            return self.state.action_to_string(action)
        return f"action {action}"

    def __str__(self) -> str:
        return "set-up" if self.state is None else self.state.to_string()


# ---------------------------------------------------------------- observations


class PlanesObserver:
    """Observations in the layout of OpenSpiel: float32, channels first.

    The planes are those of `State.observation_tensor` of the same player, [C, H, W] because that is
    the layout that OpenSpiel's networks assume of every game in Python.

    Attributes:
        tensor: the planes in one row, float32 [C * H * W].
        dict: ``{"observation": the same memory as [C, H, W]}``.

    Raises:
        ValueError: Parameters are given, but there are none.
    """

    def __init__(self, game: Game, params: Any = None) -> None:
        if params:
            raise ValueError(f"observations have no parameters; given: {params!r}")
        height, width, channels = game.observation_shape
        self.tensor = np.zeros(channels * height * width, np.float32)
        self.dict = {"observation": self.tensor.reshape(channels, height, width)}

    def __repr__(self) -> str:
        return f"<PlanesObserver of {len(self.tensor)} numbers>"

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Fill the planes with a player's observation of a state."""
        if state.state is None:
            self.tensor.fill(0)
            return
        planes = state.state.observation_tensor(player)
        self.dict["observation"][:] = planes.transpose(2, 0, 1)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the position in one line, the same for both players."""
        return str(state)


# ---------------------------------------------------------------- agents and bots


class AgentBot(pyspiel.Bot):
    """An agent of this package as an OpenSpiel bot, for `evaluate_bots` and the like.

    Args:
        agent: the spec of an agent, or an agent.
        seed: seed of the random numbers of the agent.

    Raises:
        ValueError: There is no such agent.
    """

    def __init__(self, agent: Agent | str, seed: int | None = None) -> None:
        super().__init__()
        self.agent = make_agent(agent) if isinstance(agent, str) else agent
        self.rng = np.random.default_rng(seed)

    def __repr__(self) -> str:
        return f"<AgentBot of {self.agent!r}>"

    def step(self, state: OpenSpielState) -> int:
        """Return the agent's action."""
        assert state.state is not None, "chance has no agent"
        return int(self.agent.select_action(state.state.clone(), self.rng))

    def restart_at(self, state: OpenSpielState) -> None:
        """Do nothing: agents keep nothing between actions."""

    def inform_action(self, state: OpenSpielState, player: int, action: int) -> None:
        """Do nothing: agents keep nothing between actions."""


class BotAgent:
    """An OpenSpiel bot as an agent of this package, for matches and tournaments.

    The bot uses random numbers of its own. It has to decide from the state alone, as search bots
    do, because it is restarted at each decision. OpenSpiel's bots in Python
    (``open_spiel.python``) work; those in C++, like `pyspiel.MCTSBot`, crash with every game that
    is written in Python (seen with OpenSpiel 2.0.2).

    Args:
        bot: the bot.
        game: the game that `pyspiel.load_game` returned for the bot.
        name: name in reports.
    """

    def __init__(self, bot: Any, game: OpenSpielGame, name: str = "openspiel") -> None:
        self.bot, self.game, self.name = bot, game, name

    def __repr__(self) -> str:
        return f"<BotAgent {self.name!r}>"

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the bot's action.

        Raises:
            ValueError: The state is of another game or other options than the bot's.
        """
        if state.game != self.game.game:
            raise ValueError(f"{self.name} plays {self.game.game!r}, not {state.game!r}")
        asked = OpenSpielState(self.game, state.clone())
        self.bot.restart_at(asked)
        return int(self.bot.step(asked))
