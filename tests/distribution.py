"""How tests are handed to several processes: what shares something to one, the longest first."""

from xdist.scheduler import LoadScopeScheduling

# What these start is started once, as it takes long: a control plane, a browser.
FOLDERS = ("tests/cluster/real/", "tests/ui/dashboard/browser/")

# What begins last should be short, or one process goes on alone in the end.
LONGEST = (
    "tests/cluster/real/",
    "tests/simulation/runner/test_storm.py",
    "tests/cases/test_cases.py",
    "tests/conformance/test_decisions.py",
    "tests/properties/",
    "tests/cluster/virtual/test_long_runs.py",
    "tests/ui/dashboard/browser/",
    "tests/sim/test_seeds.py",
    "tests/simulation/benchmarks/",
    "tests/cluster/embedded/",
    "tests/simulation/experiments/",
    "tests/kubectl/",
    "tests/kubelet/real/host/",
    "tests/test_tidy.py",
    "tests/docs/",
)


def rank(nodeid: str) -> int:
    """Where a test comes among all: from 0, and the short ones last."""
    found = (place for place, start in enumerate(LONGEST) if nodeid.startswith(start))
    return next(found, len(LONGEST))


def group(nodeid: str, by_module: bool) -> str:
    """What a test shares its process with."""
    alone = nodeid.partition("::")[0] if by_module else nodeid
    return next((folder for folder in FOLDERS if nodeid.startswith(folder)), alone)


class Distribution(LoadScopeScheduling):
    """Keeps a module's tests together with `--dist loadfile`, and those of some folders always."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid, by_module=self.config.getvalue("dist") == "loadfile")
