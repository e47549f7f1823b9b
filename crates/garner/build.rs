// SPDX-License-Identifier: Apache-2.0
//! Writes the vector kernels: their assembly, and a table of them for `arithmetic::vectors::catalogue`.

use garner_kernels::assembly::{self, Width};
use garner_kernels::program::Pointer;
use garner_kernels::vex::{self, Encoding};
use garner_kernels::{Id, Kernel, Lanes};
use garner_kernels::{doubles, known_answer, two_rows};
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let kernels = garner_kernels::all();
    fs::write(out.join("kernels.s"), assembly::file(&kernels, &[Width::Eight, Width::Four]))
        .expect("writing the assembly");
    fs::write(out.join("kernels.rs"), table(&kernels)).expect("writing the table");
    let kernels = garner_kernels::as_written();
    for (name, encoding) in [("vex", Encoding::Vex), ("vex_tested", Encoding::Evex)] {
        fs::write(out.join(format!("{name}.s")), vex::file(&kernels, encoding)).expect("writing the assembly");
        let symbols: Vec<String> = kernels.iter().map(|kernel| encoding.symbol(&kernel.name)).collect();
        let table =
            entries(&format!("pub(in crate::arithmetic::vectors) static {}_ENTRIES", name.to_uppercase()), &symbols);
        fs::write(out.join(format!("{name}.rs")), table).expect("writing the table");
    }
    let kernels = doubles::all();
    fs::write(out.join("doubles.s"), doubles::file(&kernels)).expect("writing the assembly");
    let entries = kernels.iter().map(|doubles::Kernel { id, name, code }| Entry {
        id: *id,
        name,
        symbol: doubles::symbol(name),
        reach: vex::reach(code),
        multiply_adds: doubles::multiply_adds(code),
        // They are asked otherwise.
        answer: [0; 8],
    });
    fs::write(out.join("doubles.rs"), table_of("Doubles", entries)).expect("writing the table");
    let kernels = two_rows::all();
    fs::write(out.join("two_rows.s"), assembly::file(&kernels, &[Width::Eight])).expect("writing the assembly");
    let entries = kernels.iter().map(|Kernel { id, name, program }| Entry {
        id: *id,
        name,
        symbol: Width::Eight.symbol(name),
        reach: program.reach(),
        multiply_adds: program.multiply_adds(),
        answer: known_answer::answer(program),
    });
    fs::write(out.join("two_rows.rs"), table_of("TwoRows", entries)).expect("writing the table");
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

/// A kernel with one function.
struct Entry<'a> {
    id: Id,
    name: &'a str,
    symbol: String,
    reach: [usize; Pointer::COUNT],
    multiply_adds: usize,
    answer: Lanes,
}

/// The function that finds a kernel of a table by its identifier; in a constant, one that there is not does not compile.
fn finding<'a>(kernels: impl Iterator<Item = (Id, &'a str)>) -> String {
    let fold = |fold| match fold {
        Some(fold) => format!("Some(garner_kernels::folded::Fold::{fold:?})"),
        None => "None".to_owned(),
    };
    let arm = |(Id { operation, fold: folded, limbs }, name): (Id, &str)| {
        let (fold, constant) = (fold(folded), name.to_uppercase());
        format!("        Id {{ operation: Operation::{operation:?}, fold: {fold}, limbs: {limbs} }} => &{constant},\n")
    };
    let arms: String = kernels.map(arm).collect();
    format!(
        "pub const fn kernel(id: Id) -> &'static Kernel {{\n    match id {{\n{arms}        \
         _ => panic!(\"there is no such kernel\"),\n    }}\n}}\n"
    )
}

/// Kernels of `family`, one constant for each, `ALL` of them, a function that finds one, and their `ENTRIES`.
fn table_of<'a>(family: &str, kernels: impl Iterator<Item = Entry<'a>>) -> String {
    let (mut text, mut list, mut symbols, mut names) = (String::new(), String::new(), Vec::new(), Vec::new());
    for (index, Entry { id, name, symbol, reach, multiply_adds, answer }) in kernels.enumerate() {
        let constant = name.to_uppercase();
        writeln!(
            text,
            "pub static {constant}: Kernel = Kernel {{ name: {name:?}, family: Family::{family}, index: {index}, \
             reach: {reach:?}, multiply_adds: {multiply_adds}, answer: {answer:?} }};"
        )
        .expect("writing to a string");
        write!(list, "&{constant}, ").expect("writing to a string");
        symbols.push(symbol);
        names.push((id, name));
    }
    text.push_str(&finding(names.into_iter()));
    let (count, entries) = (symbols.len(), entries("pub(in crate::arithmetic::vectors) static ENTRIES", &symbols));
    write!(text, "pub static ALL: [&Kernel; {count}] = [{list}];\n#[cfg(target_arch = \"x86_64\")]\n{entries}")
        .expect("writing to a string");
    text
}

fn table(kernels: &[Kernel]) -> String {
    let mut text = String::new();
    let (mut entries, mut narrow_entries) = (String::new(), String::new());
    let mut declarations = String::new();
    for (index, Kernel { name, program, .. }) in kernels.iter().enumerate() {
        let (reach, madds, answer) = (program.reach(), program.multiply_adds(), known_answer::answer(program));
        let constant = name.to_uppercase();
        writeln!(
            text,
            "pub static {constant}: Kernel = \
             Kernel {{ name: {name:?}, family: Family::Programs, index: {index}, reach: {reach:?}, multiply_adds: {madds}, answer: {answer:?} }};"
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
    text.push_str(&finding(kernels.iter().map(|kernel| (kernel.id, kernel.name.as_str()))));
    let count = kernels.len();
    let list: String = kernels.iter().map(|kernel| format!("    &{},\n", kernel.name.to_uppercase())).collect();
    write!(
        text,
        "pub static ALL: [&Kernel; {count}] = [\n{list}];\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         unsafe extern \"sysv64\" {{\n{declarations}}}\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         pub(in crate::arithmetic::vectors) static ENTRIES: [Entry; {count}] = [\n{entries}];\n\
         #[cfg(target_arch = \"x86_64\")]\n\
         pub(in crate::arithmetic::vectors) static NARROW_ENTRIES: [Entry; {count}] = [\n{narrow_entries}];\n"
    )
    .expect("writing to a string");
    text
}
