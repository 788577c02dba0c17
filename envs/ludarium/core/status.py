"""Numbers that kernels share with Python: status, packing, modes of batches, codes, limits.

Plain numbers, the same in every game. Kernels freeze them into compiled code, so this file is part
of the digest that names each game's cache (see ``core/jit.py``).
"""

# ---------------------------------------------------------------- status

RUNNING, WON_0, WON_1, DRAWN, TRUNCATED = 0, 1, 2, 3, 4
#: Answer of step() to an action that is not legal; never the status of a state.
ILLEGAL = -1

# ---------------------------------------------------------------- packing

# pack() puts what every caller asks next into one integer: the status in bits 0-2, the player to
# move in bit 3, the phase in bits 4-7, the turn number above.
STATUS_MASK = 7
PLAYER_SHIFT, PHASE_SHIFT, TURN_SHIFT = 3, 4, 8
PHASE_MASK = (1 << (TURN_SHIFT - PHASE_SHIFT)) - 1

# ---------------------------------------------------------------- batches

# What the next step of a batch does with a game that is over, as in `environments/batches.py`.
NEXT_STEP, SAME_STEP, DISABLED = 0, 1, 2
# What an illegal action does; "raise" is handled before a kernel is called.
TERMINATE, PENALIZE = 0, 1

# ---------------------------------------------------------------- codes of infos

# ``info["result"]`` and ``info["reason"]``; `environments/infos.py` has their words.
NOT_OVER = -1  # of both, while the game goes on
NOBODY = 2  # the result of a game that nobody has won; 0 and 1 are the player who has won it
BY_WIN, BY_DRAW, BY_MAX_TURNS, BY_ILLEGAL, BY_MAX_GAME_LENGTH = 0, 1, 2, 3, 4  # reasons

# ---------------------------------------------------------------- limits

NUM_PLAYERS = 2
#: Phases of a turn, `rules.PHASES`: what the packing has room for.
MAX_PHASES = PHASE_MASK + 1
#: Actions of a turn, `rules.ACTIONS_PER_TURN`: searches look at a turn as one or two actions.
MAX_ACTIONS_PER_TURN = 2
#: Action numbers of a game: trees keep them as int32, and step through them by larger primes.
MAX_NUM_ACTIONS = 1_000_000
