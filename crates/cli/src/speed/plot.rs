// SPDX-License-Identifier: Apache-2.0
//! The result as a picture: throughput, ratio and latency against the number of callers, one column per key size.
//!
//! White ground and dark ink of its own, so that it reads the same on light and on dark pages. Colours are Okabe and
//! Ito's, told apart by the colour-blind too; every system also has its own marker.

use super::arguments::Kind;
use super::legend::{self, Mark};
use super::measure::{Outcome, Row};
use super::panel::{Area, Axis, DrawError, FAINT, INK, Panel, bold, font, text_width};
use crate::machine::Machine;
use crate::output::{grouped, time};
use plotters::prelude::*;

type Outcomes<'a> = Vec<(usize, &'a Outcome)>;

/// Above the legend.
const TITLE: u32 = 64;
const PANELS: [u32; 3] = [290, 200, 290];

const NOTE: &str =
    "every system with the same number of threads, in turn, in one run; every result of Garner's checked";

/// A column: what one key size came to.
struct Column<'a> {
    bits: u32,
    /// Garner and the others, each with its outcomes by callers.
    systems: Vec<(&'a str, Outcomes<'a>)>,
    /// Operations per second in whole batches, and how large they were.
    batches: Option<(usize, f64)>,
}

/// Draws `rows` as SVG.
pub fn draw(rows: &[Row], machine: &Machine) -> Result<String, DrawError> {
    let mut kinds: Vec<Kind> = Vec::new();
    for row in rows.iter().filter(|row| row.shape.batch == 1 && row.kind.is_rate()) {
        if !kinds.contains(&row.kind) {
            kinds.push(row.kind);
        }
    }
    let bands: Vec<(Kind, Vec<Column<'_>>)> = kinds.iter().map(|&kind| (kind, columns(rows, kind))).collect();
    let most = bands.iter().map(|(_, columns)| columns.len()).max().unwrap_or(0) as u32;
    let titles = bands.iter().map(|(kind, columns)| text_width(&title(*kind, columns), 20));
    let text = titles.chain([text_width(&machine.line(), 13), text_width(NOTE, 12)]).max().expect("two");
    let width = if most == 1 { 760 } else { 470 * most.max(1) }.max(text as u32 + 2 * legend::MARGIN as u32);
    let height = |columns: &[Column<'_>]| {
        TITLE + legend::height(&marks(columns), width as i32) as u32 + PANELS.iter().sum::<u32>()
    };
    let size = (width, bands.iter().map(|(_, columns)| height(columns)).sum::<u32>().max(200) + 24);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        if bands.is_empty() {
            root.draw(&Text::new(
                "no caller was measured that waits for one answer at a time",
                (24, 30),
                font(15, INK),
            ))?;
        }
        let mut rest = root.clone();
        for (kind, columns) in &bands {
            let (band, below) = rest.split_vertically(height(columns));
            draw_band(&band, *kind, columns, machine)?;
            rest = below;
        }
        root.draw(&Text::new(NOTE, (legend::MARGIN, size.1 as i32 - 18), font(12, FAINT)))?;
        root.present()?;
    }
    Ok(svg)
}

fn columns<'a>(rows: &'a [Row], kind: Kind) -> Vec<Column<'a>> {
    let mut columns: Vec<Column<'a>> = Vec::new();
    for row in rows.iter().filter(|row| row.kind == kind) {
        if columns.last().is_none_or(|column| column.bits != row.bits) {
            columns.push(Column { bits: row.bits, systems: Vec::new(), batches: None });
        }
        let column = columns.last_mut().expect("just pushed");
        if row.shape.batch > 1 {
            column.batches = Some((row.shape.batch, row.garner().per_second));
            continue;
        }
        for outcome in &row.outcomes {
            let at = column.systems.iter().position(|(name, _)| *name == outcome.name);
            let at = at.unwrap_or_else(|| {
                column.systems.push((&outcome.name, Vec::new()));
                column.systems.len() - 1
            });
            column.systems[at].1.push((row.shape.callers, outcome));
        }
    }
    for (_, outcomes) in columns.iter_mut().flat_map(|column| &mut column.systems) {
        outcomes.sort_by_key(|(callers, _)| *callers);
    }
    columns
}

