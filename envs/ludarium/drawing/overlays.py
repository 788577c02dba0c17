"""Overlays: mark candidate actions and their weights on a picture.

An overlay is one of

- ``"legal"``: a green dot wherever a legal action ends, a ring where it begins;
- weights: an array [A] or a dict action -> weight, such as a policy's probabilities or the visits
  of a search; illegal actions are left out, and the other weights are normalized;
- the spec of an agent, an agent, or its analysis: the visits of its search, or the action that it
  chooses if it does not count visits.

Weights are a heat layer: the area of a disc is proportional to its share, with the share in per
cent where there is room; the largest disc has a strong edge. Position, size and number carry the
meaning, so that it can be read without colours. An arrow joins the two targets of an action.
A game needs a `pointing.py`; see `drawing/pointing.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import show
from ludarium.core.options import as_int
from ludarium.drawing.canvas import contrast, mix
from ludarium.drawing.pointing import clicks

if TYPE_CHECKING:
    from ludarium.core.state import State
    from ludarium.drawing.canvas import Canvas
    from ludarium.drawing.pointing import ClickPath, Target

LEGAL = "legal"
MOST_ARROWS = 5  # arrows of a heat layer: those with the largest shares
LARGEST = 0.42  # radius of the disc of the largest share, as a part of the target's width
LEAST_SHARE = 0.005  # the smallest share that is written as a number

# ---------------------------------------------------------------- what is asked for


def check_overlay(state: State, overlay: Any) -> dict[int, float] | None:
    """Return the share of each legal action that an overlay marks, None for ``"legal"``.

    Raises:
        ValueError: The overlay is not valid, or not for this game; the message says why.
        TypeError: The overlay has a type that is not allowed.
    """
    if isinstance(overlay, str):
        if overlay == LEGAL:
            return None
        overlay = _agent(overlay)
    for method in ("analyse", "select_action"):
        if callable(getattr(overlay, method, None)) and not isinstance(overlay, type):
            if state.is_terminal():
                return {}
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
        overlay = visits or {overlay.action: 1}
    pairs = _pairs(state, overlay)
    top = max(pairs.values(), default=0.0)
    # scale by the largest first: the sum of the weights themselves may overflow
    scaled = {action: weight / top for action, weight in pairs.items()}
    total = sum(scaled.values())
    return {action: weight / total for action, weight in scaled.items()}


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


def paint_overlay(canvas: Canvas, state: State, overlay: Any) -> None:
    """Paint an overlay on a finished picture of a state.

    Raises:
        ValueError: The overlay is not valid for this state; see `check_overlay`.
        TypeError: The overlay has a type that is not allowed.
    """
    shares = check_overlay(state, overlay)
    paths = clicks(state, canvas.turned)
    if shares is None:
        _paint_legal(canvas, paths)
    elif shares:
        _paint_heat(canvas, state, paths, shares)


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
    canvas: Canvas, state: State, paths: dict[int, ClickPath], shares: dict[int, float]
) -> None:
    theme = canvas.theme
    best = max(shares, key=lambda action: shares[action])
    if paths[best] and paths[best][-1].label:  # several targets: only the likeliest action
        _write_note(canvas, f"{state.action_to_string(best)} {_per_cent(shares[best])}")
        shares = {best: 1.0}
    heat: dict[Target, float] = {}
    arrows: dict[tuple[Target, Target], float] = {}
    for action, share in shares.items():
        path = paths[action]
        if not path:
            _write_note(canvas, f"pass {_per_cent(share)}")
            continue
        end, start = _ends(path)
        for target in path if end.label else [end]:
            heat[target] = heat.get(target, 0.0) + share
        if start is not None:
            arrows[start, end] = arrows.get((start, end), 0.0) + share
    if not heat:
        return
    top = max(heat.values())
    for (start, end), share in sorted(arrows.items(), key=lambda item: item[1])[-MOST_ARROWS:]:
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
        if height * canvas.scale >= 8 and share >= LEAST_SHARE:
            canvas.text(target.x, target.y, words, height, contrast(theme.chosen), bold=True)


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
