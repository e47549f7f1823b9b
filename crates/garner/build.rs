// SPDX-License-Identifier: Apache-2.0
//! Writes the vector kernels: their assembly, and a table of them for `arithmetic::vectors::kernels`.

use garner_kernels::Kernel;
use garner_kernels::assembly::{self, Width};
use garner_kernels::doubles;
use garner_kernels::vex::{self, Encoding};
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let kernels = garner_kernels::all();
    fs::write(out.join("kernels.s"), assembly::file(&kernels)).expect("writing the assembly");
    fs::write(out.join("kernels.rs"), table(&kernels)).expect("writing the table");
    for (name, encoding) in [("vex", Encoding::Vex), ("vex_tested", Encoding::Evex)] {
        fs::write(out.join(format!("{name}.s")), vex::file(&kernels, encoding)).expect("writing the assembly");
        let symbols: Vec<String> = kernels.iter().map(|kernel| encoding.symbol(&kernel.name)).collect();
        let table = entries(&format!("pub(super) static {}_ENTRIES", name.to_uppercase()), &symbols);
        fs::write(out.join(format!("{name}.rs")), table).expect("writing the table");
    }
    let kernels = doubles::all();
    fs::write(out.join("doubles.s"), doubles::file(&kernels)).expect("writing the assembly");
    fs::write(out.join("doubles.rs"), table_of_doubles(&kernels)).expect("writing the table");
    println!("cargo::rerun-if-changed=build.rs");
}

/// Declarations of functions, and a table of them, declared as `table`.
fn entries(table: &str, symbols: &[String]) -> String {
    let declarations: String =
        symbols.iter().map(|symbol| format!("    fn {symbol}(_: P, _: P, _: P, _: P, _: P, _: P);\n")).collect();
    let list: String = symbols.iter().map(|symbol| format!("    {symbol},\n")).collect();
    let count = symbols.len();
    format!(
        "unsafe extern \"sysv64\" {{\n{declarations}}}\n\
         #[cfg(target_arch = \"x86_64\")]\n{table}: [Entry; {count}] = [\n{list}];\n"
    )
}

fn table_of_doubles(kernels: &[doubles::Kernel]) -> String {
    let mut text = String::new();
    for (index, doubles::Kernel { name, code }) in kernels.iter().enumerate() {
        let (constant, reach, madds) = (name.to_uppercase(), vex::reach(code), doubles::multiply_adds(code));
        writeln!(
            text,
            "static {constant}: Kernel = Kernel {{ name: {name:?}, family: Family::Doubles, index: {index}, \
             reach: {reach:?}, multiply_adds: {madds} }};"
        )
        .expect("writing to a string");
    }
    let list: String = kernels.iter().map(|kernel| format!("&{}, ", kernel.name.to_uppercase())).collect();
    let symbols: Vec<String> = kernels.iter().map(|kernel| doubles::symbol(&kernel.name)).collect();
    let entries = entries("pub(super) static ENTRIES", &symbols);
    let count = kernels.len();
    write!(text, "pub static ALL: [&Kernel; {count}] = [{list}];\n#[cfg(target_arch = \"x86_64\")]\n{entries}")
        .expect("writing to a string");
    text
}

fn table(kernels: &[Kernel]) -> String {
    let mut text = String::new();
    let (mut entries, mut narrow_entries) = (String::new(), String::new());
    let mut declarations = String::new();
    for (index, Kernel { name, program }) in kernels.iter().enumerate() {
        let (reach, madds) = (program.reach(), program.multiply_adds());
        let constant = name.to_uppercase();
        writeln!(
            text,
            "pub static {constant}: Kernel = \
             Kernel {{ name: {name:?}, family: Family::Programs, index: {index}, reach: {reach:?}, multiply_adds: {madds} }};"
        )
        .expect("writing to a string");
        for (width, entries) in [(Width::Eight, &mut entries), (Width::Four, &mut narrow_entries)] {
            let entry = if width.suits(program) {
                let symbol = width.symbol(name);
                writeln!(declarations, "    fn {symbol}(_: P, _: P, _: P, _: P, _: P, _: P);")
                    .expect("writing to a string");
                symbol
            } else {
                // Lanes mix: only all of them will do.
                Width::Eight.symbol(name)
            };
            writeln!(entries, "    {entry},").expect("writing to a string");
        }
    }
    let count = kernels.len();
    let list: String = kernels.iter().map(|kernel| format!("    &{},\n", kernel.name.to_uppercase())).collect();
    write!(
        text,
        "pub static ALL: [&Kernel; {count}] = [\n{list}];\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         unsafe extern \"sysv64\" {{\n{declarations}}}\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         pub(super) static ENTRIES: [Entry; {count}] = [\n{entries}];\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         pub(super) static NARROW_ENTRIES: [Entry; {count}] = [\n{narrow_entries}];\n"
    )
    .expect("writing to a string");
    text
}
