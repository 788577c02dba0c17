"""What all games share. Read in this order: game, registry, jit, kernels, aec, records, canvas."""
