// SPDX-License-Identifier: Apache-2.0
//! Rate and latency against the size of a batch, as a picture: one line for each size of key.

use crate::report::Row;
use plotters::coord::Shift;
use plotters::prelude::*;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Okabe and Ito's, told apart by the colour-blind too.
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// Of the whole picture.
const SIZE: (u32, u32) = (760, 760);

/// Batches and what they came to, for one size of key.
type Line = (usize, Vec<(f64, f64)>);

/// The picture of private operations to and fro with mixed keys, as SVG; none where there are no two sizes of batches.
///
/// # Errors
/// What drawing ends in.
pub fn draw(rows: &[Row], gpu: &str) -> Result<Option<String>, Failed> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.op == "private" && !row.one_key).collect();
    let lines = |value: fn(&Row) -> f64| -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for row in &rows {
            let point = (row.batch as f64, value(row));
            match lines.iter_mut().find(|line| line.0 == row.bits) {
                Some(line) => line.1.push(point),
                None => lines.push((row.bits, vec![point])),
            }
        }
        lines.iter_mut().for_each(|line| line.1.sort_by(|a, b| a.0.total_cmp(&b.0)));
        lines.sort_unstable_by_key(|line| line.0);
        lines
    };
    let batches = || rows.iter().map(|row| row.batch as f64);
    let ends = (batches().fold(f64::INFINITY, f64::min), batches().fold(0.0, f64::max));
    if ends.0 >= ends.1 {
        return Ok(None);
    }
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let root = root.titled(&format!("Private operations, blinded and checked, on {gpu}"), ("sans-serif", 17))?;
        let (above, below) = root.split_vertically(SIZE.1 / 2 - 16);
        panel(&above, "operations a second", ends, &lines(|row| row.garner_per_s))?;
        panel(&below, "milliseconds for a batch, median", ends, &lines(|row| row.p50_us / 1e3))?;
        root.present()?;
    }
    Ok(Some(picture))
}

fn panel(area: &Area<'_>, caption: &str, batches: (f64, f64), lines: &[Line]) -> Result<(), Failed> {
    let values = || lines.iter().flat_map(|line| &line.1).map(|point| point.1);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let mut chart = ChartBuilder::on(area)
        .caption(caption, ("sans-serif", 14))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(84)
        .build_cartesian_2d((batches.0..batches.1).log_scale(), (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(228, 228, 228))
        .x_desc("operations in a batch")
        .x_label_formatter(&|batch| format!("{batch:.0}"))
        .y_label_formatter(&|value| if *value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") })
        .draw()?;
    for ((bits, points), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
            .label(format!("RSA-{bits}"))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.9))
        .border_style(RGBColor(228, 228, 228))
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bits: usize, batch: usize, one_key: bool) -> Row {
        let garner_per_s = 1e3 * batch as f64;
        Row { op: "private", bits, batch, one_key, garner_per_s, p50_us: 1e6 / garner_per_s, ..Row::default() }
    }

    #[test]
    fn each_size_of_key_is_a_line_in_both_panels_and_other_rows_are_left_out() {
        let other = Row { op: "kernel", bits: 3072, batch: 7, ..Row::default() };
        let rows = [row(2048, 64, false), row(2048, 1, false), row(4096, 1, false), row(4096, 8, false), other];
        let rows: Vec<Row> = rows.into_iter().chain([row(1024, 2, true)]).collect();
        let picture = draw(&rows, "a GPU").unwrap().unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("on a GPU"));
        for (bits, times) in [(2048, 2), (4096, 2), (3072, 0), (1024, 0)] {
            assert_eq!(picture.matches(&format!("RSA-{bits}")).count(), times, "{bits}");
        }
    }

    #[test]
    fn without_batches_of_two_sizes_there_is_no_picture() {
        assert!(draw(&[row(2048, 8, false)], "a GPU").unwrap().is_none());
        assert!(draw(&[], "a GPU").unwrap().is_none());
    }
}
