"""Overlays: mark candidate actions and their weights on a picture.

An overlay is one of

- ``"legal"``: a green dot wherever a legal action ends, a ring where it begins;
- weights: an array [A] or a dict action -> weight, such as a policy's probabilities or the visits
  of a search; illegal actions are left out, and the other weights are normalized;
- the spec of an agent, an agent, or its analysis: the visits of its search, or the action that it
  chooses if it does not count visits;
- an `Overlay`, which `read_overlay` makes of the others.

Weights are a heat layer: the area of a disc is proportional to its share, with the share in per
cent where there is room; the largest disc has a strong edge. Position, size and number carry the
meaning, so that it can be read without colours. An arrow joins the two targets of an action.
With `top=3` only the three best actions are marked; shares remain parts of the whole.

An agent that searches also says what the position is worth. The value is from -1, lost, to +1, won,
in the view of the player to move, whom the caption names. With `top` the value of each marked
action, in the same view, is written below its disc. Of actions that fill many targets, such as a
first row of Gygès, only the likeliest is marked, and named in the caption with its share.
A game needs a `pointing.py`; see `drawing/pointing.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import show
from ludarium.core.options import as_int
from ludarium.drawing.canvas import contrast, mix
from ludarium.drawing.pointing import marks

if TYPE_CHECKING:
    from ludarium.core.state import State
    from ludarium.drawing.canvas import Canvas
    from ludarium.drawing.pointing import ClickPath, Target

LEGAL = "legal"
MOST_ARROWS = 5  # arrows of a heat layer: those with the largest shares
LARGEST = 0.42  # radius of the disc of the largest share, as a part of the target's width
LEAST_SHARE = 0.005  # the smallest share that is written as a number

LEAST_CELL = 15  # pixels of a target's height below which values of actions are left out

# ---------------------------------------------------------------- what is asked for


@dataclass(frozen=True)
class Overlay:
    """What an overlay marks on the picture of a position.

    Attributes:
        shares: the share of each marked action in the whole weight, 0 to 1, the best action first;
            None: all legal actions are marked alike.
        value: value of the position for the player to move, from -1 (lost) to 1 (won); None where
            no search has found it.
        proven: whether the value is certain.
        values: value of marked actions, in the same view; written only where `top` chose them.
        top: the number of best actions that was asked for; None: all.
    """

    shares: dict[int, float] | None
    value: float | None = None
    proven: bool = False
    values: dict[int, float] = field(default_factory=dict)
    top: int | None = None

    def value_text(self, state: State) -> str:
        """Return the value and whose view it is, as in ``value +0.31 for White``; "" if unknown."""
        if self.value is None or state.is_terminal():
            return ""
        player = state.current_player()
        names = getattr(state.game.type.submodule("notation"), "PLAYERS", None)
        name = names[player] if names else f"player {player}"
        return f"value {self.value:+.2f} for {name}{' (proven)' if self.proven else ''}"


def check_overlay(state: State, overlay: Any, top: int | None = None) -> dict[int, float] | None:
    """Return the share of each action that an overlay marks; see `read_overlay`."""
    return read_overlay(state, overlay, top).shares


def check_top(top: Any) -> int | None:
    """Return a number of best actions to mark, None for all.

    Raises:
        ValueError: It is not an int of at least 1, nor None.
    """
    number = None if top is None else as_int(top)
    if top is not None and (number is None or number < 1):
        raise ValueError(f"top={show(top)} is not allowed: top is an int, at least 1, or None")
    return number


def read_overlay(state: State, overlay: Any, top: int | None = None) -> Overlay:
    """Return what an overlay marks on a picture of a state.

    Args:
        state: the position.
        overlay: one of those that this module lists.
        top: the number of best actions to mark: that which the agent chooses, then those with the
            largest shares; None: all.

    Raises:
        ValueError: The overlay is not valid, or not for this game; the message says why.
        TypeError: The overlay has a type that is not allowed.
    """
    top = check_top(top)
    if isinstance(overlay, Overlay):
        read, mask = overlay, state.legal_actions_mask()
        if not all(0 <= action < len(mask) and mask[action] for action in read.shares or ()):
            raise ValueError("overlay: this Overlay was read for another position")
    else:
        read = _read(state, overlay)
    if top is None:
        return read
    if read.shares is None:
        raise ValueError(
            f"top={top} is not allowed with overlay={LEGAL!r}, which does not rank the actions"
        )
    shares = dict(list(read.shares.items())[:top])
    return replace(read, shares=shares, top=top)


def _read(state: State, overlay: Any) -> Overlay:
    """Return what an overlay marks, with the best action first."""
    if isinstance(overlay, str):
        if overlay == LEGAL:
            return Overlay(None)
        overlay = _agent(overlay)
    analysis: Any = None
    for method in ("analyse", "select_action"):
        if callable(getattr(overlay, method, None)) and not isinstance(overlay, type):
            if state.is_terminal():
                return Overlay({})
            answer = getattr(overlay, method)(state.clone(), np.random.default_rng(0))
            action = as_int(answer if method == "select_action" else answer.action)
            if action is None or action not in state.legal_actions():
                name = getattr(overlay, "name", type(overlay).__name__)
                raise ValueError(
                    f"overlay: {name} answered {show(answer, 60)}, which is not legal here"
                )
            overlay = answer if method == "analyse" else {action: 1}
            break
    visits = getattr(overlay, "visits", None)
    if isinstance(visits, dict):
        analysis, overlay = overlay, visits or {overlay.action: 1}
    pairs = _pairs(state, overlay)
    largest = max(pairs.values(), default=0.0)
    # scale by the largest first: the sum of the weights themselves may overflow
    scaled = {action: weight / largest for action, weight in pairs.items()}
    total = sum(scaled.values())
    shares = {action: weight / total for action, weight in scaled.items()}
    values = getattr(analysis, "values", {})
    chosen = getattr(analysis, "action", None)

    def rank(action: int) -> tuple[bool, float, float, int]:
        return action != chosen, -shares[action], -values.get(action, -math.inf), action

    shares = {action: shares[action] for action in sorted(shares, key=rank)}
    value, proven = getattr(analysis, "value", None), getattr(analysis, "proven", False)
    return Overlay(shares, value, proven, {a: v for a, v in values.items() if a in shares})


def _agent(spec: str) -> Any:
    """Return the agent of a spec."""
    from ludarium.core.registry import find_agent

    try:
        return find_agent(spec)
    except ValueError as error:
        raise ValueError(
            f"overlay={spec!r} is not allowed: overlay is 'legal', the spec of an agent, or a "
            f"weight for each action ({error})"
        ) from error


def _pairs(state: State, overlay: Any) -> dict[int, float]:
    """Return the weights of legal actions that are not zero."""
    count = state.game.num_distinct_actions
    if isinstance(overlay, Mapping):
        actions = [as_int(action) for action in overlay]
        for action, given in zip(actions, overlay, strict=True):
            if action is None or not 0 <= action < count:
                raise ValueError(
                    f"overlay: {show(given)} is not an action: actions are ints, 0 to {count - 1}"
                )
        weights = _floats(list(overlay.values()))
        if weights.ndim != 1:
            raise ValueError("overlay: the weight of an action is one number")
    else:
        if overlay is None or isinstance(overlay, (bool, int, float)) or callable(overlay):
            raise TypeError(
                "overlay is 'legal', the spec of an agent, an agent, or a weight for each action, "
                f"not {show(overlay)}"
            )
        actions, weights = list(range(count)), _floats(overlay)
        if weights.shape != (count,):
            raise ValueError(
                f"overlay: an array of weights has the shape ({count},), one for each action of "
                f"{state.game.name}, not {weights.shape}"
            )
    for action, weight in zip(actions, weights.tolist(), strict=True):
        if not 0 <= weight < math.inf:
            raise ValueError(
                f"overlay: weight {weight} of action {action} is not allowed: a weight is finite "
                "and >= 0"
            )
    pairs = zip(actions, weights.tolist(), strict=True)
    mask = state.legal_actions_mask()
    return {a: weight for a, weight in pairs if a is not None and weight and mask[a]}


def _floats(values: Any) -> npt.NDArray[np.float64]:
    try:
        if np.asarray(values).dtype.kind not in "biuf":
            raise TypeError
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"overlay: weights are numbers, not {show(values, 60)}") from None


# ---------------------------------------------------------------- painting


def remark_of(state: State, overlay: Overlay) -> str:
    """Return what the caption says of an overlay: the value of the position, and what has no place.

    What has no place on the board is an action of many targets, such as a whole first row.
    """
    words = [overlay.value_text(state)]
    if overlay.shares:
        best = max(overlay.shares, key=lambda action: overlay.shares[action])  # type: ignore[index]
        path = marks(state)[best]
        if path and path[-1].label:
            words.insert(0, f"{state.action_to_string(best)} {_per_cent(overlay.shares[best])}")
    return ", ".join(filter(None, words))


def paint_overlay(canvas: Canvas, state: State, overlay: Overlay) -> None:
    """Paint an overlay, which `read_overlay` made, on a finished picture of a state.

    Raises:
        ValueError: The game cannot be played by pointing.
    """
    paths = marks(state, canvas.turned)
    if overlay.shares is None:
        _paint_legal(canvas, paths)
    elif overlay.shares:
        _paint_heat(canvas, state, paths, overlay)


def _ends(path: ClickPath) -> tuple[Target, Target | None]:
    """Return the target where an action ends, and the one where it begins if they differ."""
    *before, end = path
    start = before[0] if before and not end.label else None
    return end, start if start is not None and start[:2] != end[:2] else None


def _ring(target: Target) -> float:
    """Return the radius of a ring around a piece on a target."""
    return min(target.wide, target.high) * 0.92


def _write_note(canvas: Canvas, text: str) -> None:
    """Write an action that has no target on the board, in the lower right corner."""
    theme = canvas.theme
    height = canvas.least(0.4, 8)
    x, y = canvas.width - height * 0.5, canvas.height - height * 0.9
    wide = canvas.width_of(text, height) + height
    left, top = canvas.width - wide, y - height * 0.6
    with canvas.upright():
        canvas.rectangle(left, top, wide, height * 1.2, theme.background)
        canvas.text(x, y, text, height, theme.ink, "right")


def _paint_legal(canvas: Canvas, paths: dict[int, ClickPath]) -> None:
    theme = canvas.theme
    starts: set[Target] = set()
    ends: set[Target] = set()
    lines: set[tuple[Target, Target]] = set()
    for path in paths.values():
        if not path:
            _write_note(canvas, "may pass")
            continue
        if path[-1].label:  # its targets may be clicked in any order
            ends.update(path)
            continue
        end, start = _ends(path)
        ends.add(end)
        if start is not None:
            starts.add(start)
            lines.add((start, end))
    for start, end in sorted(lines):
        points = [(start.x, start.y), (end.x, end.y)]
        canvas.line(points, theme.chosen, canvas.least(0.035, 1.0), 0.55)
    for target in sorted(starts):
        radius = min(target.wide, target.high) * 0.92
        canvas.ring(
            target.x,
            target.y,
            radius + canvas.least(0.03, 1.0),
            theme.background,
            canvas.least(0.13, 3.0),
        )
        canvas.ring(target.x, target.y, radius, theme.chosen, canvas.least(0.08, 1.6))
    for target in sorted(ends):
        radius = canvas.least(min(target.wide, target.high) * 0.26, 2.2)
        canvas.disc(target.x, target.y, radius + canvas.least(0.03, 0.9), theme.background)
        canvas.disc(target.x, target.y, radius, theme.chosen)


def _paint_heat(
    canvas: Canvas, state: State, paths: dict[int, ClickPath], overlay: Overlay
) -> None:
    theme = canvas.theme
    shares = dict(overlay.shares or {})
    best = max(shares, key=lambda action: shares[action])
    if paths[best] and paths[best][-1].label:  # several targets: only the likeliest action
        shares = {best: 1.0}
    heat: dict[Target, float] = {}
    arrows: dict[tuple[Target, Target], float] = {}
    values: dict[Target, float] = {}  # of the best action that ends on a target
    for action, share in shares.items():
        path = paths[action]
        if not path:
            note = f"pass {_per_cent(share)}"
            if overlay.top is not None and action in overlay.values:
                note += f" {overlay.values[action]:+.2f}"
            _write_note(canvas, note)
            continue
        end, start = _ends(path)
        for target in path if end.label else [end]:
            heat[target] = heat.get(target, 0.0) + share
        if action in overlay.values and overlay.top is not None and not end.label:
            values.setdefault(end, overlay.values[action])
        if start is not None:
            arrows[start, end] = arrows.get((start, end), 0.0) + share
    if not heat:
        return
    top = max(heat.values())
    most = overlay.top or MOST_ARROWS
    for (start, end), share in sorted(arrows.items(), key=lambda item: item[1])[-most:]:
        weight = math.sqrt(share / max(arrows.values()))
        points = [(start.x, start.y), (end.x, end.y)]
        width = canvas.least(0.03 + 0.07 * weight, 0.8 + weight)
        radius = _radius(canvas, end, heat[end] / top)
        canvas.arrow(points, theme.chosen, width, 0.0, 0.0, radius, theme.rims[1])
        canvas.disc(start.x, start.y, width, theme.chosen, theme.rims[1], canvas.least(0.02, 0.8))
    ordered = sorted(heat.items(), key=lambda item: (item[1], item[0]))
    for target, share in ordered:
        _paint_disc(canvas, target, share / top)
    for target, share in ordered:
        radius = _radius(canvas, target, share / top)
        words = target.label or f"{100 * share:.0f}"
        height = radius * (1.15 if len(words) < 3 else 0.85)
        least = 8 if len(words) > 1 else 5
        if height * canvas.scale >= least and share >= LEAST_SHARE:
            canvas.text(target.x, target.y, words, height, contrast(theme.chosen), bold=True)
        if target in values and 2 * target.high * canvas.scale >= LEAST_CELL:
            height = canvas.least(0.3, 8)
            ((x, y),) = canvas.around(target.x, target.y, [(0, radius + 0.62 * height)])
            text = f"{values[target]:+.2f}"
            canvas.text(x, y, text, height, theme.ink, halo=theme.background, bold=True)


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= LEAST_SHARE else "< 1 %"


def _radius(canvas: Canvas, target: Target, part: float) -> float:
    """Return the radius of a disc whose area is a fraction of the area of the largest disc."""
    wide = min(target.wide, target.high)
    return canvas.least(2 * LARGEST * wide * math.sqrt(part), 2.0)


def _paint_disc(canvas: Canvas, target: Target, part: float) -> None:
    theme, radius = canvas.theme, _radius(canvas, target, part)
    edge = canvas.least(0.07, 1.6) if part == 1 else canvas.least(0.03, 0.9)
    ink = theme.ink if part == 1 else mix(theme.chosen, (0, 0, 0), 0.5)
    canvas.disc(target.x, target.y, radius + edge * 0.9, ink)
    canvas.disc(target.x, target.y, radius, theme.chosen)
