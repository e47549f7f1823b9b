#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unmodified programs with and without the provider, in turn: a table, and data into bench/results/openssl-*.json.
# Nothing else should be running.
#
#   bench/openssl.sh                       all of them, about twenty minutes
#   bench/openssl.sh speed threads zone handshakes     only some
#
#   MODULE=libgarner_provider.so                   the provider to measure; without it, this tree's is built first. The
#                                                  garner command beside it says for the data which commit and kernels
#                                                  are measured, and warns where the machine has other work
#   SECONDS_EACH=3  ROUNDS=3                       each figure's time, and how often; medians are printed
#   DEVICE=auto                                    the provider's setting
#   CLIENTS=64  NAMES=10000                        of a TLS server; in a zone
#   RESULTS=bench/results                          where the data go
#   PROCESSOR=avx2-                                what their names begin with, where it is not to be what
#                                                  processor.sh finds
#
# It ends with an error where a figure would not be what its name says: where a program fails, where Garner did no private
# operation or did one that was to be OpenSSL's, where another than the server just started listens on its port.
set -eu
command="bench/openssl.sh${*:+ $*}"
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-3} rounds=${ROUNDS:-3} clients=${CLIENTS:-64} names=${NAMES:-10000} results=${RESULTS:-bench/results}
. bench/processor.sh
PATH=$PATH:/usr/sbin
[ $# -gt 0 ] || set -- speed threads zone handshakes

give_up() {
    printf 'bench/openssl.sh: %s\n' "$*" >&2
    exit 3
}
for benchmark in "$@"; do
    case $benchmark in
    speed) needs="openssl taskset" ;;
    threads) needs="cc taskset" ;;
    zone) needs="dnssec-keygen dnssec-signzone dnssec-verify" ;;
    handshakes) needs="openssl nginx haproxy python3" ;;
    *)
        echo "bench/openssl.sh: $benchmark: unknown; there are speed, threads, zone and handshakes" >&2
        exit 2
        ;;
    esac
    for program in $needs; do
        command -v "$program" >/dev/null || give_up "$benchmark needs $program, which is not there; make setup-all installs it"
    done
done
if [ -z "${MODULE-}" ]; then
    cargo build --quiet --release --package garner-openssl-provider --package garner-cli
    MODULE=${CARGO_TARGET_DIR:-target}/release/libgarner_provider.so
fi
[ -e "$MODULE" ] || give_up "$MODULE: not there"

work=$(mktemp -d)
# The server is started by a subshell, whose variables go with it.
trap '[ ! -e "$work/server" ] || kill "$(cat "$work/server")" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$work/modules" "$results"
ln -s "$(realpath "$MODULE")" "$work/modules/garner.so"
cp crates/openssl-provider/openssl.cnf "$work"
echo "device = ${DEVICE:-auto}" >>"$work/openssl.cnf"

# In front of a command, as words: so that `&` gives the number of the program itself. Both leave Garner's figures, if any.
plain="env -u OPENSSL_CONF -u OPENSSL_MODULES GARNER_SUMMARY=$work/summary"
garner="env OPENSSL_CONF=$work/openssl.cnf OPENSSL_MODULES=$work/modules GARNER_SUMMARY=$work/summary"
# What is said to be of one core is pinned to the first processor.
one_core="taskset -c 0"
version=$($plain openssl version | cut -d' ' -f1,2)
# Commit, machine and other work on it, for the data; of another build's module only what is known.
origin() {
    if [ -x "$(dirname "$MODULE")/garner" ]; then
        "$(dirname "$MODULE")/garner" speed --origin
    else
        printf '{"commit": null, "dirty": null, "load": %s, "machine": {"cpu": "%s", "cores": %s, "system": "%s"}}\n' \
            "$(cut -d' ' -f1 /proc/loadavg)" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -srm)"
    fi
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# Column NUMBER FILE, as a list.
column() { cut -d' ' -f"$1" "$2" | paste -sd, | sed 's/,/, /g'; }
now() { date +%s%N; }
# The private operations of the programs that have ended since.
private_operations() {
    [ ! -e "$work/summary" ] || sed -n 's/.* private-operations=\([0-9]*\).*/\1/p' "$work/summary" |
        awk '{ sum += $1 } END { print sum }'
    rm -f "$work/summary"
}

# once NAME SIDE COMMAND...: COMMAND's numbers, a line of them, if they are numbers and who did it is who should have.
once() {
    what=$1 side=$2
    shift 2
    rm -f "$work/summary"
    case $side in openssl) WITH=$plain ;; garner) WITH=$garner ;; esac
    numbers=$("$@") || give_up "$what, $side: it failed"
    printf '%s\n' "$numbers" | grep -Eqx '[0-9.]+( [0-9.]+)*' || give_up "$what, $side: no figures but \"$numbers\""
    did=$(private_operations)
    case $side in
    openssl) [ "${did:-0}" -eq 0 ] || give_up "$what: Garner did $did private operations of OpenSSL's" ;;
    garner) [ "${did:-0}" -gt 0 ] || give_up "$what: Garner did no private operation; is it this processor's?" ;;
    esac
    printf '%s\n' "$numbers" >>"$work/$side"
}

