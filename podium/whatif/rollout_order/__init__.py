"""An order in which to introduce PriorityClasses without harm to important pods."""
