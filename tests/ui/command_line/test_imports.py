"""Help is printed without the packages that take long to import."""

import subprocess
import sys

from podium.ui.command_line import main

SLOW = frozenset({"aiohttp", "cryptography", "kubernetes_asyncio", "numpy", "optuna", "yaml"})

SHOW_HELP = f"""
import sys
from podium.ui.command_line.main import COMMANDS, app
for command in ([], *([one] for one in COMMANDS)):
    try:
        app([*command, "--help"])
    except SystemExit:
        pass
print("IMPORTED", *({set(SLOW)} & sys.modules.keys()))
"""


def test_help_imports_no_slow_package() -> None:
    run = [sys.executable, "-c", SHOW_HELP]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed.count("Usage: ") > len(main.COMMANDS)
    assert printed.splitlines()[-1] == "IMPORTED"
