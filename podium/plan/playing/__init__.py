"""Playing a plan out in virtual time: the changed state in a cluster with nodes and a scheduler.

What other controllers would do about a state isn't left to the controllers themselves. A state is
seldom all that there is, and they would repair what is only missing from it: a StatefulSet whose
revisions weren't exported would replace all its pods. So one machine makes up for pods that are
lost while the plan is played (`replacing`), another keeps budgets by what happens to their pods
(`budget_keeping`); what was there before stays as it was.
"""
