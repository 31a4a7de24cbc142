"""Nobody waits for what a command doesn't use: which modules each may import."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from podium.cli import main

# Of our own packages, and of those of others that take long to import.
DECIDES = {"api", "apiserver", "config", "control", "core", "documents", "manifests", "node"}
DECIDES |= {"plugins", "profile", "rehearsal", "scheduler", "numpy", "yaml"}
PLAYS = DECIDES | {"cluster", "controllers", "runtime", "simulation", "store"}
SERVES = {"embedded", "server", "anyio", "cryptography", "httptools", "starlette", "uvicorn"}
JOINS = {"client", "machine", "aiohttp", "kubernetes_asyncio", "yarl"}
OTHERS = {"attr", "prometheus_client", "jsonpath", "jsonschema", "asyncio"}

EXAMPLE = ["-f", "examples/best-practice/state"]
# What a command imports until it finds that there is nothing to do, or no file.
RUNS = {
    "up": (
        ["--speed", "no"],
        PLAYS | SERVES | {"asyncio", "presenting", "prometheus_client", "web", "workers"},
    ),
    "down": (["--data-dir", "/dev/null"], {"api", "asyncio", "embedded", "runtime", "store"}),
    "node": (
        ["--kubeconfig", "/dev/null", "--allow-root"],
        DECIDES - {"manifests", "profile", "rehearsal", "scheduler"}
        | {"controllers", "runtime", "store", "attr", "asyncio"}
        | JOINS,
    ),
    "node-token": (
        ["n", "--data-dir", "/dev/null"],
        {"api", "apiserver", "control", "controllers", "core", "documents", "embedded", "node"}
        | {"server", "store", "yaml"},
    ),
    "scheduler": (
        ["--kubeconfig", "/dev/null"],
        DECIDES - {"manifests"}
        | {"attr", "asyncio", "client", "controllers", "profile"}
        | {"real", "runtime", "store", "aiohttp", "kubernetes_asyncio", "yarl"}
        | {"server", "anyio", "cryptography", "httptools", "starlette", "uvicorn"}
        | {"prometheus_client"},
    ),
    "snapshot": (
        ["--kubeconfig", "/dev/null"],
        DECIDES - {"manifests"}
        | {"attr", "asyncio", "client", "controllers", "real", "runtime", "store"}
        | {"aiohttp", "kubernetes_asyncio", "yarl"},
    ),
    "record": (
        ["-o", "/dev/null", "--kubeconfig", "/dev/null"],
        DECIDES - {"manifests"}
        | {"attr", "asyncio", "client", "controllers", "real", "recording", "runtime", "store"}
        | {"aiohttp", "kubernetes_asyncio", "prometheus_client", "yarl"},
    ),
    "top": (["--kubeconfig", "/dev/null"], {"api"}),
    "plan": (EXAMPLE, PLAYS | {"plan", "presenting", "workers"}),
    "explain": (
        [*EXAMPLE, "red-1"],
        PLAYS | {"plan", "decide", "explaining", "presenting", "workers"},
    ),
    "capacity": (
        [*EXAMPLE, "--pod", "examples/best-practice/orange.yaml"],
        PLAYS | {"advice", "decide", "explaining", "plan", "presenting", "workers"},
    ),
    "lint": (EXAMPLE, DECIDES | {"linting", "plan", "presenting", "store"}),
    "rollout": (
        [*EXAMPLE, "--classes", "examples/best-practice/orange.yaml"],
        PLAYS | {"advice", "decide", "explaining", "plan", "presenting", "workers"},
    ),
    "drain": ([*EXAMPLE, "worker-1"], PLAYS | {"advice", "plan", "presenting", "workers"}),
    "fail": ([*EXAMPLE, "worker-1"], PLAYS | {"advice", "plan", "presenting", "workers"}),
    "resilience": (
        [*EXAMPLE, "worker-1", "--no-drains"],
        PLAYS | {"advice", "decide", "explaining", "plan", "presenting", "workers"},
    ),
    "simulate": (["/dev/null"], PLAYS),
    "sweep": (["/dev/null"], PLAYS | {"experiments", "presenting", "recording", "workers"}),
    "compare": (
        ["default", "default", "-s", "/dev/null"],
        PLAYS | {"experiments", "presenting", "recording", "workers"},
    ),
    "import": (
        ["openb", "/dev/null", "/dev/null"],
        {"api", "apiserver", "importing", "manifests", "yaml"},
    ),
    "decide": (["/dev/null"], DECIDES | {"decide"}),
    "bench": (["--list"], {"api", "bench"}),
    "schema": ([], {"api", "documents", "schemas"}),
    "version": ([], {"api"}),
    "help": ([], {"api", "embedded", "node", "plan", "real"}),
}

# Each is forked from one that has imported less: nobody has to import what many need.
REPORT = """
import json, os, sys
from podium.cli.main import app
commands, directory = json.loads(sys.argv[1]), sys.argv[2]
def report(parent):
    for name, (fork_of, runs) in commands.items():
        if fork_of != parent:
            continue
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        for arguments in runs:
            try:
                app(arguments)
            except SystemExit:
                pass
        with open(os.path.join(directory, name), "w") as file:
            json.dump([*sys.modules], file)
        report(name)
        os._exit(0)
report("")
"""
HELPS = "all helps"

Imported = Callable[[str], set[str]]


def parent_of(command: str) -> str:
    """The command that may import most of what this one may, and nothing else."""
    fewer = [other for other, (_, modules) in RUNS.items() if modules < RUNS[command][1]]
    return max(fewer, key=lambda other: len(RUNS[other][1]), default="")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """Our packages, and others that take long, that a command or its parent imports."""
    directory = tmp_path_factory.mktemp("modules")
    commands = {
        command: (parent_of(command), [[command, *arguments]])
        for command, (arguments, _) in RUNS.items()
    }
    commands[HELPS] = "", [["--help"], *([command, "--help"] for command in main.COMMANDS)]
    run = [sys.executable, "-c", REPORT, json.dumps(commands), str(directory)]
    subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, check=True)

    def modules_of(command: str) -> set[str]:
        modules = json.loads((directory / command).read_text())
        ours = {module.split(".")[1] for module in modules if module.startswith("podium.")}
        return ours - {"cli"} | (PLAYS | SERVES | JOINS | OTHERS).intersection(modules)

    return modules_of


def test_help_imports_no_more_than_options(imported: Imported) -> None:
    assert imported(HELPS) <= {"api", "embedded", "node", "plan", "real"}


def test_every_command_is_judged() -> None:
    assert RUNS.keys() == set(main.COMMANDS)


@pytest.mark.parametrize("command", RUNS)
def test_a_command_imports_only_what_it_uses(imported: Imported, command: str) -> None:
    assert imported(command) <= RUNS[command][1]


def test_a_command_is_imported_only_when_it_is_called() -> None:
    code = "import sys, podium.cli.main; sys.exit('podium.cli.plan' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
