"""Run the fuzzer by hand: `python -m tests.fuzz --seed 7 --worlds 20`, or replay a story's file."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.stories import read, replay, shortened, tell, written


def main() -> None:
    """Play, and print what fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("story", nargs="?", type=Path, help="a story to replay")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--out", type=Path, help="where to write what fails, shortened")
    options = parser.parse_args()
    if options.story:
        failure = replay(*read(options.story.read_text(encoding="utf-8")))
        sys.exit(failure.text if failure else 0)
    seen = Counter[str]()
    for seed in range(options.seed, options.seed + options.worlds):
        told, failure = tell(seed, options.length)
        if failure is None:
            continue
        seen[failure.signature] += 1
        if seen[failure.signature] > 1:
            continue
        sys.stdout.write(f"seed {seed}: {failure.signature}\n")
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            text = written(seed, shortened(seed, told, failure))
            (options.out / f"{seed}.json").write_text(text, encoding="utf-8")
            (options.out / f"{seed}.txt").write_text(failure.text, encoding="utf-8")
        sys.stdout.flush()
    sys.stdout.write("".join(f"{count} × {what}\n" for what, count in seen.most_common()))


if __name__ == "__main__":
    main()
