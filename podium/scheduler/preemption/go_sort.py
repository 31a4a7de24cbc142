"""The sort of Go's `sort.Slice`: a variant of pattern-defeating quicksort.

kube-scheduler sorts victims with it. It isn't stable, and victims often compare equal, so that only
this algorithm returns the order of kube-scheduler. Up to 12 elements it is an insertion sort; the
rest follows the published algorithm (Peters, "Pattern-defeating Quicksort") with Go's constants and
its xorshift generator seeded by the length.
"""

from collections.abc import Callable, MutableSequence
from typing import TypeVar

T = TypeVar("T")
Less = Callable[[T, T], bool]

INSERTION_MAX = 12
_NINTHER_MIN = 50
_SHORTEST_SHIFTING = 50
_STEPS_MAX = 5
_SWAPS_MAX = 4 * 3
_MASK = (1 << 64) - 1


def go_sort(items: MutableSequence[T], less: Less[T]) -> None:
    """Sort items in place, with the result of Go's `sort.Slice(items, less)`."""
    _Sorter(items, less).sort(0, len(items), len(items).bit_length())


class _Sorter:
    def __init__(self, items: MutableSequence[T], less: Less[T]) -> None:
        self._items = items
        self._compare = less

    def _less(self, i: int, j: int) -> bool:
        return self._compare(self._items[i], self._items[j])

    def _swap(self, i: int, j: int) -> None:
        items = self._items
        items[i], items[j] = items[j], items[i]

    def sort(self, a: int, b: int, limit: int) -> None:
        """Sort items[a:b]; `limit` bad pivots are allowed before heap sort takes over."""
        was_balanced = was_partitioned = True
        while True:
            length = b - a
            if length <= INSERTION_MAX:
                self._insertion_sort(a, b)
                return
            if limit == 0:
                self._heap_sort(a, b)
                return
            if not was_balanced:
                self._break_patterns(a, b)
                limit -= 1
            pivot, hint = self._choose_pivot(a, b)
            if hint == "decreasing":
                self._items[a:b] = self._items[a:b][::-1]
                pivot, hint = (b - 1) - (pivot - a), "increasing"
            if (
                was_balanced
                and was_partitioned
                and hint == "increasing"
                and self._partial_insertion_sort(a, b)
            ):
                return
            if a > 0 and not self._less(a - 1, pivot):
                a = self._partition_equal(a, b, pivot)
                continue
            middle, was_partitioned = self._partition(a, b, pivot)
            left, right = middle - a, b - middle
            was_balanced = min(left, right) >= length // 8
            if left < right:
                self.sort(a, middle, limit)
                a = middle + 1
            else:
                self.sort(middle + 1, b, limit)
                b = middle

    def _insertion_sort(self, a: int, b: int) -> None:
        for i in range(a + 1, b):
            j = i
            while j > a and self._less(j, j - 1):
                self._swap(j, j - 1)
                j -= 1

    def _heap_sort(self, a: int, b: int) -> None:
        length = b - a
        for root in range((length - 1) // 2, -1, -1):
            self._sift_down(root, length, a)
        for last in range(length - 1, -1, -1):
            self._swap(a, a + last)
            self._sift_down(0, last, a)

    def _sift_down(self, root: int, length: int, first: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child

    def _break_patterns(self, a: int, b: int) -> None:
        length = b - a
        random = length
        modulus = 1 << length.bit_length()
        index = a + (length // 4) * 2
        for i in range(3):
            random ^= (random << 13) & _MASK
            random ^= random >> 7
            random ^= (random << 17) & _MASK
            other = random & (modulus - 1)
            if other >= length:
                other -= length
            self._swap(index - 1 + i, a + other)

    def _choose_pivot(self, a: int, b: int) -> tuple[int, str]:
        length = b - a
        self._swaps = 0
        i, j, k = (a + length // 4 * quarter for quarter in (1, 2, 3))
        if length >= _NINTHER_MIN:
            i, j, k = (self._median(place - 1, place, place + 1) for place in (i, j, k))
        j = self._median(i, j, k)
        hint = {0: "increasing", _SWAPS_MAX: "decreasing"}.get(self._swaps, "unknown")
        return j, hint

    def _median(self, i: int, j: int, k: int) -> int:
        i, j = self._ordered(i, j)
        j, k = self._ordered(j, k)
        i, j = self._ordered(i, j)
        return j

    def _ordered(self, i: int, j: int) -> tuple[int, int]:
        if self._less(j, i):
            self._swaps += 1
            return j, i
        return i, j

    def _partial_insertion_sort(self, a: int, b: int) -> bool:
        i = a + 1
        for _ in range(_STEPS_MAX):
            while i < b and not self._less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < _SHORTEST_SHIFTING:
                return False
            self._swap(i, i - 1)
            if i - a >= 2:
                for j in range(i - 1, 0, -1):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
            if b - i >= 2:
                for j in range(i + 1, b):
                    if not self._less(j, j - 1):
                        break
                    self._swap(j, j - 1)
        return False

    def _partition_equal(self, a: int, b: int, pivot: int) -> int:
        self._swap(a, pivot)
        i, j = a + 1, b - 1
        while True:
            while i <= j and not self._less(a, i):
                i += 1
            while i <= j and self._less(a, j):
                j -= 1
            if i > j:
                return i
            self._swap(i, j)
            i, j = i + 1, j - 1

    def _partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        self._swap(a, pivot)
        i, j, was_partitioned = a + 1, b - 1, True
        while True:
            while i <= j and self._less(i, a):
                i += 1
            while i <= j and not self._less(j, a):
                j -= 1
            if i > j:
                self._swap(j, a)
                return j, was_partitioned
            self._swap(i, j)
            i, j, was_partitioned = i + 1, j - 1, False
