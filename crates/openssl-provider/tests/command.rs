// SPDX-License-Identifier: Apache-2.0
//! The `openssl` command: with Garner it makes what it makes without, for every padding and digest, and a plain one accepts it.

mod support;

use std::process::Command;
use support::{Site, ends, run, with_certificate, words};

#[test]
fn openssl_command_makes_what_a_plain_one_accepts() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    let (garner, plain) = (
        |line: &str| run(site.garner("openssl").args(words(line))),
        |line: &str| run(site.plain("openssl").args(words(line))),
    );
    let did = |private: u64| site.figures().private_at_least(private);
    garner("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out made.pem");
    assert_eq!(site.figures().get("keys-generated"), u64::from(true));
    plain("pkey -in made.pem -check -noout");
    garner("req -x509 -key made.pem -out ca.pem -subj /CN=ca -days 3 -addext basicConstraints=critical,CA:TRUE");
    did(1);
    garner("req -new -key key.pem -out leaf.csr -subj /CN=leaf");
    did(1);
    // OpenSSL 4 takes the whole configuration for extensions unless told where they are.
    site.write("extensions", b"basicConstraints = CA:FALSE\n");
    garner(
        "x509 -req -in leaf.csr -CA ca.pem -CAkey made.pem -CAcreateserial -extfile extensions -out leaf.pem -days 3",
    );
    did(1);
    plain("verify -CAfile ca.pem leaf.pem");
    garner("pkcs12 -export -in cert.pem -inkey key.pem -passout pass:word -out store.p12");
    garner("pkcs12 -in store.p12 -passin pass:word -nodes -nocerts -out from_store.pem");
    site.figures();
    garner("dgst -sha256 -sign from_store.pem -out signature message");
    did(1);
    plain("x509 -in cert.pem -noout -pubkey -out public.pem");
    plain("dgst -sha256 -verify public.pem -signature signature message");
    garner("cms -sign -in message -signer cert.pem -inkey key.pem -out signed.cms -outform DER -binary -nodetach");
    did(1);
    plain("cms -verify -in signed.cms -inform DER -CAfile cert.pem -binary -out verified -purpose any");
    plain("cms -encrypt -in message -outform DER -out sealed.cms -aes256 cert.pem");
    garner("cms -decrypt -in sealed.cms -inform DER -inkey key.pem -recip cert.pem -out opened");
    assert_eq!(site.read("opened").strip_suffix(b"\r\n"), site.read("message").strip_suffix(b"\n"));
    site.figures();
    garner("speed -seconds 1 rsa2048");
    did(1);
    garner("speed -seconds 1 -async_jobs 16 rsa2048");
    did(1);
}

#[test]
fn pkeyutl_signs_what_comes_without_a_digest_as_plain_openssl_does() {
    let site = with_certificate(Site::new());
    site.write("digest", &[0x55; 32]);
    site.write("both", &[0x55; 36]);
    site.write("short", &[0x55; 20]);
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));
    for (options, input, ours) in [
        ("rsa_padding_mode:pkcs1", "both", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:md5-sha1", "both", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:sha256", "digest", true),
        ("rsa_padding_mode:pkcs1 -pkeyopt digest:ripemd160", "short", false),
        ("digest:sha256 -pkeyopt rsa_padding_mode:x931", "digest", false),
    ] {
        let line = format!("pkeyutl -sign -inkey key.pem -in {input} -pkeyopt {options} -out");
        run(site.garner("openssl").args(words(&format!("{line} ours"))));
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{options}");
        run(site.plain("openssl").args(words(&format!("{line} theirs"))));
        assert_eq!(site.read("ours"), site.read("theirs"), "{options}");
        let verified = format!("-pubin -inkey public.pem -pkeyopt {options}");
        for mut openssl in [site.garner("openssl"), site.plain("openssl")] {
            run(openssl.args(words(&format!("pkeyutl -verifyrecover {verified} -in ours -out recovered"))));
            assert_eq!(site.read("recovered"), site.read(input), "{options}");
        }
        let verify = format!("pkeyutl -verify {verified} -in {input} -sigfile ours");
        let theirs = ends(site.plain("openssl").args(words(&verify))).status.success();
        assert_eq!(ends(site.garner("openssl").args(words(&verify))).status.success(), theirs, "{options}");
        site.figures();
    }
}

