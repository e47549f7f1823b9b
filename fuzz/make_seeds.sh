#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes valid key files of every kind to corpus/private_key and corpus/public_key, for the fuzzers to start from.
set -eu
cd "$(dirname "$0")"
private=corpus/private_key public=corpus/public_key
mkdir -p "$private" "$public"
key=$(openssl genrsa 512 2>/dev/null)
write() { # FILE, then openssl's arguments
    file=$1
    shift
    printf '%s\n' "$key" | openssl "$@" -out "$file" 2>/dev/null
}
write $private/pkcs1.der rsa -traditional -outform DER
write $private/pkcs1.pem rsa -traditional
write $private/pkcs8.der pkey -outform DER
write $private/pkcs8.pem pkey
write $private/pbkdf2.der pkcs8 -topk8 -v2 aes-128-cbc -iter 1 -passout pass:x -outform DER
write $private/pbkdf2.pem pkcs8 -topk8 -v2 aes-256-cbc -iter 1 -passout pass:x
write $private/scrypt.der pkcs8 -topk8 -scrypt -scrypt_N 16 -scrypt_r 1 -scrypt_p 1 -passout pass:x -outform DER
write $public/info.der rsa -pubout -outform DER
write $public/info.pem rsa -pubout
write $public/pkcs1.der rsa -RSAPublicKey_out -outform DER
write $public/pkcs1.pem rsa -RSAPublicKey_out
cp $private/pkcs1.der $private/pkcs8.pem $public
ls -1 $private $public