# compare NAMES COMMAND...: COMMAND prints as many numbers as there are NAMES, with | between; run with both in turn,
# medians side by side.
compare() {
    all=$1
    shift
    : >"$work/openssl" && : >"$work/garner"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        once "$all" openssl "$@"
        once "$all" garner "$@"
        round=$((round + 1))
    done
    printf '%s\n' "$all" | tr '|' '\n' >"$work/names"
    index=0
    while read -r row; do
        index=$((index + 1))
        a=$(cut -d' ' -f"$index" "$work/openssl" | median) b=$(cut -d' ' -f"$index" "$work/garner" | median)
        awk -v row="$row" -v a="$a" -v b="$b" 'BEGIN { printf "%-62s %12.1f %12.1f %8.2f\n", row, a, b, b / a }'
        ratio=$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", b / a }')
        [ ! -s "$work/rows" ] || printf ',\n' >>"$work/rows"
        printf '    {"name": "%s", "openssl": %s, "garner": %s, "ratio": %s, "openssl_rounds": [%s], "garner_rounds": [%s]}' \
            "$row" "$a" "$b" "$ratio" "$(column "$index" "$work/openssl")" "$(column "$index" "$work/garner")" >>"$work/rows"
    done <"$work/names"
}

# The first line of what a command says of itself.
says() { "$@" 2>&1 | head -n 1 | tr -d '"\\'; }

