"""Self-play with Stable-Baselines3: past versions and built-in agents as opponents.

python examples/11_sb3_self_play.py --game sphlag --out runs/11
python examples/11_sb3_self_play.py --game sphlag --out runs/11 --resume     (after a kill)

Needs ludarium[train]. The folder gets the best model, a checkpoint, the pool, the learning curve, a
table of final matches, a game as a page and as a GIF, and logs. Then: ludarium play sphlag
--against sb3:runs/11/best.zip
"""

import argparse
from pathlib import Path

import ludarium

try:
    import torch
    from sb3_contrib import MaskablePPO

    from ludarium.arena.training_report import new_folder, positive, write_report
    from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv
    from ludarium.wrappers.sb3_agent import SB3Agent, load_weights
    from ludarium.wrappers.sb3_callbacks import (
        Checkpoint,
        Evaluate,
        LogWinRates,
        SelfPlay,
        ShowProgress,
    )
except ImportError as error:
    raise SystemExit(
        f"{error}; this example needs: pip install 'ludarium[train]', or in a clone '.[train]'"
    ) from error


def main() -> None:
    """Train against the pool, keep the best model, play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--steps", type=positive, default=600_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/11_sb3_self_play", help="a new folder")
    parser.add_argument("--resume", action="store_true", help="go on in that folder")
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    arguments = parser.parse_args()
    smoke = arguments.smoke
    steps = 512 if smoke else arguments.steps
    checkpoint = Path(arguments.out) / "checkpoint.zip"
    try:
        if arguments.resume and not checkpoint.is_file():
            raise FileNotFoundError(f"there is no {checkpoint} to resume from")
        out = Path(arguments.out) if arguments.resume else new_folder(arguments.out)
    except OSError as error:
        parser.error(str(error))
    torch.set_num_threads(1)  # more threads hardly help such a small network

    env = SB3VecEnv(arguments.game, num_envs=8 if smoke else 128, seed=arguments.seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16 if smoke else 64,
        batch_size=64 if smoke else 1024,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": PlanesExtractor},
        tensorboard_log=str(out / "tensorboard"),
        seed=arguments.seed,
    )
    if arguments.resume:
        try:
            load_weights(model, str(checkpoint))
        except ValueError as error:
            parser.error(str(error))
    evaluation = Evaluate(
        ("random", "greedy"),
        every=steps // 10,
        games=4 if smoke else 100,
        best=out / "best.zip",
        log=out / "evaluations.json",
    )
    callbacks = [
        SelfPlay(out / "pool", every=128 if smoke else 25_000),
        evaluation,
        Checkpoint(checkpoint, every=steps // 10),
        LogWinRates(),
        ShowProgress(),
    ]
    left = max(0, steps - model.num_timesteps)
    model.learn(left, callback=callbacks, reset_num_timesteps=not arguments.resume)

    agent = SB3Agent(str(out / "best.zip"))
    matches = {"games": 4 if smoke else 200, "seed": arguments.seed}
    write_report(out, env.game, agent, evaluation.history, **matches, model="best.zip")


if __name__ == "__main__":
    main()
