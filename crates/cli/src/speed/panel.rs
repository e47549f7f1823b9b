// SPDX-License-Identifier: Apache-2.0
//! One diagram of the picture: axes, ticks, lines. Knows nothing of what the lines mean.

use crate::output::grouped;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// Where to draw.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// What drawing can end in.
pub type DrawError = DrawingAreaErrorKind<std::io::Error>;

/// Text.
pub const INK: RGBColor = RGBColor(38, 38, 38);
/// Text of second rank.
pub const FAINT: RGBColor = RGBColor(100, 100, 100);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// A colour for each line.
pub const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// From here on a logarithmic axis has one tick in each decade.
const WIDE: f64 = 150.0;

const LEFT: i32 = 78;
const RIGHT: i32 = 20;
const TOP: i32 = 28;
const BOTTOM: i32 = 44;

/// The vertical axis.
pub enum Axis {
    /// From zero, with steps of equal height.
    Linear { top: f64, step: f64 },
    /// Powers of ten of equal height.
    Log { low: f64, high: f64 },
}

impl Axis {
    /// From zero to a little above `highest`.
    pub fn linear(highest: f64) -> Axis {
        let highest = if highest > 0.0 { highest } else { 1.0 };
        let power = 10f64.powf((highest / 4.0).log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
        let step = step.into_iter().find(|step| highest / step <= 5.0).unwrap_or(10.0 * power);
        Axis::Linear { top: (highest * 1.04 / step).ceil() * step, step }
    }

    /// From `low` to `high` and a little more, both above zero.
    pub fn decades(low: f64, high: f64) -> Axis {
        let (low, high) = if 0.0 < low && low <= high { (low, high) } else { (1.0, 10.0) };
        // Over many decades only whole ones have ticks; begin at one.
        let low = if high / low < WIDE { low / 1.4 } else { 10f64.powf((low / 1.1).log10().floor()) };
        Axis::Log { low, high: high * 1.4 }
    }

    /// Where `value` is, from 0 at the bottom to 1 at the top.
    fn place(&self, value: f64) -> f64 {
        match self {
            Axis::Linear { top, .. } => value / top,
            Axis::Log { low, high } => (value / low).ln() / (high / low).ln(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        match *self {
            Axis::Linear { top, step } => (0..=(top / step).round() as u32).map(|i| f64::from(i) * step).collect(),
            Axis::Log { low, high } => {
                // Few decades leave room for ticks between.
                let between: &[f64] = if high / low < WIDE * 1.96 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
                let ticks = decades.flat_map(|decade| between.iter().map(move |factor| factor * 10f64.powi(decade)));
                ticks.filter(|tick| (low..=high).contains(tick)).collect()
            }
        }
    }
}

/// A diagram with its axes drawn.
pub struct Panel<'a, 'b> {
    area: &'a Area<'b>,
    axis: Axis,
    /// Least and greatest number of callers.
    callers: (f64, f64),
    size: (i32, i32),
}

impl<'a, 'b> Panel<'a, 'b> {
    /// Draws caption, grid and ticks: `callers` (ascending) below, `axis` on the left, told by `show`.
    pub fn new(
        area: &'a Area<'b>,
        caption: &str,
        callers: &[usize],
        axis: Axis,
        show: fn(f64) -> String,
    ) -> Result<Panel<'a, 'b>, DrawError> {
        let (width, height) = area.dim_in_pixel();
        let ends = |callers: Option<&usize>| callers.map_or(1.0, |&callers| callers as f64);
        let panel = Panel {
            area,
            axis,
            callers: (ends(callers.first()), ends(callers.last())),
            size: (width as i32, height as i32),
        };
        let (left, right, bottom) = (LEFT, panel.size.0 - RIGHT, panel.size.1 - BOTTOM);
        area.draw(&Text::new(caption.to_owned(), (left, 6), bold(14)))?;
        for tick in panel.axis.ticks() {
            let y = panel.y(tick);
            area.draw(&PathElement::new([(left, y), (right, y)], GRID))?;
            area.draw(&Text::new(show(tick), (left - 8, y), anchored(12, INK, HPos::Right, VPos::Center)))?;
        }
        let mut free = i32::MIN;
        for &callers in callers {
            let x = panel.x(callers);
            area.draw(&PathElement::new([(x, bottom), (x, bottom + 5)], FAINT))?;
            let label = grouped(callers as u64);
            let half = text_width(&label, 12) / 2;
            // A tick whose number would run into the one before has none.
            if x - half < free {
                continue;
            }
            free = x + half + 4;
            area.draw(&Text::new(label, (x, bottom + 8), anchored(12, INK, HPos::Center, VPos::Top)))?;
        }
        area.draw(&PathElement::new([(left, bottom), (right, bottom)], FAINT))?;
        let middle = ((left + right) / 2, bottom + 24);
        area.draw(&Text::new("callers", middle, anchored(12, FAINT, HPos::Center, VPos::Top)))?;
        Ok(panel)
    }

    /// Where `callers` is: doublings are equally far apart.
    fn x(&self, callers: usize) -> i32 {
        let (least, greatest) = self.callers;
        let (left, right) = (LEFT + 16, self.size.0 - RIGHT - 16);
        if greatest <= least {
            return (left + right) / 2;
        }
        let part = (callers as f64 / least).ln() / (greatest / least).ln();
        left + (part * f64::from(right - left)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        let (top, bottom) = (TOP, self.size.1 - BOTTOM);
        bottom - (self.axis.place(value) * f64::from(bottom - top)).round() as i32
    }

    /// A dotted line across at `value`. The legend says what it is: a name beside it would lie under other lines.
    pub fn rule(&self, value: f64) -> Result<(), DrawError> {
        dotted(self.area, LEFT..self.size.0 - RIGHT, self.y(value))
    }

    /// A line through `points`, in the `system`th colour; dashed without markers, or whole with them.
    pub fn line(&self, system: usize, points: &[(usize, f64)], dashed: bool) -> Result<(), DrawError> {
        let places: Vec<(i32, i32)> = points.iter().map(|&(callers, value)| (self.x(callers), self.y(value))).collect();
        let style = COLOURS[system % COLOURS.len()].stroke_width(2);
        if !dashed {
            self.area.draw(&PathElement::new(places.clone(), style))?;
            return places.into_iter().try_for_each(|place| marker(self.area, system, place));
        }
        for pair in places.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
            let length = dx.hypot(dy);
            let at = |distance: f64| {
                let part = (distance / length).min(1.0);
                (from.0 + (dx * part).round() as i32, from.1 + (dy * part).round() as i32)
            };
            let mut done = 0.0;
            while done < length {
                self.area.draw(&PathElement::new([at(done), at(done + 6.0)], style))?;
                done += 10.0;
            }
        }
        // A single number of callers makes no line; its tail is shown all the same.
        if let [(x, y)] = places[..] {
            self.area.draw(&PathElement::new([(x - 8, y), (x + 8, y)], style))?;
        }
        Ok(())
    }
}

/// A dotted line.
pub fn dotted(area: &Area<'_>, x: Range<i32>, y: i32) -> Result<(), DrawError> {
    let mut dots = (x.start..x.end - 2).step_by(6);
    dots.try_for_each(|x| area.draw(&PathElement::new([(x, y), (x + 2, y)], FAINT.stroke_width(2))))
}

/// Pixels that a text of this size takes, in the widest of the common sans-serif fonts: the reader's is not known. Characters
/// have 0.62 of their height there, and plotters makes them 1 / 1.24 of the size it was given.
pub fn text_width(text: &str, size: i32) -> i32 {
    text.chars().count() as i32 * size / 2 + 1
}

/// A system's marker: circle, square, triangle, cross.
pub fn marker(area: &Area<'_>, system: usize, (x, y): (i32, i32)) -> Result<(), DrawError> {
    let style = COLOURS[system % COLOURS.len()].filled();
    match system % COLOURS.len() {
        0 => area.draw(&Circle::new((x, y), 4, style)),
        1 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], style)),
        2 => area.draw(&TriangleMarker::new((x, y), 5, style)),
        _ => area.draw(&Cross::new((x, y), 4, style.stroke_width(2))),
    }
}

/// Text of this size and colour, placed by its upper left corner.
pub fn font(size: i32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

/// The same in bold ink.
pub fn bold(size: i32) -> TextStyle<'static> {
    ("sans-serif", size, FontStyle::Bold).into_font().color(&INK)
}

fn anchored(size: i32, colour: RGBColor, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    font(size, colour).pos(Pos::new(horizontal, vertical))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_linear_axis_cover_the_values() {
        for highest in [0.9, 3.7, 16_740.0, 402_000.0] {
            let axis = Axis::linear(highest);
            let ticks = axis.ticks();
            assert!(ticks.len() >= 3 && ticks.len() <= 8, "{highest}: {ticks:?}");
            assert!(ticks[0] == 0.0 && *ticks.last().unwrap() >= highest);
            assert!(axis.place(highest) <= 1.0);
        }
    }

    #[test]
    fn a_logarithmic_axis_holds_its_values() {
        let axis = Axis::decades(120.0, 80_000.0);
        assert!(axis.place(120.0) > 0.0 && axis.place(80_000.0) < 1.0);
        assert_eq!(axis.ticks(), [1e2, 1e3, 1e4, 1e5]);
    }
}
