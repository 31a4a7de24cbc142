"""The colours of priority classes can be told apart, also by those who don't see all colours."""

import re
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import pytest

from tests.conftest import ROOT

Colour = tuple[float, ...]

SOURCE = (ROOT / "dashboard/src/palette.ts").read_text()
STYLE = (ROOT / "dashboard/src/app.css").read_text()
CLASSES_MOST = 7
# Linear RGB as it is seen: Machado, Oliveira and Fernandes 2009, severity 1.
VISIONS: Final = {
    "all colours": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# sRGB to XYZ, by the white point of D65.
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
) / np.array([[0.95047], [1.0], [1.08883]])


def colours(text: str) -> list[Colour]:
    """What `#rrggbb` stands for, 0 to 1."""
    found = re.findall(r"#([0-9a-f]{6})", text)
    return [tuple(int(one[at : at + 2], 16) / 255 for at in (0, 2, 4)) for one in found]


def ramp(theme: str) -> list[Colour]:
    (line,) = re.findall(rf"const {theme} = .*", SOURCE)
    return colours(line)


def of_classes(theme: str, number: int) -> list[Colour]:
    """The colours of so many classes, as the page mixes them."""
    own = ramp(theme)
    at = np.linspace(0, len(own) - 1, number)
    mixed = [np.interp(at, range(len(own)), channel) for channel in zip(*own, strict=True)]
    return [*zip(*mixed, strict=True)]


def seen(colour: Colour, vision: str) -> np.ndarray:
    """It in CIELAB, as somebody sees it."""
    given = np.array(colour)
    linear = np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)
    x, y, z = XYZ @ np.clip(VISIONS[vision] @ linear, 0, 1)
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def least(pairs: list[tuple[Colour, Colour]], vision: str) -> float:
    return min(float(np.linalg.norm(seen(a, vision) - seen(b, vision))) for a, b in pairs)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["LIGHT", "DARK"])
def test_classes_differ_from_each_other_and_from_what_is_around(theme: str, vision: str) -> None:
    (system,) = colours(re.findall(r"const SYSTEM = .*", SOURCE)[0])
    style = STYLE.split("}")[["LIGHT", "DARK"].index(theme)]
    around = colours(" ".join(re.findall(r"--(?:box|empty): #\w+", style)))
    assert len(around) == 2
    for number in range(2, CLASSES_MOST + 1):
        own = of_classes(theme, number)
        assert least([*combinations(own, 2)], vision) > 11
        assert least([(system, one) for one in own], vision) > 20
        assert least([(one, other) for one in (*own, system) for other in around], vision) > 14


@pytest.mark.parametrize("theme", ["LIGHT", "DARK"])
def test_the_higher_a_class_the_more_it_stands_out(theme: str) -> None:
    lightness = [seen(one, "all colours")[0] for one in ramp(theme)]
    steps = [b - a for a, b in pairwise(lightness)]
    assert all(step < 0 for step in steps) if theme == "LIGHT" else all(step > 0 for step in steps)