#[test]
fn what_the_default_provider_refuses_is_refused() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    site.write("digest", &[0x55; 32]);
    site.write("block", &[0xff; 256]);
    run(site.plain("openssl").args(words(
        "genpkey -algorithm RSA-PSS -pkeyopt rsa_pss_keygen_md:sha256 -pkeyopt \
        rsa_pss_keygen_mgf1_md:sha256 -pkeyopt rsa_pss_keygen_saltlen:32 -out restricted.pem",
    )));
    for line in [
        "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:223 -sign key.pem -out signature message",
        "dgst -sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:31 -sign restricted.pem -out signature message",
        "dgst -sha384 -sign restricted.pem -out signature message",
        "dgst -shake128 -sign key.pem -out signature message",
        "pkeyutl -sign -inkey key.pem -in digest -pkeyopt rsa_padding_mode:none -out signature",
        "pkeyutl -sign -inkey key.pem -in block -pkeyopt rsa_padding_mode:none -out signature",
        "pkeyutl -sign -inkey key.pem -in digest -pkeyopt digest:sha384 -out signature",
        "pkeyutl -encrypt -inkey key.pem -in block -out sealed",
        "pkeyutl -decrypt -inkey key.pem -in block -pkeyopt rsa_padding_mode:oaep -out opened",
        "pkeyutl -decrypt -inkey key.pem -in block -out opened",
    ] {
        for mut openssl in [site.plain("openssl"), site.garner("openssl")] {
            let output = ends(openssl.args(words(line)));
            assert!(output.status.code().is_some_and(|code| code != 0), "{line}: {}", output.status);
            assert!(!output.stderr.is_empty(), "{line}: without a word");
        }
    }
}

