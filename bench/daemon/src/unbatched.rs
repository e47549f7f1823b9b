// SPDX-License-Identifier: Apache-2.0
//! The peer without batches, as neverbleed is built: a process that holds the key, a thread for each connection, and OpenSSL's
//! private operation in it. A request is one block of [`BLOCK`] bytes to be padded, its answer a signature.

use openssl::rsa::{Padding, Rsa};
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;

/// Bytes of a request: DER of a DigestInfo of SHA-256.
pub const BLOCK: usize = 51;

/// Arguments of `daemon-bench unbatched`.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long)]
    key: PathBuf,
    #[arg(long)]
    socket: PathBuf,
}

/// Serves until it is killed; says `listening` when it does.
pub fn serve(arguments: &Arguments) {
    let pem = std::fs::read(&arguments.key).expect("the key's file");
    let listener = UnixListener::bind(&arguments.socket).expect("a socket");
    eprintln!("listening");
    for stream in listener.incoming() {
        let (mut stream, rsa) = (stream.expect("a client"), Rsa::private_key_from_pem(&pem).expect("a key"));
        thread::spawn(move || {
            let (mut block, mut signature) = ([0; BLOCK], vec![0; rsa.size() as usize]);
            // A client that is gone ends its thread.
            while stream.read_exact(&mut block).is_ok() {
                rsa.private_encrypt(&block, &mut signature, Padding::PKCS1).expect("a signature");
                if stream.write_all(&signature).is_err() {
                    return;
                }
            }
        });
    }
}

/// One connection.
pub struct Client {
    stream: UnixStream,
    size: usize,
}

impl Client {
    pub fn new(socket: &Path, size: usize) -> io::Result<Client> {
        Ok(Client { stream: UnixStream::connect(socket)?, size })
    }

    pub fn sign(&self, block: &[u8]) -> io::Result<Vec<u8>> {
        let mut signature = vec![0; self.size];
        (&self.stream).write_all(block)?;
        (&self.stream).read_exact(&mut signature)?;
        Ok(signature)
    }
}
