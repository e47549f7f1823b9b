#!/bin/sh
# Unmodified programs with and without the provider, in turn. Nothing else should be running.
#
#   bench/openssl.sh                       all of them, about six minutes
#   bench/openssl.sh speed threads zone handshakes     only some
#
#   MODULE=target/release/libgarner_provider.so   the provider to measure
#   SECONDS_EACH=3  ROUNDS=3                       each figure's time, and how often; medians are printed
set -eu
cd "$(dirname "$0")/.."
module=$(realpath "${MODULE:-target/release/libgarner_provider.so}")
seconds=${SECONDS_EACH:-3} rounds=${ROUNDS:-3}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/modules"
ln -s "$module" "$work/modules/garner.so"
cp crates/openssl-provider/openssl.cnf "$work"

plain() { env -u OPENSSL_CONF -u OPENSSL_MODULES "$@"; }
garner() { env OPENSSL_CONF="$work/openssl.cnf" OPENSSL_MODULES="$work/modules" "$@"; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# compare NAME COMMAND...: COMMAND prints one number; run with both in turn, medians side by side.
compare() {
    name=$1
    shift
    : >"$work/plain" && : >"$work/garner"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        WITH=plain "$@" >>"$work/plain"
        WITH=garner "$@" >>"$work/garner"
        round=$((round + 1))
    done
    a=$(median <"$work/plain") b=$(median <"$work/garner")
    awk -v name="$name" -v a="$a" -v b="$b" 'BEGIN { printf "%-44s %12.1f %12.1f %8.2f\n", name, a, b, b / a }'
}

speed_sign() { $WITH openssl speed -seconds "$seconds" -elapsed "$@" 2>/dev/null | awk 'END { print $(NF - 1) }'; }
speed() {
    for bits in 2048 3072 4096; do
        compare "openssl speed, rsa$bits, sign/s" speed_sign "rsa$bits"
        compare "openssl speed -async_jobs 64, rsa$bits, sign/s" speed_sign -async_jobs 64 "rsa$bits"
    done
}

sign() { $WITH "$work/sign" "$1" "$2" "$seconds" "$3" | awk '{ print $1 / $2 }'; }
threads() {
    cc -O2 -o "$work/sign" bench/demo/sign.c -lcrypto -lpthread
    for bits in 2048 3072 4096; do
        for callers in 1 2 4 8 64; do
            compare "EVP, $callers threads, rsa$bits, sign/s" sign sync "$callers" "$bits"
        done
    done
    compare "EVP, 64 jobs, rsa2048, sign/s" sign async 64 2048
}

zone_time() {
    # Processor seconds of the whole, as the shell counts its children's.
    cp "$work/zone.db" "$work/zone" && rm -f "$work/zone.signed"
    (cd "$work" && $WITH dnssec-signzone -q -S -n 16 -o example -x zone >/dev/null 2>&1; times) |
        awk 'END { split($1, u, "m"); split($2, s, "m"); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }'
}
zone() {
    (cd "$work" && plain dnssec-keygen -q -a RSASHA256 -b 2048 example >/dev/null && plain dnssec-keygen -q -a RSASHA256 -b 2048 -f KSK example >/dev/null)
    awk 'BEGIN { print "$TTL 3600\n@ IN SOA ns h 1 3600 600 86400 3600\n@ IN NS ns\nns IN A 127.0.0.1"; for (i = 0; i < 10000; i++) print "h" i " IN A 10.0." int(i / 256) "." i % 256 }' >"$work/zone.db"
    compare "dnssec-signzone -n 16, 10,000 names, CPU s" zone_time
}

# Full handshakes a second by four clients without Garner.
handshake_rate() {
    $WITH "$@" >/dev/null 2>&1 &
    server=$!
    sleep 1
    for client in 1 2 3 4; do
        plain openssl s_time -connect 127.0.0.1:44399 -new -tls1_3 -time "$seconds" 2>/dev/null |
            awk '/real seconds/ { print $1 / $4 }' >"$work/client$client" &
        clients="${clients-} $!"
    done
    # shellcheck disable=SC2086 # process numbers
    wait $clients
    clients=
    kill "$server" && wait "$server" 2>/dev/null || true
    server=
    cat "$work"/client? | awk '{ sum += $1 } END { print sum }'
}
handshakes() {
    plain openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 3 -subj /CN=localhost 2>/dev/null
    cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
    printf '%s\n' "user root; worker_processes 2; daemon off; pid $work/pid; error_log /dev/null;" \
        'env OPENSSL_CONF; env OPENSSL_MODULES; events {}' \
        "http { access_log off; server { listen 127.0.0.1:44399 ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.3; return 200 fine; } }" >"$work/nginx.conf"
    printf '%s\n' global ' nbthread 2' ' ssl-mode-async' defaults ' mode http' ' timeout client 5s' ' timeout connect 5s' \
        ' timeout server 5s' 'frontend tls' " bind 127.0.0.1:44399 ssl crt $work/both.pem" ' http-request return status 200' >"$work/haproxy.cfg"
    compare "nginx, 2 workers, TLS 1.3 handshakes/s" handshake_rate nginx -c "$work/nginx.conf"
    compare "HAProxy, async, 2 threads, handshakes/s" handshake_rate haproxy -db -f "$work/haproxy.cfg"
}

printf '%-44s %12s %12s %8s\n' "$(plain openssl version | cut -d' ' -f1,2), $(nproc) processors" OpenSSL Garner ratio
for benchmark in "${@:-all}"; do
    case $benchmark in
    all) speed && threads && zone && handshakes ;;
    speed | threads | zone | handshakes) "$benchmark" ;;
    *)
        echo "bench/openssl.sh: $benchmark: unknown; there are speed, threads, zone and handshakes" >&2
        exit 2
        ;;
    esac
done
