"""Role-based access control: who may do what, by the roles and bindings that are stored.

`authorizer.py` decides, `escalation.py` keeps those who write roles and bindings from giving away
what they don't have, and `default_roles.py` has the roles that every cluster comes with. Rules and
words are those of v1.36.
"""
