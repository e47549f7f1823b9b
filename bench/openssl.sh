#!/bin/sh
# Unmodified programs with and without the provider, in turn: a table, and data into bench/results/openssl-*.json.
# Nothing else should be running.
#
#   bench/openssl.sh                       all of them, about twenty minutes
#   bench/openssl.sh speed threads zone handshakes     only some
#
#   MODULE=target/release/libgarner_provider.so   the provider to measure
#   SECONDS_EACH=3  ROUNDS=3                       each figure's time, and how often; medians are printed
#   RESULTS=bench/results                          where the data go
set -eu
command="bench/openssl.sh $*"
cd "$(dirname "$0")/.."
module=$(realpath "${MODULE:-target/release/libgarner_provider.so}")
seconds=${SECONDS_EACH:-3} rounds=${ROUNDS:-3} results=${RESULTS:-bench/results}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$work/modules" "$results"
ln -s "$module" "$work/modules/garner.so"
cp crates/openssl-provider/openssl.cnf "$work"

# In front of a command, as words: so that `&` gives the number of the program itself.
plain="env -u OPENSSL_CONF -u OPENSSL_MODULES"
garner="env OPENSSL_CONF=$work/openssl.cnf OPENSSL_MODULES=$work/modules"
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
list() { paste -sd, "$1" | sed 's/,/, /g'; }

# compare NAME COMMAND...: COMMAND prints one number; run with both in turn, medians side by side.
compare() {
    name=$1
    shift
    : >"$work/plain" && : >"$work/garner"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        WITH=$plain "$@" >>"$work/plain"
        WITH=$garner "$@" >>"$work/garner"
        round=$((round + 1))
    done
    a=$(median <"$work/plain") b=$(median <"$work/garner")
    awk -v name="$name" -v a="$a" -v b="$b" 'BEGIN { printf "%-58s %12.1f %12.1f %8.2f\n", name, a, b, b / a }'
    ratio=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", b / a }')
    printf '%s    {"name": "%s", "openssl": %s, "garner": %s, "ratio": %s, "openssl_rounds": [%s], "garner_rounds": [%s]}' \
        "$comma" "$name" "$a" "$b" "$ratio" "$(list "$work/plain")" "$(list "$work/garner")" >>"$work/rows"
    comma=",
"
}

# group NAME: the benchmarks of that name; their data are written whole or not at all.
group() {
    comma=
    : >"$work/rows"
    "$1"
    {
        printf '{\n  "machine": {"cpu": "%s", "cores": %s, "system": "%s", "openssl": "%s", "garner": "%s", "date": "%s"},\n' \
            "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -sm)" "$version" \
            "$(git describe --always --dirty 2>/dev/null || echo unknown)" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
        printf '  "command": "SECONDS_EACH=%s ROUNDS=%s %s",\n  "rows": [\n' "$seconds" "$rounds" "$command"
        cat "$work/rows"
        printf '\n  ]\n}\n'
    } >"$results/.openssl-$1.json"
    mv "$results/.openssl-$1.json" "$results/openssl-$1.json"
}

# What is said to be of one core is pinned to the first processor.
one_core="taskset -c 0"

# speed_field FIELD WORD...: that field, from the end, of the last line of openssl speed: 1 signs a second, 0 verifies.
speed_field() {
    field=$1
    shift
    $WITH openssl speed -seconds "$seconds" -elapsed "$@" 2>/dev/null | awk -v field="$field" 'END { print $(NF - field) }'
}
pinned_speed_field() { WITH="$one_core $WITH" speed_field "$@"; }
speed() {
    for bits in 2048 3072 4096; do
        compare "openssl speed, rsa$bits, sign/s, one core" pinned_speed_field 1 "rsa$bits"
        compare "openssl speed -async_jobs 64, rsa$bits, sign/s, one core" pinned_speed_field 1 -async_jobs 64 "rsa$bits"
        compare "openssl speed -async_jobs 64, rsa$bits, sign/s" speed_field 1 -async_jobs 64 "rsa$bits"
    done
    compare "openssl speed, rsa2048, verify/s, one core" pinned_speed_field 0 rsa2048
    compare "openssl speed -async_jobs 64, rsa2048, verify/s, one core" pinned_speed_field 0 -async_jobs 64 rsa2048
}

sign() { $WITH "$work/sign" "$1" "$2" "$seconds" "$3" | awk '{ print $1 / $2 }'; }
pinned_sign() { WITH="$one_core $WITH" sign "$@"; }
threads() {
    cc -O2 -o "$work/sign" bench/demo/sign.c -lcrypto -lpthread
    for bits in 2048 3072 4096; do
        for callers in 1 2 4 8 64; do
            compare "EVP, $callers threads, rsa$bits, sign/s, one core" pinned_sign sync "$callers" "$bits"
        done
        for callers in 4 64; do
            compare "EVP, $callers threads, rsa$bits, sign/s" sign sync "$callers" "$bits"
        done
        compare "EVP, 64 jobs, rsa$bits, sign/s" sign async 64 "$bits"
    done
}

