"""The games: one game is one folder, with the same file names in each."""
