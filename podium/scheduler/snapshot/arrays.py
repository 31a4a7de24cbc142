"""Types of arrays over the rows of a snapshot; a row is a node."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Scores = NDArray[np.int64]
Sums = Sequence[NDArray[np.int64]]
