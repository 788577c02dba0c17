"""Learning: signs, self-play, evaluation, resuming, and that an agent gets better."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CallbackList, ConvertCallback

import ludarium
from ludarium.agents import make_agent
from ludarium.agents.alphazero import SearchOutput
from ludarium.arena import play_game
from ludarium.arena.evaluate import Score, evaluate
from ludarium.arena.training_report import game_to_watch, new_folder, write_report
from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv, save_model
from ludarium.wrappers.sb3_agent import PolicyNetworkAgent, SB3Agent, load_weights
from ludarium.wrappers.sb3_callbacks import Checkpoint, Evaluate, LogWinRates, SelfPlay

EXAMPLES = Path(__file__).parent.parent / "examples"
GAME = ludarium.list_games()[-1]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def example(stem: str) -> Any:
    """Import an example."""
    (path,) = EXAMPLES.glob(f"{stem}*.py")
    spec = importlib.util.spec_from_file_location(f"example_{stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tiny_model(seed: int = 3, **options: Any) -> MaskablePPO:
    """Return a small model against random, or whom the options name."""
    return MaskablePPO(
        "MlpPolicy",
        SB3VecEnv(GAME, 16, seed=seed, **options),
        n_steps=16,
        batch_size=128,
        n_epochs=2,
        learning_rate=1e-3,
        seed=seed,
        device="cpu",
        policy_kwargs={
            "features_extractor_class": PlanesExtractor,
            "features_extractor_kwargs": {"channels": 8, "features_dim": 32},
            "net_arch": [],
        },
    )


def same_weights(one: Any, two: Any) -> bool:
    pairs = zip(one.policy.parameters(), two.policy.parameters(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


# ---------------------------------------------------------------- signs


def test_advantages_turn_with_the_player_not_with_the_action() -> None:
    """Players 0, 0, 1, 1, 0 act; the last action wins; lam 1, so that returns are results.

    alpha-zero-general 306: a sign turned at every action would call the winner's a loss.
    """
    movers = [0, 0, 1, 1, 0]
    same = [1.0 if a == b else -1.0 for a, b in zip(movers, [*movers[1:], 1], strict=True)]
    column = [torch.tensor(values)[:, None] for values in ([0, 0, 0, 0, 1.0], [0, 0, 0, 0, 1.0])]
    values = torch.tensor([0.1, -0.2, 0.3, 0.4, 0.5, 0.9])[:, None]
    found = example("12").advantages_of(
        column[0], values, column[1], torch.tensor(same)[:, None], 1.0, 1.0
    )
    returns = (found + values[:5])[:, 0]
    assert returns.tolist() == pytest.approx([1, 1, -1, -1, 1])


def test_advantages_equal_a_slow_count(rng: Any) -> None:
    """Over random games cut into two, against sums written out."""
    steps, games, gamma, lam = 12, 5, 0.9, 0.7
    rewards, values = rng.normal(size=(steps, games)), rng.normal(size=(steps + 1, games))
    over = (rng.random((steps, games)) < 0.2).astype(float)
    same = np.where(rng.random((steps, games)) < 0.5, 1.0, -1.0)
    tensors = [torch.from_numpy(x) for x in (rewards, values, over, same)]
    found = example("12").advantages_of(*tensors, gamma, lam).numpy()
    for n in range(games):
        for t in range(steps):
            total, weight = 0.0, 1.0
            for k in range(t, steps):
                bootstrap = 0 if over[k, n] else gamma * same[k, n] * values[k + 1, n]
                total += weight * (rewards[k, n] + bootstrap - values[k, n])
                if over[k, n]:
                    break
                weight *= gamma * lam * same[k, n]
            assert found[t, n] == pytest.approx(total)


def test_a_replay_tells_each_mover_the_result(name: str) -> None:
    """Positions have the results of their own games and movers, as long as they are kept."""
    game = ludarium.load_game(name, max_turns=25)
    games = ludarium.make_vec(name, num_envs=6, seed=2, autoreset="same_step", max_turns=25)
    kept, steps = 40, 150
    replay, expected = example("20").Replay(game, kept, 6), np.full((steps, 6), np.nan)
    movers, begun = np.zeros((steps, 6), int), np.zeros(6, int)
    observations, _ = games.reset()
    for step in range(steps):
        movers[step] = games.current_player
        values = np.full(6, step, np.float32)
        weights = observations["action_mask"].astype(np.float32)
        output = SearchOutput(np.zeros(6), weights, None, values)
        replay.add(observations, output, games.current_player)
        observations, rewards, terminated, truncated, _ = games.step(games.sample_actions())
        replay.end(rewards, terminated | truncated)
        for i in np.flatnonzero(terminated | truncated):
            for t in range(begun[i], step + 1):
                expected[t, i] = rewards[i, movers[t, i]]
            begun[i] = step + 1
    rows = np.arange(steps - kept, steps) % kept
    assert (replay.known[rows] == ~np.isnan(expected[-kept:])).all()
    known = replay.known[rows]
    assert (replay.results[rows][known] == expected[-kept:][known]).all()
    assert {-1, 1} <= set(np.unique(expected[~np.isnan(expected)]))
    # what is drawn belongs together: values searched here are the steps
    planes, masks, policies, drawn = replay.sample(200, 0.0, np.random.default_rng(1))
    assert (masks == policies).all()
    for row in range(200):
        same = (replay.planes[int(drawn[row]) % kept] == planes[row]).all((1, 2, 3))
        assert same.any() and drawn[row] >= steps - kept


def test_positions_are_turned_with_their_actions(name: str, game: Any, rng: Any) -> None:
    """Planes, mask and policy of a row by the same symmetry, and all of them come."""
    games = ludarium.make_vec(name, num_envs=64, seed=4)
    observations, _ = games.reset()
    for _ in range(12):
        observations, *_ = games.step(games.sample_actions())
    planes, masks = observations["observation"], observations["action_mask"]
    policies = rng.random(masks.shape).astype(np.float32) * masks
    found = example("20").Turned(game)([planes, masks, policies, np.zeros(64, np.float32)], rng)
    seen, legal, policy = (tensor.numpy() for tensor in found[:3])
    used: set[int] = set()
    for row in range(64):
        fits = {
            k
            for k, (i, j) in enumerate(game.symmetries())
            if (seen[row].reshape(-1) == planes[row].reshape(-1)[i]).all()
            and (policy[row] == policies[row][j]).all()
            and (legal[row] == masks[row][j]).all()
        }
        assert fits
        used |= fits
    assert used == set(range(len(game.symmetries())))


# ---------------------------------------------------------------- evaluation


class First:
    """Takes the first legal action, in batches."""

    name = "first"

    def select_action(self, state: Any, rng: Any) -> int:
        return state.legal_actions()[0]

    def select_actions(self, observations: Any, rng: Any) -> Any:
        return observations["action_mask"].argmax(1)


class Last(First):
    """Takes the last one, asked state by state."""

    name = "last"
    select_actions = None  # type: ignore[assignment]

    def select_action(self, state: Any, rng: Any) -> int:
        return state.legal_actions()[-1]


def test_evaluation_counts_what_the_arena_counts(name: str) -> None:
    game = ludarium.load_game(name, max_turns=60)
    score = evaluate(First(), game, Last(), games=4)
    results = [
        play_game(game, First(), Last()).result[0],
        play_game(game, Last(), First()).result[1],
    ]
    assert score == Score(*(2 * results.count(value) for value in (1.0, 0.0, -1.0)))
    assert score.games == 4


def test_scores() -> None:
    score = Score(wins=6, draws=2, losses=2)
    low, high = score.interval
    assert score.games == 10 and score.win_rate == 0.7 and low < 0.7 < high
    with pytest.raises(ValueError, match="games=3"):
        evaluate(First(), ludarium.load_game(GAME), "random", games=3)


# ---------------------------------------------------------------- training


def test_a_fixed_run_repeats() -> None:
    runs = [tiny_model(opponent=["random", "greedy"]).learn(1024) for _ in range(2)]
    assert same_weights(*runs)
    assert not same_weights(runs[0], tiny_model(seed=4, opponent=["random", "greedy"]).learn(1024))


def test_pettingzoo_1147_an_agent_gets_better() -> None:
    """From an even score against random to one far beyond chance."""
    model = tiny_model(seed=1)
    agent = PolicyNetworkAgent(model.policy, ludarium.load_game(GAME))
    before = evaluate(agent, agent.game, "random", games=400)
    model.learn(20_000)
    after = evaluate(agent, agent.game, "random", games=400)
    assert after.win_rate > 0.7
    assert after.interval[0] > before.interval[1]


def test_pettingzoo_1067_self_play_mixes_as_it_says(tmp_path: Path) -> None:
    """The recipe: shares of the newest, of built-in agents and of snapshots; old ones thin out."""
    model = tiny_model()
    pool = SelfPlay(
        tmp_path / "pool", every=256, keep=4, latest=0.5, built_in={"random": 0.1, "greedy": 0.2}
    )
    model.learn(256 * 8, callback=CallbackList([pool, LogWinRates()]))
    files = sorted(path.name for path in (tmp_path / "pool").iterdir())
    assert files == [f"{256 * k:012d}.zip" for k in range(1, 9)]
    assert 2 <= len(pool.snapshots) <= 4
    batch = model.get_env().batch
    # the opponents of games that are under way stand behind the mixture
    count = 3 + len(pool.snapshots)
    shares = np.diff(batch._games.opponents[:count, 1] / 2**30, prepend=0)
    names = [agent.name for agent in batch._agents[:count]]
    assert names[:3] == ["newest", "random", "greedy"]
    assert shares[:3] == pytest.approx([0.5, 0.1, 0.2], abs=1e-6)
    assert shares[3:] == pytest.approx([0.2 / len(pool.snapshots)] * len(pool.snapshots), abs=1e-6)
    # the newest is as the policy was at the end of the last rollout, and no longer the policy
    assert batch._agents[0].policy is not model.policy
    again = SelfPlay(tmp_path / "pool", every=256)
    tiny_model().learn(16, callback=again)
    assert len(again.snapshots) == 8
    with pytest.raises(ValueError, match="add up to 1 at most"):
        SelfPlay(tmp_path, latest=0.9, built_in={"random": 0.2})


def test_evaluation_during_training_keeps_the_best(tmp_path: Path) -> None:
    best, log = tmp_path / "best.zip", tmp_path / "log.json"
    evaluation = Evaluate(("random", First()), every=512, games=20, best=best, log=log)
    model = tiny_model()
    model.learn(2048, callback=evaluation)
    assert [steps for steps, _ in evaluation.history] == [0, 512, 1024, 1536, 2048]
    assert all(set(found) == {"random", "first"} for _, found in evaluation.history)
    agent, rates = SB3Agent(str(best)), []
    for _, found in evaluation.history:
        rates.append(sum(score.win_rate for score in found.values()))
    for opponent in ("random", First()):
        name = opponent if isinstance(opponent, str) else opponent.name
        score = evaluate(agent, agent.game, opponent, games=20)
        assert score == evaluation.history[int(np.argmax(rates))][1][name]
    resumed = Evaluate(("random", First()), every=512, games=20, best=best, log=log)
    model.learn(256, callback=resumed, reset_num_timesteps=False)
    assert resumed.history[:5] == evaluation.history


def test_resuming_after_a_kill(tmp_path: Path) -> None:
    """Weights, the optimizer's state and the count of steps go on from the last checkpoint."""
    path = tmp_path / "checkpoint.zip"
    model = tiny_model()

    def killed(variables: Any, context: Any) -> bool:
        if model.num_timesteps >= 1024:
            raise KeyboardInterrupt
        return True

    with pytest.raises(KeyboardInterrupt):
        model.learn(4096, callback=[Checkpoint(path, every=512), ConvertCallback(killed)])
    fresh = tiny_model(seed=9)
    about = load_weights(fresh, str(path))
    assert fresh.num_timesteps == about["num_timesteps"] == 512
    # rollouts are collected before they are learnt from: at 1,024 the model had learnt from 768
    steps = fresh.policy.optimizer.state_dict()["state"][0]["step"]
    assert 0 < steps < model.policy.optimizer.state_dict()["state"][0]["step"]
    fresh.learn(512, callback=Checkpoint(path, every=512), reset_num_timesteps=False)
    assert fresh.num_timesteps == 1024


