"""Learn by self-play with RLlib: masked PPO, one network in both seats, several runners at once.

python examples/21_rllib.py --game sphlag --out runs/21

Needs `pip install 'ludarium[ray]' 'ray[rllib]' torch`. On a cluster, on whose machines the package
is installed: `--address auto` or `--address HOST:PORT`, and `--runners` as many as there are
processors. The folder gets the best checkpoint and a table of final matches. Two minutes for Sphlag
on two cores; it then won 200 of 200 games against random and scored 59 % against greedy.
"""

import argparse
import logging
import os
import time
from typing import Any

import ludarium

try:
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env

    from ludarium.arena.evaluate import evaluate
    from ludarium.arena.training_report import new_folder, play_finals
    from ludarium.wrappers.rllib import MaskedModule, ModuleAgent
except ImportError as error:
    raise SystemExit(
        f"{error}; this example needs: pip install 'ludarium[ray]' 'ray[rllib]' torch"
    ) from error


def configure(args: argparse.Namespace) -> PPOConfig:
    """Return the algorithm: both agents are played by one module, called `both`."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
    register_env("ludarium", lambda options: PettingZooEnv(ludarium.make(**options)))
    network = RLModuleSpec(
        module_class=MaskedModule, model_config={"channels": args.channels, "width": args.width}
    )
    config = PPOConfig().environment("ludarium", env_config={"name": args.game})
    config.env_runners(num_env_runners=args.runners, num_envs_per_env_runner=args.num_envs)
    config.multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, *_, **__: "both")
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": network}))
    config.training(
        train_batch_size_per_learner=args.batch,
        minibatch_size=args.minibatch,
        num_epochs=args.epochs,
        lr=args.learning_rate,
        gamma=args.gamma,
        lambda_=args.lam,
        entropy_coeff=args.entropy,
        grad_clip=0.5,
        use_kl_loss=False,
        vf_loss_coeff=1.0,
    )
    config.debugging(seed=args.seed, log_level="ERROR")
    return config


def main() -> None:
    """Train by self-play, keep the best weights, and play final matches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--steps", type=int, default=100_000, help="actions of both players")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/21_rllib", help="a new folder")
    parser.add_argument("--smoke", action="store_true", help="short, to see that it runs")
    parser.add_argument("--address", default="local", help="of a Ray cluster, or local")
    parser.add_argument("--runners", type=int, default=2, help="processes that play")
    parser.add_argument("--num-envs", type=int, default=32, help="number of games of each runner")
    parser.add_argument("--batch", type=int, default=4096, help="number of actions between updates")
    parser.add_argument("--minibatch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--lam", type=float, default=0.95)
    parser.add_argument("--entropy", type=float, default=0.01)
    args = parser.parse_args()
    if args.smoke:
        args.steps, args.num_envs, args.batch, args.minibatch = 512, 4, 256, 128
    try:
        out = new_folder(args.out)
        here: dict[str, Any] = {"num_cpus": args.runners + 1} if args.address == "local" else {}
        ray.init(address=args.address, log_to_driver=False, logging_level="ERROR", **here)
    except (OSError, ValueError, RuntimeError) as error:
        parser.error(str(error).split("\n")[0])

    torch.set_num_threads(1)  # more threads hardly help such a small network
    game = ludarium.load_game(args.game)
    algorithm = configure(args).build_algo()
    checkpoint, best = os.path.abspath(out / "checkpoint"), 0.0
    start, steps, shown, looks = time.perf_counter(), 0, 0, 2 if args.smoke else 10
    while steps < args.steps:
        algorithm.train()
        steps += args.batch
        if looks * steps // args.steps > shown:
            shown = looks * steps // args.steps
            agent = ModuleAgent(algorithm.get_module("both"))
            score = evaluate(agent, game, "random", 4 if args.smoke else 100, args.seed)
            spent = time.perf_counter() - start
            print(
                f"{steps:9,} actions, {spent:5.0f} s: {100 * score.win_rate:.0f} % against random"
            )
            if score.win_rate >= best:
                best = score.win_rate
                algorithm.save_to_path(checkpoint)

    algorithm.restore_from_path(checkpoint)
    agent = ModuleAgent(algorithm.get_module("both"))
    play_finals(out, game, agent, games=4 if args.smoke else 200, seed=args.seed)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
