// SPDX-License-Identifier: Apache-2.0
//! The pictures that `garner speed --plot` draws, of the data in bench/results and of awkward ones: no text lies over another,
//! under a line or beyond an edge.

mod common;

use common::{folder::Folder, garner, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Characters are so many times as wide as high, or less, in the widest of the common sans-serif fonts; bold ones more.
const WIDE: f64 = 0.62;
const BOLD: f64 = 0.7;

#[derive(Debug)]
struct Label {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Label {
    fn overlaps(&self, other: &Label) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        self.left < x && x < self.right && self.top < y && y < self.bottom
    }
}

fn number(node: roxmltree::Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap_or_else(|| panic!("{name} in {node:?}")).parse().unwrap()
}

fn labels(picture: &roxmltree::Document<'_>) -> Vec<Label> {
    let texts = picture.descendants().filter(|node| node.has_tag_name("text"));
    let label = |node: roxmltree::Node<'_, '_>| {
        let text = node.text().unwrap().trim().to_owned();
        let (x, y, size) = (number(node, "x"), number(node, "y"), number(node, "font-size"));
        let wide = if node.attribute("font-weight") == Some("bold") { BOLD } else { WIDE };
        let width = text.chars().count() as f64 * size * wide;
        let left = match node.attribute("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        let top = match node.attribute("dy") {
            Some("0.76em") => y,
            Some("0.5ex") => y - size / 2.0,
            _ => y - size,
        };
        Label { text, left, right: left + width, top, bottom: top + size }
    };
    texts.map(label).filter(|label| !label.text.is_empty()).collect()
}

/// Points a pixel apart on all lines but those of the grid and the axes.
fn points(picture: &roxmltree::Document<'_>) -> Vec<(f64, f64)> {
    let lines =
        picture.descendants().filter(|node| node.has_tag_name("polyline") && number(*node, "stroke-width") > 1.0);
    let mut points = Vec::new();
    for line in lines {
        let ends: Vec<(f64, f64)> = line
            .attribute("points")
            .unwrap()
            .split_whitespace()
            .filter_map(|pair| pair.split_once(','))
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        for pair in ends.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = (to.0 - from.0).hypot(to.1 - from.1).ceil().max(1.0);
            let at = |step: u32| {
                let part = f64::from(step) / steps;
                (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            };
            points.extend((0..=steps as u32).map(at));
        }
    }
    points
}

/// What a reader would trip over.
fn faults(svg: &str) -> Vec<String> {
    let picture = roxmltree::Document::parse(svg).unwrap();
    let root = picture.root_element();
    let (width, height) = (number(root, "width"), number(root, "height"));
    let labels = labels(&picture);
    assert!(labels.len() > 10, "{labels:?}");
    let mut faults = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        if label.left < 0.0 || label.top < 0.0 || label.right > width || label.bottom > height {
            faults.push(format!("{:?} leaves the picture", label.text));
        }
        faults.extend(
            labels[..i]
                .iter()
                .filter(|other| other.overlaps(label))
                .map(|other| format!("{:?} lies over {:?}", label.text, other.text)),
        );
    }
    let points = points(&picture);
    assert!(points.len() > 100, "lines");
    let covered = labels.iter().filter(|label| points.iter().any(|point| label.holds(*point)));
    faults.extend(covered.map(|label| format!("a line goes through {:?}", label.text)));
    faults
}

fn drawn(folder: &Folder, report: &Path) -> String {
    let svg = folder.path("picture.svg");
    let mut command = garner(&["speed", "--from"]);
    let outcome = run(command.arg(report).arg("--plot").arg(&svg));
    assert_eq!(outcome.status, 0, "{}: {outcome:?}", report.display());
    fs::read_to_string(svg).unwrap()
}

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/results")
}

#[test]
fn no_label_of_a_kept_picture_is_covered_and_each_is_of_the_data_beside_it() {
    let folder = Folder::new("picture-kept");
    for name in ["callers-one-core", "callers-all-cores"] {
        let kept = results().join(name).with_extension("svg");
        let svg = drawn(&folder, &results().join(name).with_extension("json"));
        assert_eq!(faults(&svg), [""; 0], "{name}");
        if std::env::var_os("GARNER_UPDATE_FIGURES").is_some() {
            fs::write(&kept, &svg).unwrap();
        }
        let kept = fs::read_to_string(&kept).unwrap();
        assert_eq!(faults(&kept), [""; 0], "{name}");
        assert!(kept == svg, "{name}.svg is not of {name}.json: make figures");
    }
}

#[test]
fn long_names_and_close_callers_leave_every_label_readable() {
    let folder = Folder::new("picture-awkward");
    let text = fs::read_to_string(results().join("callers-one-core.json")).unwrap();
    let mut report: Value = serde_json::from_str(&text).unwrap();
    report["machine"]["cpu"] = "Vendor(R) Processor(R) Precious Metal 8480CL CPU with many words @ 2.00GHz".into();
    let rows = report["rows"].as_array().unwrap().clone();
    let mut more = rows.clone();
    for (callers, size) in [(250, 2048), (255, 2048), (64, 4096), (1, 4096)] {
        let mut row = rows[2].clone();
        (row["callers"], row["bits"]) = (callers.into(), size.into());
        (row["garner_per_s"], row["baseline"]) = (98_765_432.1.into(), "OpenSSL 3.0.19-with-a-long-suffix".into());
        more.push(row);
    }
    report["rows"] = more.into();
    folder.write("report.json", report.to_string());
    assert_eq!(faults(&drawn(&folder, &folder.path("report.json"))), [""; 0]);
}
