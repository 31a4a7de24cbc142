"""The policies that the options of a scheduler enable; none by default."""

from podium.scheduler.config.scheduler_options import BudgetPolicy, PreemptionScope
from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.policies.cross_node import CrossNodePreemption
from podium.scheduler.preemption.policies.delayed_preemption import DelayedPreemption
from podium.scheduler.preemption.policies.preemption_rates import PreemptionRates
from podium.scheduler.preemption.policies.protected_pods import ProtectedPods, rules_of
from podium.scheduler.preemption.policies.respected_budgets import RespectedBudgets
from podium.scheduler.preemption.policies.whole_gangs import WholeGangs
from podium.scheduler.preemption.policy import PreemptionPolicies, PreemptionPolicy
from podium.scheduler.preemption.victim_order import IMPORTANCE
from podium.scheduler.preemption.victim_table import Protection, VictimTables


def policies_of(handle: Handle) -> PreemptionPolicies:
    """Make the policies that the scheduler's options enable, by precedence."""
    options, history, enabled = handle.options, handle.history, list[PreemptionPolicy]()
    protection, protected = options.protection, None
    if options.patience:
        enabled.append(DelayedPreemption(handle))
    rates = None
    if protection.rates:
        rates = PreemptionRates(protection.rates, history, handle.clock)
        enabled.append(rates)
    if rules := rules_of(protection, handle.listers, history, rates):
        protected = ProtectedPods(handle, rules, rates)
        enabled.append(protected)
    respects = options.disruption_budgets is not BudgetPolicy.BEST_EFFORT
    if respects or options.budget_annotations or options.budget_respecting_classes:
        enabled.append(RespectedBudgets(handle))
    if handle.gangs is not None:
        enabled.append(WholeGangs(handle.gangs))
    if options.preemption_scope is PreemptionScope.CROSS_NODE:
        enabled.append(CrossNodePreemption(handle, victim_tables(handle, protected)))
    return PreemptionPolicies(enabled, history.leaving)


def victim_tables(handle: Handle, protection: Protection | None) -> VictimTables:
    """Make tables of potential victims, ordered by the option `victimOrder`."""
    importance = IMPORTANCE[handle.options.victim_order]
    return VictimTables(handle.snapshot, handle.budgets, importance, protection)
