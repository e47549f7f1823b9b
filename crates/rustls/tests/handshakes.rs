// SPDX-License-Identifier: Apache-2.0
//! Real handshakes: a rustls server that signs with Garner, a rustls client with ring's provider that verifies.

use garner::gather::Gatherer;
use garner::key::PrivateKey;
use garner_rustls::SigningKey;
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};
use rustls::client::{ClientConnection, Resumption};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ServerConnection, WebPkiClientVerifier};
use rustls::sign::SigningKey as _;
use rustls::{ClientConfig, RootCertStore, ServerConfig, SignatureScheme, SupportedProtocolVersion, version};
use std::io::{Read, Write};
use std::sync::Arc;
use std::thread;

/// A certificate for `localhost` by an authority of its own, and its key.
struct Identity {
    authority: CertificateDer<'static>,
    chain: Vec<CertificateDer<'static>>,
    key: PKey<Private>,
}

fn certificate(subject: &str, key: &PKey<Private>, issuer: Option<(&X509, &PKey<Private>)>) -> X509 {
    let mut name = X509NameBuilder::new().unwrap();
    name.append_entry_by_text("CN", subject).unwrap();
    let name = name.build();
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    builder
        .set_serial_number(&BigNum::from_u32(1 + issuer.is_some() as u32).unwrap().to_asn1_integer().unwrap())
        .unwrap();
    builder.set_subject_name(&name).unwrap();
    builder.set_issuer_name(issuer.map_or(&name, |(issuer, _)| issuer.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::days_from_now(2).unwrap()).unwrap();
    builder.set_pubkey(key).unwrap();
    match issuer {
        None => builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap(),
        Some((issuer, _)) => {
            let names =
                SubjectAlternativeName::new().dns("localhost").build(&builder.x509v3_context(Some(issuer), None));
            builder.append_extension(names.unwrap()).unwrap();
        }
    }
    builder.sign(issuer.map_or(key, |(_, key)| key), MessageDigest::sha256()).unwrap();
    builder.build()
}

impl Identity {
    fn new() -> Identity {
        let [authority_key, key] = [(); 2].map(|()| PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap());
        let authority = certificate("authority", &authority_key, None);
        let leaf = certificate("localhost", &key, Some((&authority, &authority_key)));
        let der = |certificate: &X509| CertificateDer::from(certificate.to_der().unwrap());
        Identity { authority: der(&authority), chain: vec![der(&leaf)], key }
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.key.private_key_to_pkcs8().unwrap()).into()
    }

    fn roots(&self) -> Arc<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.clone()).unwrap();
        Arc::new(roots)
    }
}

/// A server with this identity, which asks for a client's certificate of `clients`.
fn server(identity: &Identity, clients: &Identity) -> Arc<ServerConfig> {
    let provider = Arc::new(garner_rustls::provider(ring::default_provider()).unwrap());
    let verifier = WebPkiClientVerifier::builder_with_provider(clients.roots(), Arc::clone(&provider)).build().unwrap();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_client_cert_verifier(verifier);
    Arc::new(config.with_single_cert(identity.chain.clone(), identity.key()).unwrap())
}

/// A client that verifies with ring and, to show its own certificate, signs with Garner.
fn client(identity: &Identity, servers: &Identity, version: &'static SupportedProtocolVersion) -> Arc<ClientConfig> {
    let provider = Arc::new(garner_rustls::provider(ring::default_provider()).unwrap());
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
    let config = config.with_root_certificates(servers.roots());
    let mut config = config.with_client_auth_cert(identity.chain.clone(), identity.key()).unwrap();
    config.resumption = Resumption::disabled(); // a resumed session is not signed again
    Arc::new(config)
}

