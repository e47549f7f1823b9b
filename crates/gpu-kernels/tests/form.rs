// SPDX-License-Identifier: Apache-2.0
//! What the printed code must look like for no branch and no address to depend on a secret.

use garner_gpu_kernels::{Role, all, ptx};

#[test]
fn predicates_come_from_loop_counters_only() {
    for kernel in all() {
        let text = ptx::module(&kernel);
        let mut comparisons = 0;
        for line in text.lines().map(str::trim).filter(|line| line.starts_with("setp")) {
            assert!(line.ends_with(" %again, %left, 0;"), "{}: {line}", kernel.name);
            comparisons += 1;
        }
        assert_eq!(comparisons > 0, text.contains("LOOP_"), "{}", kernel.name);
    }
}

#[test]
fn loop_counters_come_from_constants_and_the_launch_only() {
    for kernel in all() {
        let text = ptx::module(&kernel);
        for line in text.lines().map(str::trim).filter(|line| line.starts_with("mov.u32 %left, %r")) {
            let register = line.trim_start_matches("mov.u32 %left, ").trim_end_matches(';');
            let makers = makers(&text, register);
            for maker in &makers {
                // The parameter of the launch; or a count that starts at a constant and goes down by one.
                let [maker, rest @ ..] = &maker.split(' ').collect::<Vec<_>>()[..] else { unreachable!() };
                let copied = rest.get(1).is_some_and(|from| from.starts_with("%r"));
                let less_one = || {
                    let from = rest[1].trim_end_matches(';');
                    text.contains(&format!("sub.u32 {from}, {register}, 1;"))
                };
                let constant = *maker == "mov.u32" && (!copied || less_one());
                assert!(*maker == "ld.param.u32" || constant, "{}: {line}", kernel.name);
            }
            assert!(!makers.is_empty(), "{}: {line}", kernel.name);
        }
    }
}

#[test]
fn addresses_made_of_registers_are_those_of_key_numbers_only() {
    for kernel in all() {
        let text = ptx::module(&kernel);
        let mut made_of_registers = 0;
        for line in text.lines().map(str::trim) {
            if line.starts_with("ld.") || line.starts_with("st.") {
                assert!(!line.contains("[%r"), "{}: {line}", kernel.name);
            }
            let moves_pointer = line.split_whitespace().nth(1).is_some_and(|to| to.starts_with("%p"));
            if moves_pointer && line.contains("%r") {
                let index = line.split([' ', ',']).find(|word| word.starts_with("%r")).expect("it contains one");
                assert_eq!(made_by(&text, index), "mov.u32", "{}: {line}", kernel.name);
                // That is, a word of what is loaded first, through a pointer into the first array.
                let first = text.lines().find(|line| line.contains("ld.global")).expect("it loads");
                let words = first.split(['{', '}']).nth(1).expect("four words");
                let is_copy = |word: &str| text.contains(&format!("mov.u32 {index}, {word};"));
                assert!(words.split(", ").any(is_copy), "{}: {line}", kernel.name);
                assert!(text.find("[array0]") < text.find(first) && text.find(first) < text.find("[array1]"));
                made_of_registers += 1;
            }
        }
        assert_eq!(made_of_registers, usize::from(kernel.name.role == Role::Gather), "{}", kernel.name);
    }
}

/// The instructions that set a register.
fn makers<'a>(text: &'a str, register: &str) -> Vec<&'a str> {
    let sets = |line: &&str| {
        let operands = line.split_once(' ').map_or("", |(_, operands)| operands);
        let set = match operands.strip_prefix('{') {
            Some(list) => list.split('}').next(),
            None => operands.split(',').next(),
        };
        set.is_some_and(|set| set.split(", ").any(|word| word == register))
    };
    text.lines().map(str::trim).filter(sets).collect()
}

/// The name of the only instruction that sets a register.
fn made_by<'a>(text: &'a str, register: &str) -> &'a str {
    let makers = makers(text, register);
    assert_eq!(makers.len(), 1, "{register}: {makers:?}");
    makers[0].split(' ').next().expect("not empty")
}
