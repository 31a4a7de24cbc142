"""ResourceQuotas: what objects use of them, and which of them an object counts for.

The one place of this arithmetic. Admission charges a quota before an object is stored, and a
controller counts everything anew from time to time; both ask here. The rules are those of
v1.36's `quota` package and its evaluators.
"""
