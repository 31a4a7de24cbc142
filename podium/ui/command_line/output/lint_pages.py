"""The pages about rules, which stand in the documentation and come with the package."""

from difflib import get_close_matches
from pathlib import Path

import podium
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import console, print_table
from podium.whatif.lint.catalogue import RULES

_PACKAGE = Path(podium.__file__).parent
# Of an installed package, and of a checkout.
_FOLDERS = (_PACKAGE / "whatif" / "lint" / "pages", _PACKAGE.parent / "docs" / "lint")


def page_of(rule_id: str) -> str:
    """The page about a rule."""
    if rule_id not in RULES:
        near = get_close_matches(rule_id, RULES)
        hint = f"is {' or '.join(near)} meant?" if near else "podium lint --list lists them"
        raise InputError(f"--explain {rule_id}: there is no such rule; {hint}")
    for folder in _FOLDERS:
        page = folder / f"{rule_id}.md"
        if page.is_file():
            return page.read_text(encoding="utf-8")
    raise InputError(f"--explain {rule_id}: the package has come without its pages")


def print_rules() -> None:
    """Print all rules: what each finds, and how much that matters."""
    rows = [(rule.id, str(rule.severity), rule.title) for rule in RULES.values()]
    print_table(console(), ("RULE", "SEVERITY", "FINDS"), rows)
