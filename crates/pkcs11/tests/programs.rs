// SPDX-License-Identifier: Apache-2.0
//! Unmodified programs that know PKCS#11: OpenSC's tool, OpenSSH's agent, GnuTLS's tool.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use support::{Daemon, good, module};

/// The identifiers of the keys, as OpenSC prints them.
fn identifier(daemon: &Daemon, name: &str) -> String {
    let listed = good(&mut daemon.command(&format!("pkcs11-tool --module {} -O", module().display())));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let of_key = listed.split_once(&format!("label:      {name}\n")).expect("the key is listed").1;
    of_key.split_once("ID:").unwrap().1.lines().next().unwrap().trim().to_owned()
}

#[test]
fn openscs_tool_signs_and_decrypts_what_openssl_verifies_and_encrypts() {
    let daemon = Daemon::new();
    fs::write(daemon.path("message"), "a message").unwrap();
    let (www, mail) = (identifier(&daemon, "www"), identifier(&daemon, "mail"));
    let tool = |id: &str, words: &str| {
        daemon.command(&format!("pkcs11-tool --module {} --id {id} {words}", module().display()))
    };
    let verified = |options: &str, key: &str| {
        good(
            &mut daemon
                .command(&format!("openssl dgst {options} -prverify keys/{key}.pem -signature signature message")),
        )
    };
    good(&mut tool(&www, "--sign -m SHA256-RSA-PKCS -i message -o signature"));
    verified("-sha256", "www");
    good(&mut tool(&mail, "--sign -m SHA512-RSA-PKCS-PSS -i message -o signature"));
    verified("-sha512 -sigopt rsa_padding_mode:pss", "mail");
    let refused = tool(&mail, "--sign -m SHA256-RSA-PKCS -i message -o signature").output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("CKR_KEY_FUNCTION_NOT_PERMITTED"), "{refused:?}");

    good(&mut daemon.command("openssl rsa -in keys/www.pem -pubout -out public.pem"));
    for (options, mechanism) in [
        (
            "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 -pkeyopt rsa_mgf1_md:sha256",
            "RSA-PKCS-OAEP --hash-algorithm SHA256 --mgf MGF1-SHA256",
        ),
        ("", "RSA-PKCS"),
    ] {
        let encrypt = format!("openssl pkeyutl -encrypt -pubin -inkey public.pem -in message -out secret {options}");
        good(&mut daemon.command(&encrypt));
        good(&mut tool(&www, &format!("--decrypt -m {mechanism} -i secret -o opened")));
        assert_eq!(fs::read(daemon.path("opened")).unwrap(), b"a message", "{mechanism}");
    }
}

/// An agent of OpenSSH's that ends with the test.
struct Agent(Child, String);

impl Agent {
    fn new(daemon: &Daemon) -> Agent {
        let mut command = daemon.command("ssh-agent -D -a agent -P");
        let mut agent = command.arg(module()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(agent.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Agent(agent, daemon.path("agent").display().to_string())
    }

    fn command(&self, daemon: &Daemon, words: &str) -> Command {
        let mut command = daemon.command(words);
        // The agent asks for a PIN whether there is one or not.
        command.env("SSH_AUTH_SOCK", &self.1).env("SSH_ASKPASS", "/bin/true").env("SSH_ASKPASS_REQUIRE", "force");
        command
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn opensshs_agent_signs_with_the_key_that_it_may_sign_with() {
    let daemon = Daemon::new();
    let public = good(&mut daemon.command(&format!("ssh-keygen -D {}", module().display())));
    let public = String::from_utf8(public.stdout).unwrap();
    let agent = Agent::new(&daemon);
    good(agent.command(&daemon, "ssh-add -s").arg(module()));
    let tested = |name: &str| {
        let line = public.lines().find(|line| line.ends_with(name)).expect("a line for each key");
        fs::write(daemon.path("public"), line).unwrap();
        agent.command(&daemon, "ssh-add -T public").output().unwrap()
    };
    let www = tested("www");
    assert!(www.status.success(), "{www:?}");
    // OpenSSH signs by PKCS#1 v1.5, which this key's policy has not.
    let mail = tested("mail");
    assert!(String::from_utf8_lossy(&mail.stderr).contains("agent refused operation"), "{mail:?}");
}

#[test]
fn gnutls_signs_and_verifies_by_the_keys_address() {
    let daemon = Daemon::new();
    let mut tool = daemon.command("p11tool --test-sign pkcs11:object=www;type=private --provider");
    let said = good(tool.arg(module()));
    let said = [said.stdout, said.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("Verifying against public key in the token... ok"), "{said}");
}
