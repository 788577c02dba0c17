"""The analysis of a position by a search agent, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass, field

from ludarium.core.state import State
from ludarium.core.text import counted


@dataclass(frozen=True)
class Analysis:
    """The answer of a search agent, with the statistics that explain it.

    Attributes:
        action: the action to play.
        value: value of the position for the player to move, from -1 (lost) to 1 (won).
        proven: whether the value is certain.
        line: the actions that the search expects, as text, beginning with `action`.
        effort: number of simulations, or of positions visited.
        depth: number of whole turns that alpha-beta looked ahead; 0 for other searches.
        visits: number of simulations through each visited action (tree searches only).
        values: value of each of these actions for the player to move.
        texts: these actions as text.
        note: why the most visited action was not chosen, if so.
    """

    action: int
    value: float
    proven: bool
    line: tuple[str, ...]
    effort: int
    depth: int = 0
    visits: dict[int, int] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    note: str = ""

    def __str__(self) -> str:
        return self.text()

    def text(self, top: int = 8) -> str:
        """Return the analysis for people: the choice, the expected line, and the best actions.

        Args:
            top: the number of actions that are listed; the chosen one is listed always.
        """
        certain = " (proven)" if self.proven else ""
        depth = f", {counted(self.depth, 'turn')} deep" if self.depth else ""
        lines = [
            f"plays {self.line[0]}: value {self.value:+.3f}{certain}, "
            f"{counted(self.effort, 'position' if self.depth else 'simulation')}{depth}",
            f"line: {' '.join(self.line)}",
        ]
        if self.note:
            lines.append(self.note)
        order = sorted(self.values, key=lambda a: (self.visits.get(a, 0), self.values[a]))[::-1]
        shown = order[:top]
        if (
            self.action in order[top:]
        ):  # another one can be chosen, at random or because it is proven
            shown.append(self.action)
        for action in shown:
            visits = ""
            if self.visits:
                number = self.visits[action]
                visits = f"{number:>9,} {'visit ' if number == 1 else 'visits'}"
            lines.append(f"  {self.texts[action]:<10}{visits}  value {self.values[action]:+.3f}")
        return "\n".join(lines)


def line_texts(state: State, actions: list[int]) -> tuple[str, ...]:
    """Return a sequence of actions from a state as texts, as far as they are legal."""
    state, texts = state.clone(), []
    for action in actions:
        if not state._mask[action]:
            break
        texts.append(state.action_to_string(action))
        state.apply_action(action)
    return tuple(texts)