/// Hands what each has written to the other, until neither has more.
fn exchange(client: &mut ClientConnection, server: &mut ServerConnection) -> Result<(), rustls::Error> {
    while client.wants_write() || server.wants_write() {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        while client.wants_write() {
            client.write_tls(&mut up).unwrap();
        }
        let mut up = &up[..];
        while !up.is_empty() {
            server.read_tls(&mut up).unwrap();
            server.process_new_packets()?;
        }
        while server.wants_write() {
            server.write_tls(&mut down).unwrap();
        }
        let mut down = &down[..];
        while !down.is_empty() {
            client.read_tls(&mut down).unwrap();
            client.process_new_packets()?;
        }
    }
    Ok(())
}

#[test]
fn handshakes_of_tls_1_2_and_1_3_are_signed_by_the_gatherer_and_verified_by_ring() {
    let (ours, theirs) = (Identity::new(), Identity::new());
    let before = Gatherer::global().unwrap().statistics().private_operations;
    let server_config = server(&ours, &theirs);
    let handshakes = 12;
    for version in [&version::TLS12, &version::TLS13] {
        let client_config = client(&theirs, &ours, version);
        // Several at a time, as a server has them.
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..handshakes / 4 {
                        let name = "localhost".try_into().unwrap();
                        let mut client = ClientConnection::new(Arc::clone(&client_config), name).unwrap();
                        let mut server = ServerConnection::new(Arc::clone(&server_config)).unwrap();
                        exchange(&mut client, &mut server).unwrap();
                        assert!(!client.is_handshaking() && !server.is_handshaking());
                        assert_eq!(client.protocol_version(), Some(version.version));
                        server.writer().write_all(b"hello").unwrap();
                        exchange(&mut client, &mut server).unwrap();
                        let mut received = [0; 5];
                        client.reader().read_exact(&mut received).unwrap();
                        assert_eq!(&received, b"hello");
                    }
                });
            }
        });
    }
    // Each takes two signatures, the server's and the client's.
    let signed = Gatherer::global().unwrap().statistics().private_operations - before;
    assert!(signed >= 2 * 2 * handshakes, "{signed} signatures by Garner");
}

#[test]
fn a_key_that_is_not_the_certificates_is_refused_when_configured() {
    let (ours, other) = (Identity::new(), Identity::new());
    let provider = Arc::new(garner_rustls::provider(ring::default_provider()).unwrap());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let refused = config.with_no_client_auth().with_single_cert(ours.chain.clone(), other.key()).unwrap_err();
    assert!(matches!(refused, rustls::Error::InconsistentKeys(_)), "{refused}");
}

#[test]
fn keys_of_other_kinds_stay_the_other_providers() {
    let group = openssl::ec::EcGroup::from_curve_name(openssl::nid::Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(openssl::ec::EcKey::generate(&group).unwrap()).unwrap();
    let der = PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8().unwrap()).into();
    let provider = garner_rustls::provider(ring::default_provider()).unwrap();
    let key = provider.key_provider.load_private_key(der).unwrap();
    assert_eq!(key.algorithm(), rustls::SignatureAlgorithm::ECDSA);
    let neither = PrivatePkcs8KeyDer::from(vec![0x30, 0]).into();
    assert!(provider.key_provider.load_private_key(neither).is_err());
}

#[test]
fn a_scheme_that_a_short_key_has_no_room_for_is_not_chosen() {
    let key = Rsa::generate(1024).unwrap().private_key_to_der().unwrap();
    let key = SigningKey::new(Gatherer::global().unwrap(), Arc::new(PrivateKey::from_der(&key).unwrap()));
    let pss = [SignatureScheme::RSA_PSS_SHA512, SignatureScheme::RSA_PSS_SHA384];
    let signer = key.choose_scheme(&pss).unwrap();
    assert_eq!(signer.scheme(), SignatureScheme::RSA_PSS_SHA384);
    assert_eq!(signer.sign(b"message").unwrap().len(), 128);
    assert!(key.choose_scheme(&pss[..1]).is_none());
    assert!(key.choose_scheme(&[SignatureScheme::ED25519]).is_none());
}