# group NAME: the benchmarks of that name; their data are written whole or not at all.
group() {
    programs=
    origin=$(origin) || give_up "the garner command beside $MODULE does not say where it comes from"
    origin=${origin#\{}
    : >"$work/rows"
    "$1"
    {
        printf '{\n  %s,\n' "${origin%\}}"
        printf '  "openssl": "%s",\n  "programs": [%s],\n  "date": "%s",\n' "$version" "$programs" \
            "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
        printf '  "command": "%sDEVICE=%s SECONDS_EACH=%s ROUNDS=%s CLIENTS=%s NAMES=%s %s",\n  "rows": [\n' \
            "${GARNER_CPU:+GARNER_CPU=$GARNER_CPU }" "${DEVICE:-auto}" "$seconds" "$rounds" "$clients" "$names" "$command"
        cat "$work/rows"
        printf '\n  ]\n}\n'
    } >"$results/.openssl-$1.json"
    mv "$results/.openssl-$1.json" "$results/${processor}openssl-$1.json"
}

# Signatures and verifications a second, from the last line of openssl speed.
openssl_speed() {
    $WITH openssl speed -seconds "$seconds" -elapsed "$@" >"$work/said" 2>/dev/null || return
    awk 'END { print $(NF - 1), $NF }' "$work/said"
}
pinned_speed() { WITH="$one_core $WITH" openssl_speed "$@"; }
speed() {
    for bits in 2048 3072 4096; do
        name="openssl speed, rsa$bits"
        compare "$name, sign/s, one core|$name, verify/s, one core" pinned_speed "rsa$bits"
        name="openssl speed -async_jobs 64, rsa$bits"
        compare "$name, sign/s, one core|$name, verify/s, one core" pinned_speed -async_jobs 64 "rsa$bits"
        compare "$name, sign/s|$name, verify/s" openssl_speed -async_jobs 64 "rsa$bits"
    done
}

sign() {
    $WITH "$work/sign" "$1" "$2" "$seconds" "$3" >"$work/said" || return
    awk '{ print $1 / $2 }' "$work/said"
}
pinned_sign() { WITH="$one_core $WITH" sign "$@"; }
threads() {
    cc -O2 -o "$work/sign" bench/demo/sign.c -lcrypto -lpthread
    for bits in 2048 3072 4096; do
        for callers in 1 2 4 8 64; do
            compare "EVP, $callers threads, rsa$bits, sign/s, one core" pinned_sign sync "$callers" "$bits"
        done
        for callers in 2 4 8 64; do
            compare "EVP, $callers threads, rsa$bits, sign/s" sign sync "$callers" "$bits"
        done
        compare "EVP, 64 jobs, rsa$bits, sign/s" sign async 64 "$bits"
    done
}

zone_time() {
    cp "$work/zone.db" "$work/zone" && rm -f "$work/zone.signed"
    start=$(now)
    # Processor seconds of the whole, as the shell counts its children's.
    (cd "$work" && $WITH dnssec-signzone -q -S -n 16 -o example -x zone >/dev/null 2>&1 && times >"$work/times") || return
    end=$(now)
    (cd "$work" && $plain dnssec-verify -q -o example zone.signed >/dev/null 2>&1) || return
    awk -v wall="$((end - start))" 'END { split($1, u, "m"); split($2, s, "m"); print u[1] * 60 + u[2] + s[1] * 60 + s[2], wall / 1e9 }' \
        "$work/times"
}
zone() {
    programs="\"$(says dnssec-signzone -V)\""
    for kind in "" "-f KSK"; do
        # shellcheck disable=SC2086 # words
        (cd "$work" && $plain dnssec-keygen -q -a RSASHA256 -b 2048 $kind example >/dev/null)
    done
    awk -v names="$names" 'BEGIN { print "$TTL 3600\n@ IN SOA ns h 1 3600 600 86400 3600\n@ IN NS ns\nns IN A 127.0.0.1"; for (i = 0; i < names; i++) print "h" i " IN A 10.0." int(i / 256) "." i % 256 }' >"$work/zone.db"
    compare "dnssec-signzone -n 16, $names names, CPU s|dnssec-signzone -n 16, $names names, s" zone_time
}

# Whether this process, or a worker of its, listens on the port, and nobody else does: no for another's server there.
listens() {
    python3 - "$1" "$port" <<'END'
import glob, os, sys
process, port = sys.argv[1], int(sys.argv[2])
sockets = {row.split()[9] for row in open("/proc/net/tcp").readlines()[1:]
           if row.split()[3] == "0A" and int(row.split()[1].split(":")[1], 16) == port}
workers = open(f"/proc/{process}/task/{process}/children").read().split()
ours = {os.readlink(fd) for one in [process, *workers] for fd in glob.glob(f"/proc/{one}/fd/*") if os.path.lexists(fd)}
sys.exit(not sockets or any(f"socket:[{inode}]" not in ours for inode in sockets))
END
}

# Processor time of the server and its workers, in ticks.
ticks() {
    for process in $server $(cat "/proc/$server/task/$server/children"); do cut -d')' -f2 "/proc/$process/stat"; done |
        awk '{ sum += $12 + $13 } END { print sum }'
}

# handshake SIGNAL COMMAND...: of a server, which the signal ends in good order, and to which clients without Garner make
# full handshakes: how many a second, and the server's processor time for each, in microseconds.
handshake() {
    signal=$1
    shift
    $WITH "$@" >"$work/said" 2>&1 &
    server=$!
    echo "$server" >"$work/server"
    tries=0
    until listens "$server" 2>/dev/null; do
        tries=$((tries + 1))
        if [ "$tries" -ge 100 ] || ! kill -0 "$server" 2>/dev/null; then
            cat "$work/said" >&2
            give_up "$1 is not who listens on port $port"
        fi
        sleep 0.1
    done
    rm -f "$work"/client.*
    before=$(ticks) start=$(now) waiting=
    client=0
    while [ "$client" -lt "$clients" ]; do
        $plain openssl s_time -connect "127.0.0.1:$port" -new -tls1_3 -time "$seconds" \
            >"$work/client.$client" 2>&1 &
        waiting="$waiting $!"
        client=$((client + 1))
    done
    for process in $waiting; do
        wait "$process" || give_up "a client of $1 failed: $(tail -n 1 "$work/client.0")"
    done
    end=$(now) after=$(ticks)
    listens "$server" || give_up "$1 has stopped listening on port $port"
    kill -"$signal" "$server"
    wait "$server" 2>/dev/null || true
    rm "$work/server"
    done_by_all=$(awk '/real seconds/ { sum += $1 } END { print sum + 0 }' "$work"/client.*)
    [ "$done_by_all" -gt 0 ] || give_up "$1 made no handshake: $(tail -n 1 "$work/client.0")"
    awk -v count="$done_by_all" -v time="$((end - start))" -v ticks="$((after - before))" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { print count / time * 1e9, 1e6 * ticks / hz / count }'
}
handshakes() {
    programs="\"$(says nginx -v)\", \"$(says haproxy -v)\""
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    $plain openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 3 -subj /CN=localhost 2>/dev/null
    cat "$work/cert.pem" "$work/key.pem" >"$work/both.pem"
    printf '%s\n' "user root; worker_processes 2; daemon off; pid $work/pid; error_log /dev/null;" \
        'env OPENSSL_CONF; env OPENSSL_MODULES; env GARNER_SUMMARY; events {}' \
        "http { access_log off; server { listen 127.0.0.1:$port ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.3; return 200 fine; } }" >"$work/nginx.conf"
    printf '%s\n' global ' nbthread 2' ' ssl-mode-async' defaults ' mode http' ' timeout client 5s' ' timeout connect 5s' \
        ' timeout server 5s' 'frontend tls' " bind 127.0.0.1:$port ssl crt $work/both.pem" ' http-request return status 200' >"$work/haproxy.cfg"
    name="nginx, 2 workers, TLS 1.3, $clients clients"
    compare "$name, handshakes/s|$name, CPU us each" handshake QUIT nginx -c "$work/nginx.conf"
    name="HAProxy, async, 2 threads, TLS 1.3, $clients clients"
    compare "$name, handshakes/s|$name, CPU us each" handshake USR1 haproxy -db -f "$work/haproxy.cfg"
}

printf '%-62s %12s %12s %8s\n' "$version, $(nproc) processors, medians of $rounds" OpenSSL Garner ratio
for benchmark in "$@"; do
    group "$benchmark"
done
