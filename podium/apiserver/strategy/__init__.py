"""Strategies: how objects of each kind are prepared before they are judged and stored.

What kube-apiserver does between taking an object in and validating it: who may set the status and
who the rest, how generations count, what a new object starts with. Admission and defaulting are
told elsewhere; nothing here refuses anything.
"""

from podium.apiserver.strategy.kinds import strategy_of
from podium.apiserver.strategy.strategy import Creation, Strategy

__all__ = ["Creation", "Strategy", "strategy_of"]
