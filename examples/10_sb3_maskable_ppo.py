"""Train MaskablePPO against a fixed opponent, with Stable-Baselines3: about a minute for Sphlag.

python examples/10_sb3_maskable_ppo.py --game sphlag --opponent random --out runs/10

Needs ludarium[train]. The folder gets the model, the learning curve, a table of final matches, a
game as a page and as a GIF, and logs. Then: ludarium play sphlag --against sb3:runs/10/model.zip
"""

import argparse

import ludarium

try:
    import torch
    from sb3_contrib import MaskablePPO

    from ludarium.arena.training_report import new_folder, positive, write_report
    from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv, save_model
    from ludarium.wrappers.sb3_agent import SB3Agent
    from ludarium.wrappers.sb3_callbacks import Evaluate, LogWinRates, ShowProgress
except ImportError as error:
    raise SystemExit(
        f"{error}; this example needs: pip install 'ludarium[train]', or in a clone '.[train]'"
    ) from error


def main() -> None:
    """Train, keep the best model, play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--opponent", default="random", help="the spec of an agent")
    parser.add_argument("--steps", type=positive, default=150_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/10_sb3_maskable_ppo", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    arguments = parser.parse_args()
    try:
        out = new_folder(arguments.out)
        env = SB3VecEnv(
            arguments.game,
            num_envs=8 if arguments.smoke else 128,
            opponent=arguments.opponent,
            seat="random",  # the learner plays both sides
            seed=arguments.seed,
        )
    except (OSError, ValueError) as error:
        parser.error(str(error))
    torch.set_num_threads(1)  # more threads hardly help such a small network

    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16 if arguments.smoke else 64,
        batch_size=64 if arguments.smoke else 1024,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        policy_kwargs={"features_extractor_class": PlanesExtractor},
        tensorboard_log=str(out / "tensorboard"),
        seed=arguments.seed,
    )
    evaluation = Evaluate(
        ("random", "greedy"), every=arguments.steps // 10, games=100, best=out / "model.zip"
    )
    if arguments.smoke:
        evaluation.games = 4
    steps = 256 if arguments.smoke else arguments.steps
    model.learn(steps, callback=[evaluation, LogWinRates(), ShowProgress()])
    save_model(model, out / "last.zip")

    agent = SB3Agent(str(out / "model.zip"))
    games = 4 if arguments.smoke else 200
    write_report(out, env.game, agent, evaluation.history, games=games, seed=arguments.seed)


if __name__ == "__main__":
    main()
