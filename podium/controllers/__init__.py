"""Controllers: what keeps a cluster the way its objects say, as functions of its state."""