zone_time() {
    # Processor seconds of the whole, as the shell counts its children's.
    cp "$work/zone.db" "$work/zone" && rm -f "$work/zone.signed"
    (cd "$work" && $WITH dnssec-signzone -q -S -n 16 -o example -x zone >/dev/null 2>&1; times) |
        awk 'END { split($1, u, "m"); split($2, s, "m"); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }'
}
zone() {
    (cd "$work" && $plain dnssec-keygen -q -a RSASHA256 -b 2048 example >/dev/null && $plain dnssec-keygen -q -a RSASHA256 -b 2048 -f KSK example >/dev/null)
    awk 'BEGIN { print "$TTL 3600\n@ IN SOA ns h 1 3600 600 86400 3600\n@ IN NS ns\nns IN A 127.0.0.1"; for (i = 0; i < 10000; i++) print "h" i " IN A 10.0." int(i / 256) "." i % 256 }' >"$work/zone.db"
    compare "dnssec-signzone -n 16, 10,000 names, CPU s" zone_time
}

# handshake WHAT COMMAND...: of a server to which four clients without Garner make full handshakes: `rate`, how many
# a second; `cost`, its processor time for each, in microseconds.
handshake() {
    what=$1
    shift
    $WITH "$@" >/dev/null 2>&1 &
    server=$!
    tries=0
    until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do
        tries=$((tries + 1))
        # One that has ended is not waited for: were the port another's, that one would be measured.
        [ "$tries" -lt 100 ] && kill -0 "$server" 2>/dev/null || {
            echo "bench/openssl.sh: $1 does not listen" >&2
            exit 3
        }
        sleep 0.1
    done
    for client in 1 2 3 4; do
        $plain openssl s_time -connect "127.0.0.1:$port" -new -tls1_3 -time "$seconds" 2>/dev/null |
            awk '/real seconds/ { print $1, $4 }' >"$work/client$client" &
        clients="${clients-} $!"
    done
    # shellcheck disable=SC2086 # process numbers
    wait $clients
    clients=
    # Ticks of the server and its workers.
    ticks=$(for process in $server $(pgrep -P "$server"); do cut -d')' -f2 "/proc/$process/stat"; done |
        awk '{ sum += $12 + $13 } END { print sum }')
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
    cat "$work"/client? | awk -v what="$what" -v seconds="$(awk -v t="$ticks" -v hz="$(getconf CLK_TCK)" 'BEGIN { print t / hz }')" '
        { count += $1; rate += $1 / $2 }
        END { if (!count) exit 1; print (what == "rate" ? rate : 1e6 * seconds / count) }'
}
handshakes() {
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    $plain openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 3 -subj /CN=localhost 2>/dev/null
    cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
    printf '%s\n' "user root; worker_processes 2; daemon off; pid $work/pid; error_log /dev/null;" \
        'env OPENSSL_CONF; env OPENSSL_MODULES; events {}' \
        "http { access_log off; server { listen 127.0.0.1:$port ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.3; return 200 fine; } }" >"$work/nginx.conf"
    printf '%s\n' global ' nbthread 2' ' ssl-mode-async' defaults ' mode http' ' timeout client 5s' ' timeout connect 5s' \
        ' timeout server 5s' 'frontend tls' " bind 127.0.0.1:$port ssl crt $work/both.pem" ' http-request return status 200' >"$work/haproxy.cfg"
    for what in rate cost; do
        case $what in rate) unit="handshakes/s" ;; cost) unit="server's CPU us/handshake" ;; esac
        compare "nginx, 2 workers, TLS 1.3, $unit" handshake $what nginx -c "$work/nginx.conf"
        compare "HAProxy, async, 2 threads, TLS 1.3, $unit" handshake $what haproxy -db -f "$work/haproxy.cfg"
    done
}

version=$($plain openssl version | cut -d' ' -f1,2)
printf '%-58s %12s %12s %8s\n' "$version, $(nproc) processors" OpenSSL Garner ratio
for benchmark in "${@:-all}"; do
    case $benchmark in
    all)
        for each in speed threads zone handshakes; do
            group "$each"
        done
        ;;
    speed | threads | zone | handshakes) group "$benchmark" ;;
    *)
        echo "bench/openssl.sh: $benchmark: unknown; there are speed, threads, zone and handshakes" >&2
        exit 2
        ;;
    esac
done
