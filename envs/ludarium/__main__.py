"""The command line as ``python -m ludarium``."""

from ludarium.cli import main

if __name__ == "__main__":
    main()
