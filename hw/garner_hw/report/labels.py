# SPDX-License-Identifier: Apache-2.0
"""Names beside the points of a diagram, where they cover neither one another nor a point, nor leave the axes."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase, RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# Where a name may stand, seen from its point: towards the right or the left, so many points away, and higher or lower.
PLACES = [(side, away, up) for away in (7, 16, 28, 44) for up in (0, 9, -9, 18, -18, 30, -30, 44, -44) for side in (1, -1)]
MARKER = 6  # points that a marker takes, each way together


def place(axis: Axes, names: Sequence[tuple[float, float, str, str]], size: float = 8) -> None:
    """Writes each (x, y, name, colour) at the first place that is free, with a thin line from the point if it is far off.

    Call it last: it asks the axis for its limits and the figure for its layout.
    """
    figure = axis.figure
    renderer, inside = drawn(figure.canvas), axis.get_window_extent()
    half = MARKER / 2 * figure.dpi / 72
    taken = [Bbox.from_extents(x - half, y - half, x + half, y + half)
             for x, y in (axis.transData.transform((x, y)) for x, y, _, _ in names)]
    for x, y, name, colour in names:
        for side, away, up in PLACES:
            far = away > 7 or abs(up) > 9
            text = axis.annotate(
                name, (x, y), textcoords="offset points", xytext=(side * away, up), fontsize=size, color=colour,
                ha="left" if side > 0 else "right", va="center",
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3} if far else None)
            box = text_box(text, renderer)
            if contains(inside, box) and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()
        else:
            raise ValueError(f"{name}: no free place beside its point")


def drawn(canvas: FigureCanvasBase) -> RendererBase:
    """The renderer of a figure's canvas, with the figure drawn."""
    canvas.draw()
    assert isinstance(canvas, FigureCanvasAgg)
    return canvas.get_renderer()


def text_box(text: Text, renderer: RendererBase) -> Bbox:
    """The box of a text's words alone, without the line of an annotation."""
    text.get_window_extent(renderer)  # brings an annotation to its place
    return Text.get_window_extent(text, renderer)


def contains(outer: Bbox, inner: Bbox) -> bool:
    return outer.x0 <= inner.x0 and inner.x1 <= outer.x1 and outer.y0 <= inner.y0 and inner.y1 <= outer.y1


def boxes(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is seen in a figure with its box, for tests."""
    renderer = drawn(figure.canvas)
    # An axis keeps ticks beyond its ends, which are not drawn.
    beyond = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
              for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()) for label in (tick.label1, tick.label2)
              if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and text not in beyond]
    return [(text.get_text(), text_box(text, renderer)) for text in texts]
