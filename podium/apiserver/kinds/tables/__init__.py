"""The tables that kubectl prints: which columns a kind has, and what their cells say."""
