"""Columns of resources: new ones, and rows that come and go."""

from podium.scheduler.snapshot.resource_columns import ResourceColumns


def test_a_new_resource_leaves_the_other_columns_as_they_are() -> None:
    """Anew for each of thousands of resources, the views of all columns would take seconds."""
    columns = ResourceColumns()
    for _ in range(4):
        columns.append_row()
    cpu = columns.requested_at[0]
    index = columns.index_of("example.com/x")
    assert columns.requested_at[0] is cpu
    columns.add(2, [(index, 5)], (0, 0), 1)
    assert columns.requested[index].tolist() == [0, 0, 5, 0]


def test_the_last_row_takes_the_place_of_one_that_is_removed() -> None:
    columns = ResourceColumns()
    for row in range(3):
        columns.append_row()
        columns.set_allocatable(row, {"cpu": row + 1, "pods": 10 * row})
        columns.add(row, [(0, row)], (row, 0), 1)
    columns.remove_row(0)
    assert columns.allocatable[0].tolist() == [3, 2]
    assert columns.requested[0].tolist() == [2, 1]
    assert columns.free[0].tolist() == [1, 1]
    assert columns.free_pods.tolist() == [19, 9]
    columns.append_row()
    every = (*columns.allocatable, *columns.requested, *columns.free)
    counts = (columns.nonzero_cpu, columns.nonzero_memory, columns.pods, columns.free_pods)
    assert [int(column[2]) for column in (*every, *counts)] == [0] * (len(every) + len(counts))
