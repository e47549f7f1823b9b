// SPDX-License-Identifier: Apache-2.0
//! The demonstration: one signing program, which knows nothing of Garner, in software and accelerated, over more and more
//! callers that block or run as asynchronous jobs. `make demo` runs it.
//!
//!     demo MODULE.SO [OUTPUT.SVG [SECONDS]]
//!
//! Prints what the program and the device tell for the best point of each, side by side, and draws all points.

use plotters::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const CALLERS: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const BITS: &str = "2048";

/// One run of the program.
#[derive(Clone)]
struct Run {
    signs: f64,
    seconds: f64,
    processor: f64,
    /// Operations, time in total, time on average, load: where there is a device.
    device: Option<[f64; 4]>,
}

impl Run {
    fn rate(&self) -> f64 {
        self.signs / self.seconds
    }
}

/// Where the demonstration works.
struct Stage {
    folder: PathBuf,
    program: PathBuf,
}

impl Stage {
    fn new(module: &Path) -> Result<Stage, Box<dyn Error>> {
        let folder = env::temp_dir().join(format!("garner-demo-{}", std::process::id()));
        fs::create_dir_all(folder.join("modules"))?;
        std::os::unix::fs::symlink(fs::canonicalize(module)?, folder.join("modules/garner.so"))?;
        fs::write(folder.join("openssl.cnf"), include_str!("../openssl.cnf"))?;
        fs::write(folder.join("plain.cnf"), "")?;
        let program = folder.join("sign");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/demo/sign.c");
        let mut cc = Command::new("cc");
        cc.arg("-O2").arg("-o").arg(&program).arg(source).args(["-lcrypto", "-lpthread"]);
        if !cc.status()?.success() {
            return Err("the signing program does not compile".into());
        }
        Ok(Stage { folder, program })
    }

    fn run(&self, accelerated: bool, mode: &str, callers: usize, seconds: &str) -> Result<Run, Box<dyn Error>> {
        let configuration = if accelerated { "openssl.cnf" } else { "plain.cnf" };
        let mut program = Command::new(&self.program);
        program.args([mode, &callers.to_string(), seconds, BITS]).env("OPENSSL_CONF", self.folder.join(configuration));
        let output = program.env("OPENSSL_MODULES", self.folder.join("modules")).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let text = String::from_utf8(output.stdout)?;
        let values: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [signs, seconds, processor, device @ ..] = &values[..] else {
            return Err("the program said nothing".into());
        };
        let device = <[f64; 4]>::try_from(device).ok();
        if device.is_some() != accelerated {
            return Err("the provider was not loaded where it should be; see its line on stderr".into());
        }
        Ok(Run { signs: *signs, seconds: *seconds, processor: *processor, device })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// One line of the plot: a name, and a run for each number of callers.
type Series = (&'static str, RGBColor, Vec<(usize, Run)>);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, rest @ ..] = &arguments[..] else {
        return Err("usage: demo MODULE.SO [OUTPUT.SVG [SECONDS]]".into());
    };
    let picture = rest.first().map_or("demo.svg", String::as_str);
    let seconds = rest.get(1).map_or("2", String::as_str);
    let stage = Stage::new(Path::new(module))?;
    let mut series: [Series; 4] = [
        ("software, blocking", RGBColor(0x99, 0x99, 0x99), Vec::new()),
        ("accelerated, blocking", RGBColor(0x00, 0x72, 0xb2), Vec::new()),
        ("software, jobs", RGBColor(0xcc, 0x79, 0xa7), Vec::new()),
        ("accelerated, jobs", RGBColor(0xd5, 0x5e, 0x00), Vec::new()),
    ];
    println!(
        "RSA-{BITS} signatures a second\n\n{:>8}{:>12}{:>12}{:>8}{:>12}{:>12}{:>8}",
        "callers", "software", "garner", "ratio", "soft., jobs", "g., jobs", "ratio"
    );
    for callers in CALLERS {
        // Software and accelerated in turn, so that a machine that changes its clock changes it for both.
        for (index, (_, _, runs)) in series.iter_mut().enumerate() {
            let mode = if index < 2 { "sync" } else { "async" };
            runs.push((callers, stage.run(index % 2 == 1, mode, callers, seconds)?));
        }
        let [a, b, c, d] = series.each_ref().map(|(_, _, runs)| runs.last().map_or(0.0, |(_, run)| run.rate()));
        println!("{callers:>8}{a:>12.0}{b:>12.0}{:>8.2}{c:>12.0}{d:>12.0}{:>8.2}", b / a, d / c);
    }
    let best = |index: usize| {
        let runs = series[index].2.iter();
        runs.max_by(|a, b| a.1.rate().total_cmp(&b.1.rate())).expect("a run").clone()
    };
    for (title, software, accelerated) in
        [("blocking callers", best(0), best(1)), ("asynchronous jobs", best(2), best(3))]
    {
        report(title, &software, &accelerated);
    }
    draw(picture, &series)?;
    println!("\ndrawn in {picture}");
    Ok(())
}

/// Overall and device statistics, side by side.
fn report(title: &str, (few, software): &(usize, Run), (many, accelerated): &(usize, Run)) {
    let row = |what: &str, value: &dyn Fn(&Run) -> String| {
        println!("  {what:<28}{:>14}{:>14}", value(software), value(accelerated));
    };
    println!("\nOverall statistics, {title:<19}{:>4} in software{:>6} accelerated", few, many);
    row("total time", &|run| format!("{:.2} s", run.seconds));
    row("signatures", &|run| format!("{:.0}", run.signs));
    row("average time per sign", &|run| format!("{:.2} us", 1e6 / run.rate()));
    row("processor time per sign", &|run| format!("{:.2} us", 1e6 * run.processor / run.signs));
    row("average signs per second", &|run| format!("{:.0}", run.rate()));
    println!("Device statistics");
    let figure = |index: usize, unit: &'static str| {
        move |run: &Run| run.device.map_or("-".to_owned(), |device| format!("{:.2}{unit}", device[index]))
    };
    row("total operations", &|run| run.device.map_or("-".to_owned(), |device| format!("{:.0}", device[0])));
    row("total time in batches", &figure(1, " s"));
    row("average time per operation", &figure(2, " us"));
    row("average load", &|run| run.device.map_or("-".to_owned(), |device| format!("{:.1} %", 100.0 * device[3])));
}

fn draw(picture: &str, series: &[Series]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(picture, (860, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let most = series.iter().flat_map(|(_, _, runs)| runs).map(|(_, run)| run.rate()).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("RSA-{BITS} signatures a second: one program, unmodified"), ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d((1f64..256f64).log_scale().base(2.0), 0f64..most * 1.1)?;
    chart.configure_mesh().x_desc("callers").y_desc("signatures / s").x_labels(9).light_line_style(WHITE).draw()?;
    for (name, colour, runs) in series {
        let points: Vec<(f64, f64)> = runs.iter().map(|(callers, run)| (*callers as f64, run.rate())).collect();
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 4, colour.filled())))?;
    }
    chart.configure_series_labels().position(SeriesLabelPosition::LowerRight).border_style(BLACK.mix(0.3)).draw()?;
    root.present()?;
    Ok(())
}
