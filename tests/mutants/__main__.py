"""Make small changes to the code, one at a time, and list those that no test notices.

They are made in a copy of the checkout. A change is noticed if a test of its module or of its
package fails that passes without the change, or if the tests don't end in time.
"""

import argparse
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.conftest import ROOT
from tests.mutants.mutations import Mutation, mutations, owners_of_lines
from tests.mutants.trials import Trials

DECIDING = ("scheduler", "controllers", "kubelet", "whatif/plan", "whatif/lint", "apiserver/store")


def drawn(root: Path, packages: list[str], seed: int, count: int) -> list[Mutation]:
    """Mutations of packages by seed; a larger count begins with those of a smaller one.

    Raises:
        FileNotFoundError: a package has no Python files.
    """
    ranked: list[tuple[float, Mutation]] = []
    seen: Counter[tuple[object, ...]] = Counter()
    for package in packages:
        paths = sorted(root.glob(f"podium/{package}/**/*.py"))
        if not paths:
            raise FileNotFoundError(f"podium/{package} has no Python files")
        for path in paths:
            source = path.read_text(encoding="utf-8")
            lines, owners = source.split("\n"), owners_of_lines(source)
            for mutation in mutations(path.relative_to(root).as_posix(), source):
                # A function that moves to another file, and changes of the code elsewhere, leave a
                # place where it is in the draw.
                line = mutation.line - 1
                identity = (seed, owners[line], lines[line].strip(), mutation.text)
                ranked.append((Random(repr((*identity, seen[identity]))).random(), mutation))
                seen[identity] += 1
    return [mutation for _, mutation in sorted(ranked)[:count]]


def main(arguments: list[str] | None = None) -> None:
    """Try mutations until Ctrl-C, and print those that nothing notices."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("packages", nargs="*", help=f"of podium; default: {' '.join(DECIDING)}")
    parser.add_argument("--seed", type=int, default=1, help="which mutations are drawn")
    parser.add_argument("--count", type=int, default=20, help="how many")
    parser.add_argument("--skip", type=int, default=0, help="how many of them to leave out first")
    parser.add_argument("--limit", type=float, default=300, help="for the tests of one, in seconds")
    options = parser.parse_args(arguments)
    chosen = drawn(ROOT, options.packages or [*DECIDING], options.seed, options.count)
    chosen = chosen[options.skip :]
    tried = noticed = 0
    with suppress(KeyboardInterrupt), TemporaryDirectory(prefix="podium-mutants-") as directory:
        trials = Trials(ROOT, Path(directory), options.limit)
        for mutation in chosen:
            by = trials.noticed_by(mutation)
            tried += 1
            noticed += bool(by)
            if by:
                sys.stderr.write(f"{mutation.path}:{mutation.line}: noticed by {by}\n")
            else:
                source = (ROOT / mutation.path).read_text(encoding="utf-8")
                sys.stdout.write(f"{mutation.diff(source)}\n\n")
            sys.stdout.flush()
    sys.stdout.write(f"{noticed} of {tried} mutations noticed (seed {options.seed})\n")


if __name__ == "__main__":
    main()
