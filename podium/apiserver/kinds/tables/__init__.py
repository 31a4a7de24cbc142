"""Tables that kubectl prints: the columns of kinds and the cells of objects."""
