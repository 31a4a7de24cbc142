"""`python -m podium`: the command, where it isn't on the path."""

from podium.cli.main import app_entry

app_entry()
