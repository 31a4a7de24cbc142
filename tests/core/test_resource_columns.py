"""Columns of resources come one by one, however many a node has."""

from podium.core.resource_columns import ResourceColumns


def test_a_new_resource_leaves_the_other_columns_as_they_are() -> None:
    """Anew for each of thousands of resources, the views of all columns would take seconds."""
    columns = ResourceColumns(4)
    cpu = columns.requested_at[0]
    index = columns.index_of("example.com/x")
    assert columns.requested_at[0] is cpu
    columns.add(2, [(index, 5)], (0, 0), 1)
    assert columns.requested[index].tolist() == [0, 0, 5, 0]
