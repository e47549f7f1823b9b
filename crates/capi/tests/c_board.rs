// SPDX-License-Identifier: Apache-2.0
//! The C API of a board's AES engines over a simulated board. `make test-board`.

mod built;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A garner-board of its own; killed when dropped.
struct Board {
    process: Child,
    socket: PathBuf,
}

impl Board {
    fn start(folder: &Path) -> Board {
        let model = std::env::var_os("GARNER_MODEL").expect("GARNER_MODEL names a model; run `make test-board`");
        let socket = folder.join("board");
        let mut command = Command::new(built::folder().join("garner-board"));
        let process =
            command.arg("--model").arg(model).arg("--socket").arg(&socket).spawn().expect("garner-board starts");
        let start = Instant::now();
        while !socket.exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "garner-board listens");
            std::thread::sleep(Duration::from_millis(20));
        }
        Board { process, socket }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

#[test]
#[ignore = "needs a model: make test-board"]
fn example_encrypts_on_the_board_what_openssl_decrypts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c-board");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    run(Command::new(source.join("install.sh")).arg(built::folder()).arg(&folder));
    let program = folder.join("aes");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-std=c11", "-o"]).arg(&program);
    compiler.arg("-I").arg(folder.join("include")).arg(source.join("examples/aes.c"));
    run(compiler.arg("-L").arg(folder.join("lib")).arg("-lgarner"));

    // Three fragments, the last of them short.
    let text: Vec<u8> = (0..2 * 8192 + 48).map(|i: u32| ((i * i) >> 3) as u8).collect();
    let [file, ciphertext] = ["text", "ciphertext"].map(|name| folder.join(name));
    fs::write(&file, &text).unwrap();
    let (key, iv) = ("00112233445566778899aabbccddeeff", "0f1e2d3c4b5a69788796a5b4c3d2e1f0");
    let board = Board::start(&folder);
    let mut example = Command::new(&program);
    example.env("LD_LIBRARY_PATH", folder.join("lib")).arg(format!("vfio-user:{}", board.socket.display()));
    let said = run(example.args([key, iv]).args([&file, &ciphertext]));
    assert!(said.contains("16432 bytes encrypted in") && said.contains("and decrypted in"), "{said}");
    let mut openssl = Command::new("openssl");
    openssl.args(["enc", "-d", "-aes-128-cbc", "-nopad", "-K", key, "-iv", iv, "-in"]).arg(ciphertext);
    assert!(openssl.output().unwrap().stdout == text, "openssl decrypts another text");
}
