# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents: no text lies over another, leaves its diagram or is too small, and names tell points apart."""

from collections import Counter
from itertools import combinations

from garner_hw.report import document, labels, plot, wave

COLUMN = 1000  # pixels of a page's column of text
LEAST = 9  # pixels of the smallest letters that are easily read


def faults(figure) -> list[str]:
    """What a reader would trip over."""
    boxes = labels.boxes(figure)
    found = [f"{a!r} lies over {b!r}" for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]
    found += [f"{text!r} leaves the picture" for text, box in boxes if not labels.contains(figure.bbox, box)]
    for axis in figure.axes:
        inside = axis.get_window_extent()
        found += [f"{text.get_text()!r} leaves its diagram" for text in axis.texts
                  if not labels.contains(inside, labels.text_box(text, figure.canvas.get_renderer()))]
        twice = Counter(text.get_text() for text in axis.texts if hasattr(text, "xyann"))
        found += [f"{count} points are called {name!r}" for name, count in twice.items() if count > 1]
    return found


def smallest(figure, pixels: int) -> float:
    """Height of the smallest letters where the picture is so many pixels wide."""
    from matplotlib.text import Text

    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return min(sizes) / (72 * figure.get_size_inches()[0]) * pixels


def test_names_of_points_cover_nothing_and_are_different():
    found, _ = document.records()
    figure = plot.points_figure(document.core_points(found))
    assert len(figure.axes[0].texts) > 4, "names of published and of own points"
    assert faults(figure) == []
    assert smallest(figure, COLUMN) >= LEAST


def test_a_name_without_a_free_place_is_an_error():
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(1, 1))
    try:
        labels.place(axis, [(0.5, 0.5, "a name much longer than its diagram is wide", "black")])
    except ValueError as error:
        assert "no free place" in str(error)
    else:
        raise AssertionError(faults(figure))


def test_waves_are_read_in_a_column_of_text():
    # As many cycles and as wide words as one multiplication has, all of them different from those before.
    rows = {f"row {i} out": 0 for i in range(wave.ROWS)}
    idle = {"op_valid_i": False, "busy_o": True, "digit of a": 0, "word of b": 0, "partial sum in": 0, "word of Nb": 0, **rows}
    samples = [{name: value if isinstance(value, bool) else 0x80 + cycle for name, value in idle.items()} for cycle in range(87)]
    title = f"mont: 4 rows, 8-bit words, n = {'d' * 10}: {'c' * 10} * {'b' * 10} / 2^64 mod n = {'a' * 10}"
    figure = wave.wave_figure({"title": title, "samples": samples})
    assert faults(figure) == []
    assert smallest(figure, COLUMN) >= LEAST
    shown = Counter(text.get_text() for axis in figure.axes for text in axis.texts)
    assert shown == {f"{0x80 + cycle:02x}": len(idle) - 2 for cycle in range(87)}
