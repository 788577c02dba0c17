"""The contract of a game, the same for all games; independent of any game.

Read in this order: game, state, turns, kernels, jit, cache, registry.
"""