# ---------------------------------------------------------------- results


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    assert new_folder(tmp_path / "new" / "run").is_dir()
    assert new_folder(tmp_path / "new" / "run").is_dir()  # empty
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(FileExistsError, match="not overwritten"):
        new_folder(tmp_path)
    with pytest.raises(FileExistsError, match="not overwritten"):
        new_folder(tmp_path / "kept")


def report(folder: Path, agent: Any, name: str, **options: Any) -> None:
    """Write the report of a run that was evaluated once."""
    folder.mkdir(exist_ok=True)
    history = [(0, {"random": Score(3, 1, 0)})]
    game = ludarium.load_game(name, **options)
    write_report(folder, game, agent, history, ("random",), games=2, seed=5)


def test_a_report_ends_with_a_won_game_and_the_next_command(
    run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The printed command is typed as it stands: it starts a game against the model."""
    model = tiny_model()
    folder = tmp_path / "a run"
    folder.mkdir()
    save_model(model, folder / "model.zip")
    report(folder, SB3Agent(str(folder / "model.zip")), GAME)
    shown = capsys.readouterr().out
    table = shown.split("ppo at" if "ppo at" in shown else " at ")[1].split("Watch a game")[0]
    assert "\u2026" not in table and "opponent" in table and "interval" in table
    assert max(map(len, table.splitlines())) <= 80
    for name in ("game.html", "game.gif", "results.md", "curve.png", "model.zip"):
        assert str(folder / name) in shown and (folder / name).is_file()
    command, *words = shlex.split(shown.rstrip().splitlines()[-1])
    assert Path(command).stem == "ludarium"
    status, out, err = run(*words)
    assert (status, err) == (0, "") and "you are White" in out


def test_a_report_without_a_model_names_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report(tmp_path / "run", make_agent("greedy"), GAME)
    shown = capsys.readouterr().out
    assert "game.html" in shown and "model.zip" not in shown and "--against" not in shown
    assert "greedy beats random in" in shown
    assert "no winner" in (tmp_path / "run" / "results.md").read_text()


def test_a_report_names_the_options_of_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.zip").write_bytes(b"")
    report(tmp_path / "run", make_agent("greedy"), GAME, max_turns=60)
    assert f"play {GAME} -o max_turns=60 --against" in capsys.readouterr().out


def test_the_game_to_watch_is_a_win(name: str) -> None:
    """Greedy loses some games to itself: the first of its wins is shown, moving first."""
    game = ludarium.load_game(name)
    record = game_to_watch(game, make_agent("greedy"), "random", seed=3)
    assert record.result == (1.0, -1.0)
    hopeless = game_to_watch(ludarium.load_game(name, max_turns=3), make_agent("random"), "random")
    assert hopeless.result == (0.0, 0.0)  # no game can be won in three turns


@pytest.mark.parametrize("stem", ["10", "11", "12", "20"])
def test_an_example_refuses_a_folder_with_results(stem: str, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    (path,) = EXAMPLES.glob(f"{stem}*.py")
    command = [sys.executable, str(path), "--smoke", "--out", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and "not overwritten" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]
