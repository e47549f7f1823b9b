# SPDX-License-Identifier: Apache-2.0
"""The `garner-hw` command: one subcommand for each part of the flow."""

import argparse
import sys

from garner_hw import explore, profile

def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="garner-hw", description="Garner's hardware flow.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    profile.add_command(commands)
    explore.add_command(commands)
    chosen = parser.parse_args(arguments)
    try:
        return chosen.run(chosen)
    except (profile.ProfileError, explore.ExploreError) as error:
        print(f"garner-hw: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("garner-hw: interrupted; nothing was written", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
