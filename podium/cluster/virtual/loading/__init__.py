"""Loading of a state into a virtual cluster, as if its objects had always been there."""
