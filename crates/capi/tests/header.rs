// SPDX-License-Identifier: Apache-2.0
//! The header says what the library is: the same functions and structures as the source, the same symbols as the file.

mod built;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const HEADERS: [&str; 3] = [
    include_str!("../include/garner.h"),
    include_str!("../include/garner_keys.h"),
    include_str!("../include/garner_aes_board.h"),
];

/// Rust names of the types, and C's.
const TYPES: [(&str, &str); 12] = [
    ("GarnerContext", "garner"),
    ("GarnerPrivateKey", "garner_private_key"),
    ("GarnerPublicKey", "garner_public_key"),
    ("GarnerModulus", "garner_modulus"),
    ("GarnerTicket", "garner_ticket"),
    ("GarnerAes", "garner_aes"),
    ("GarnerConfig", "garner_config"),
    ("GarnerDevice", "garner_device"),
    ("GarnerStatistics", "garner_statistics"),
    ("GarnerOperation", "garner_operation"),
    ("GarnerKeygenOptions", "garner_keygen_options"),
    ("GarnerAesMessage", "garner_aes_message"),
];
/// The first of them are handles, of which the header says nothing but their names.
const HANDLES: usize = 6;

/// The functions and structures declared in C source, one string each, white space and comments taken away.
fn declarations(source: &str) -> BTreeSet<String> {
    let mut text = String::new();
    let mut rest = source;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        rest = comment.split_once("*/").expect("a comment that ends").1;
    }
    text.push_str(rest);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.contains("extern \"C\""));
    let text: String = lines.flat_map(|line| [line, " "]).collect();

    let mut found = BTreeSet::new();
    let mut declaration = String::new();
    let mut depth = 0;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                found.insert(std::mem::take(&mut declaration));
                continue;
            }
            // The closing brace of `extern "C"`.
            _ => {}
        }
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        if !character.is_whitespace() {
            declaration.push(character);
        } else if declaration.ends_with(joins) {
            declaration.push(' ');
        }
    }
    // A structure may be named with or without the keyword.
    let joined = |text: &String| {
        text.replace("struct garner", "garner").replace(" *", "*").replace(" ;", ";").replace(" }", "}")
    };
    found.iter().map(joined).map(|text| text.trim().to_owned()).collect()
}

/// Those of all headers.
fn declared() -> BTreeSet<String> {
    HEADERS.into_iter().flat_map(declarations).collect()
}

#[test]
fn header_declares_the_functions_and_structures_of_the_source() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut config = cbindgen::Config { language: cbindgen::Language::C, ..Default::default() };
    config.style = cbindgen::Style::Both;
    config.usize_is_size_t = true;
    config.documentation = false;
    config.export.item_types = vec![cbindgen::ItemType::Functions, cbindgen::ItemType::Structs];
    config.export.rename = TYPES.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into();
    config.export.exclude = TYPES[..HANDLES].iter().map(|(rust, _)| (*rust).to_owned()).collect();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for entry in std::fs::read_dir(source).unwrap() {
        builder = builder.with_src(entry.unwrap().path());
    }
    let mut generated = Vec::new();
    builder.generate().expect("source that cbindgen reads").write(&mut generated);

    let expected = declarations(std::str::from_utf8(&generated).unwrap());
    let handles = TYPES[..HANDLES].iter().map(|(_, c)| format!("typedef {c} {c}")).collect::<BTreeSet<_>>();
    let found: BTreeSet<String> = declared()
        .into_iter()
        .filter(|declaration| !declaration.starts_with("enum ") && !handles.contains(declaration))
        .collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "the headers lack {missing:#?}\nand have instead {wrong:#?}");
}

#[test]
fn library_exports_the_functions_of_the_header_and_nothing_else() {
    let library = built::folder().join("libgarner.so");
    let output = Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).arg(library).output();
    let symbols = String::from_utf8(output.expect("nm, of binutils").stdout).unwrap();
    let exported: BTreeSet<String> = symbols.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    let declared: BTreeSet<String> = declared()
        .into_iter()
        .filter(|text| !text.starts_with("typedef") && !text.starts_with("enum"))
        .map(|text| text.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap().to_owned())
        .collect();
    assert_eq!(exported, declared);
}