/// What a band is of.
fn title(kind: Kind, columns: &[Column<'_>]) -> String {
    let operation = match kind {
        Kind::Sign => "signing",
        Kind::Verify => "verifying",
        Kind::Public => "public operations",
        Kind::Exp => "exponentiation",
        Kind::Decrypt => "decrypting",
        Kind::Keygen => "key generation",
        Kind::Latency => "signing",
    };
    match columns {
        [column] => format!("RSA-{} {operation}: threads that each wait for one answer at a time", column.bits),
        _ => format!("RSA {operation}: threads that each wait for one answer at a time"),
    }
}

fn draw_band(band: &Area<'_>, kind: Kind, columns: &[Column<'_>], machine: &Machine) -> Result<(), DrawError> {
    band.draw(&Text::new(title(kind, columns), (legend::MARGIN, 16), bold(18)))?;
    band.draw(&Text::new(machine.line(), (legend::MARGIN, 42), font(13, FAINT)))?;
    let (_, below) = band.split_vertically(TITLE);
    let height = legend::draw(&below, &marks(columns))?;
    let (_, panels) = below.split_vertically(height as u32);
    for (column, area) in columns.iter().zip(panels.split_evenly((1, columns.len()))) {
        let (throughput, rest) = area.split_vertically(PANELS[0]);
        let (ratio, latency) = rest.split_vertically(PANELS[1]);
        draw_throughput(&throughput, column, columns.len() > 1)?;
        draw_ratio(&ratio, column)?;
        draw_latency(&latency, column)?;
    }
    Ok(())
}

/// Every mark of a band's diagrams, with its name.
fn marks(columns: &[Column<'_>]) -> Vec<(Mark, String)> {
    let systems = columns.iter().map(|column| &column.systems).max_by_key(|systems| systems.len());
    let systems = systems.into_iter().flatten().enumerate();
    let mut marks: Vec<(Mark, String)> = systems.map(|(i, (name, _))| (Mark::System(i), (*name).to_owned())).collect();
    marks.push((Mark::Line, "median latency".to_owned()));
    marks.push((Mark::Dashes, "99th percentile".to_owned()));
    if let Some((batch, _)) = columns.iter().find_map(|column| column.batches) {
        marks.push((Mark::Dots, format!("Garner in whole batches of {batch}, one thread")));
    }
    marks
}

fn draw_throughput(area: &Area<'_>, column: &Column<'_>, named: bool) -> Result<(), DrawError> {
    let highest = highest(column, |one| one.per_second).max(column.batches.map_or(0.0, |(_, rate)| rate));
    let caption =
        if named { format!("RSA-{}: operations per second", column.bits) } else { "operations per second".into() };
    let panel =
        Panel::new(area, &caption, &callers(column), Axis::linear(highest), |rate| grouped(rate.round() as u64))?;
    if let Some((_, rate)) = column.batches {
        panel.rule(rate)?;
    }
    for (i, (_, outcomes)) in column.systems.iter().enumerate() {
        panel.line(i, &points(outcomes, |one| one.per_second), false)?;
    }
    Ok(())
}

fn draw_ratio(area: &Area<'_>, column: &Column<'_>) -> Result<(), DrawError> {
    let top = column.systems.iter().skip(1).flat_map(|(_, outcomes)| outcomes).map(|(_, one)| one.ratio);
    let axis = Axis::linear(top.fold(1.2, f64::max));
    let panel = Panel::new(area, "ratio, Garner / OpenSSL", &callers(column), axis, |ratio| {
        format!("{}x", (ratio * 100.0).round() / 100.0)
    })?;
    panel.rule(1.0)?;
    for (i, (_, outcomes)) in column.systems.iter().enumerate().skip(1) {
        panel.line(i, &points(outcomes, |one| one.ratio), false)?;
    }
    Ok(())
}

fn draw_latency(area: &Area<'_>, column: &Column<'_>) -> Result<(), DrawError> {
    let all = column.systems.iter().flat_map(|(_, outcomes)| outcomes).flat_map(|(_, one)| [one.p50_us, one.p99_us]);
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let panel = Panel::new(area, "latency", &callers(column), Axis::decades(low, high), time)?;
    for (i, (_, outcomes)) in column.systems.iter().enumerate() {
        panel.line(i, &points(outcomes, |one| one.p50_us), false)?;
        panel.line(i, &points(outcomes, |one| one.p99_us), true)?;
    }
    Ok(())
}

/// The numbers of callers measured, ascending.
fn callers(column: &Column<'_>) -> Vec<usize> {
    let mut callers: Vec<usize> = column.systems.iter().flat_map(|(_, outcomes)| outcomes).map(|one| one.0).collect();
    callers.sort_unstable();
    callers.dedup();
    callers
}

fn points(outcomes: &Outcomes<'_>, value: fn(&Outcome) -> f64) -> Vec<(usize, f64)> {
    outcomes.iter().map(|(callers, one)| (*callers, value(one))).collect()
}

fn highest(column: &Column<'_>, value: fn(&Outcome) -> f64) -> f64 {
    column.systems.iter().flat_map(|(_, outcomes)| outcomes).map(|(_, one)| value(one)).fold(0.0, f64::max)
}
