"""What all games share.

Read in this order: game, registry, jit, kernels, aec, parallel, factories, vector, records, canvas.
"""
