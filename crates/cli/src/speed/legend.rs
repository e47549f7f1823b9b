// SPDX-License-Identifier: Apache-2.0
//! The legend of the picture: every mark with its name, in as many lines as they take.

use super::panel::{Area, COLOURS, DrawError, FAINT, INK, dotted, font, marker, text_width};
use plotters::prelude::*;

/// Pixels free on the left and on the right of all text.
pub const MARGIN: i32 = 24;

/// Height of a line.
const LINE: i32 = 22;

/// Size of the names.
const SIZE: i32 = 13;

/// Width of a mark, and of the space up to its name.
const MARK: i32 = 26;
const SPACE: i32 = 7;

/// What is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line with the marker of the system of this number.
    System(usize),
    /// A whole line, of any system.
    Line,
    /// A dashed line.
    Dashes,
    /// A dotted line.
    Dots,
}

/// Where each mark begins: x, and y of its middle.
fn places(marks: &[(Mark, String)], width: i32) -> Vec<(i32, i32)> {
    let (mut x, mut y) = (MARGIN, LINE / 2);
    let place = |(_, name): &(Mark, String)| {
        let end = x + MARK + SPACE + text_width(name, SIZE);
        if x > MARGIN && end > width - MARGIN {
            (x, y) = (MARGIN, y + LINE);
        }
        let place = (x, y);
        x += MARK + SPACE + text_width(name, SIZE) + 18;
        place
    };
    marks.iter().map(place).collect()
}

/// Pixels it takes below one another in a picture of this width.
pub fn height(marks: &[(Mark, String)], width: i32) -> i32 {
    places(marks, width).last().map_or(0, |(_, y)| y + LINE / 2) + 6
}

/// Draws it at the top of `area`, and gives its [height].
pub fn draw(area: &Area<'_>, marks: &[(Mark, String)]) -> Result<i32, DrawError> {
    let width = area.dim_in_pixel().0 as i32;
    for ((mark, name), (x, y)) in marks.iter().zip(places(marks, width)) {
        let line = |from: i32, to: i32, colour: RGBColor| {
            area.draw(&PathElement::new([(x + from, y), (x + to, y)], colour.stroke_width(2)))
        };
        match *mark {
            Mark::System(i) => {
                line(0, MARK, COLOURS[i % COLOURS.len()])?;
                marker(area, i, (x + MARK / 2, y))?;
            }
            Mark::Line => line(0, MARK, FAINT)?,
            Mark::Dashes => {
                [(0, 6), (10, 16), (20, 26)].into_iter().try_for_each(|(from, to)| line(from, to, FAINT))?
            }
            Mark::Dots => dotted(area, x..x + MARK, y)?,
        }
        area.draw(&Text::new(name.clone(), (x + MARK + SPACE, y - SIZE / 2 - 1), font(SIZE, INK)))?;
    }
    Ok(height(marks, width))
}