#[test]
fn digests_of_the_legacy_provider_are_there_if_the_program_has_it() {
    let site = with_certificate(Site::new());
    let said = run(site.plain("openssl").args(["version", "-m"]));
    let legacy = std::path::Path::new(said.split('"').nth(1).unwrap()).join("legacy.so");
    if !legacy.exists() {
        return support::left_out(format_args!("there is no {}", legacy.display()));
    }
    std::os::unix::fs::symlink(legacy, site.path("modules/legacy.so")).unwrap();
    site.write("message", b"a message\n");
    site.write("digest", &[0x55; 16]);
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));

    // The module alone is no permission.
    let sign = "pkeyutl -sign -inkey key.pem -in digest -pkeyopt digest:md4 -out";
    for mut openssl in [site.plain("openssl"), site.garner("openssl")] {
        let output = ends(openssl.args(words(&format!("{sign} signature"))));
        assert!(!output.status.success());
    }

    // Behind Garner in the configuration, which cannot know of it when it is loaded.
    let text = String::from_utf8(site.read("openssl.cnf")).unwrap();
    let text = text.replace("garner = garner_provider\n", "garner = garner_provider\nlegacy = legacy_provider\n");
    site.write("openssl.cnf", format!("{text}\n[legacy_provider]\nactivate = 1\n").as_bytes());
    let garner = |line: &str| run(site.garner("openssl").args(words(line)));
    let plain = |line: &str| {
        let (command, rest) = line.split_once(' ').unwrap();
        let line = format!("{command} -provider default -provider legacy {rest}");
        run(site.plain("openssl").args(words(&line)))
    };
    plain(&format!("{sign} theirs"));
    garner(&format!("{sign} ours"));
    assert_eq!(site.read("ours"), site.read("theirs"));
    plain("dgst -md4 -sign key.pem -out theirs message");
    garner("dgst -md4 -sign key.pem -out ours message");
    assert_eq!(site.read("ours"), site.read("theirs"));
    garner("dgst -md4 -prverify key.pem -signature ours message");
    garner("dgst -md4 -verify public.pem -signature ours message");
    let oaep = "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:whirlpool";
    garner(&format!("pkeyutl -encrypt -pubin -inkey public.pem -in message -out sealed {oaep}"));
    garner(&format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened {oaep}"));
    assert_eq!(site.read("opened"), site.read("message"));
    plain(&format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened {oaep}"));
    assert_eq!(site.read("opened"), site.read("message"));
    // Signed and decrypted by OpenSSL: what comes after is still Garner's.
    assert_eq!(site.figures().get("private-operations"), 0);
    garner("dgst -sha256 -sign key.pem -out ours message");
    site.figures().private_at_least(1);
}

#[test]
fn padding_and_digest_matrix_gives_what_plain_openssl_gives() {
    let site = with_certificate(Site::new());
    site.write("message", b"a message\n");
    run(site.plain("openssl").args(words("x509 -in cert.pem -noout -pubkey -out public.pem")));
    let by = |command: &mut Command, line: &str| run(command.args(words(line)));
    for (digest, ours) in [
        ("sha1", false),
        ("sha224", true),
        ("sha256", true),
        ("sha384", true),
        ("sha512", true),
        ("sha512-224", true),
        ("sha512-256", true),
        ("sha3-224", true),
        ("sha3-256", true),
        ("sha3-384", true),
        ("sha3-512", true),
        ("md5", false),
        ("ripemd160", false),
    ] {
        let line = format!("dgst -{digest} -sign key.pem -out");
        by(&mut site.garner("openssl"), &format!("{line} ours message"));
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{digest}");
        by(&mut site.plain("openssl"), &format!("{line} theirs message"));
        assert_eq!(site.read("ours"), site.read("theirs"), "{digest}: PKCS#1 v1.5 is deterministic");
        let line = format!("dgst -{digest} -verify public.pem -signature ours message");
        by(&mut site.garner("openssl"), &line);
        site.figures();
    }
    for (salt, mask) in [("-1", "sha256"), ("-2", "sha1"), ("-3", "sha512"), ("0", "sha256"), ("20", "sha3-256")] {
        let pss = format!("-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:{mask} -sigopt rsa_pss_saltlen");
        by(&mut site.garner("openssl"), &format!("dgst -sha256 {pss}:{salt} -sign key.pem -out pss message"));
        site.figures().private_at_least(1);
        let verify = format!("dgst -sha256 {pss}:{salt} -verify public.pem -signature pss message");
        by(&mut site.plain("openssl"), &verify);
        by(&mut site.garner("openssl"), &verify);
        site.figures();
    }
    for (options, ours) in [
        ("rsa_padding_mode:pkcs1", true),
        ("rsa_padding_mode:oaep", true),
        (
            "rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha512 -pkeyopt rsa_mgf1_md:sha1 -pkeyopt rsa_oaep_label:4142",
            true,
        ),
        ("rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:ripemd160", false),
    ] {
        let encrypt = format!("pkeyutl -encrypt -pubin -inkey public.pem -in message -out sealed -pkeyopt {options}");
        let decrypt = format!("pkeyutl -decrypt -inkey key.pem -in sealed -out opened -pkeyopt {options}");
        for (encrypts, decrypts) in [(true, false), (false, true)] {
            let by_who = |garner: bool| if garner { site.garner("openssl") } else { site.plain("openssl") };
            by(&mut by_who(encrypts), &encrypt);
            by(&mut by_who(decrypts), &decrypt);
            assert_eq!(site.read("opened"), site.read("message"), "{options}");
        }
        assert_eq!(site.figures().get("private-operations"), u64::from(ours), "{options}");
    }
    for (made, ours) in [
        ("genpkey -algorithm RSA-PSS", true),
        (
            "genpkey -algorithm RSA-PSS -pkeyopt rsa_pss_keygen_md:sha384 -pkeyopt rsa_pss_keygen_mgf1_md:sha384 -pkeyopt rsa_pss_keygen_saltlen:48",
            false,
        ),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2049", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_primes:3", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_pubexp:3", false),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_pubexp:65539", true),
    ] {
        by(&mut site.garner("openssl"), &format!("{made} -out generated.pem"));
        assert_eq!(site.figures().get("keys-generated"), u64::from(ours), "{made}");
        by(&mut site.garner("openssl"), "dgst -sha384 -sign generated.pem -out signature message");
        by(&mut site.plain("openssl"), "pkey -in generated.pem -pubout -out generated.pub");
        by(&mut site.plain("openssl"), "dgst -sha384 -verify generated.pub -signature signature message");
        by(&mut site.garner("openssl"), "dgst -sha384 -verify generated.pub -signature signature message");
        site.figures();
    }
}
