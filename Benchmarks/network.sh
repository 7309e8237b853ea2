#!/bin/bash
# Compares curl, plain sockets, CurlNetworking and FoundationNetworking against nginx on this machine.
#
# Benchmarks/network.sh [CASE]...   all cases without words; figures are for quiet machines.
#   ROUNDS=3   runs of each; the table shows the median of their wall times
#   MIB=1024   size of the large body
#   BIN=…      folder of the built NetworkBench and FoundationPeer; built when it is not given
#   DIR=…      where the temporary folder is made; one in memory (/dev/shm) leaves the disk out
#
# discard, memory, download, upload: the large body once, to a delegate that counts, to memory, to a
#          file, and from a file
# single, many: 5,000 small answers over one connection and over six
# default: as many, with cookies, cache and credentials switched on
# beside:  a small answer beside another session's large one; the time is the median latency
# wait:    an answer that takes four seconds to come
# stampede: 1,000 tasks at once over six connections, 64 KiB each
# streams: 1,000 tasks at once, 64 KiB each, over one connection of HTTP/2 and TLS that carries a hundred of
#          them at a time; beside `curl -Z` on the same libcurl. Needs libcurl 8.14 or newer:
#          scripts/with-libcurl 8.21.0 SOURCE Benchmarks/network.sh streams
# crowd:   100 uploads of 4 MiB at once over 100 connections
# slow:    three seconds of a delegate that takes 20 ms over each piece of a large body
# churn:   10,000 sessions, each with a small answer and a large one broken off midway; the memory is
#          what was not given back after the first thousand, and in place of threads stands the number
#          of descriptors left open
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${*:-discard memory download upload single many default beside wait stampede streams crowd slow churn}
rounds=${ROUNDS:-3}
mib=${MIB:-1024}
for tool in nginx curl openssl; do
    command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin
    command -v "$tool" >/dev/null || { echo "network.sh: $tool is not installed" >&2; exit 1; }
done

if [ -z "${BIN:-}" ]; then
    swift build --configuration release --product NetworkBench >&2
    swift build --configuration release --product FoundationPeer >&2
    BIN=$(swift build --configuration release --show-bin-path)
fi

memory=$(mktemp -d "/dev/shm/network-bench.XXXXXX" 2>/dev/null || mktemp -d)
work=$(mktemp -d "${DIR:-${TMPDIR:-/tmp}}/network-bench.XXXXXX")
server= silent=
stop() {
    [ -z "$silent" ] || kill "$silent" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work" "$memory"
}
trap stop EXIT

# The parts and temporary files of downloads are beside the goal, as they are on most machines: else
# the move into place copies the whole body to another file system. No settings of the user's either.
export HOME=$work TMPDIR=$work
unset XDG_CACHE_HOME XDG_DATA_HOME

mkdir -p "$work/www/put" "$work/spool" "$work/files"
head -c "${mib}M" /dev/urandom >"$work/files/big"
head -c 4M "$work/files/big" >"$work/files/part"
head -c 64K "$work/files/big" >"$work/www/part"
ln "$work/files/big" "$work/www/big"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/files/certificate" 2>/dev/null

"$BIN/NetworkBench" silent 4 >"$work/silent" &
silent=$!
until [ -s "$work/silent" ]; do sleep 0.01; done

user=
[ "$(id -u)" -ne 0 ] || user="user $(id -un);"
start_server() {
    port=$((20000 + RANDOM))
    cat >"$work/nginx.conf" <<CONF
daemon off;
$user
worker_processes 2;
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_max_body_size 0;
    client_body_temp_path $work/spool;
    proxy_temp_path $work/spool;
    fastcgi_temp_path $work/spool;
    uwsgi_temp_path $work/spool;
    scgi_temp_path $work/spool;
    server {
        listen 127.0.0.1:$port;
        listen 127.0.0.1:$((port + 1)) ssl http2;
        ssl_certificate $work/files/certificate;
        ssl_certificate_key $work/key;
        root $work/www;
        location /small { return 200 "a small answer of a club's server\n"; }
        location /put/ { dav_methods PUT; }
        location /wait { proxy_pass http://127.0.0.1:$(cat "$work/silent"); }
    }
}
CONF
    nginx -c "$work/nginx.conf" -p "$work" -e "$work/error.log" &
    server=$!
    for _ in $(seq 200); do
        curl -sf -o /dev/null "http://127.0.0.1:$port/small" && return 0
        kill -0 "$server" 2>/dev/null || return 1
        sleep 0.02
    done
    return 1
}
until start_server; do
    [ "$((attempts = ${attempts:-0} + 1))" -lt 5 ] || { cat "$work/error.log" >&2; exit 1; }
done
base=http://127.0.0.1:$port
secure=https://127.0.0.1:$((port + 1))

# Prints `seconds processor-seconds`, the wall time being curl's own.
run_curl() {
    local config=$work/curl.config
    case $1 in
    discard) set -- -o /dev/null "$base/big" ;;
    # curl keeps nothing in memory: a file of a file system in memory comes nearest.
    memory) set -- -o "$memory/downloaded" "$base/big" ;;
    slow | default | churn) return ;;
    beside)
        curl -sS -o /dev/null "$base/big" &
        local stream=$!
        while kill -0 "$stream" 2>/dev/null; do
            curl -sS -o /dev/null -w '%{time_total}\n' "$base/small?[1-20]"
        done | sort -n | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)], "-" }'
        wait "$stream"
        return
        ;;
    stampede) set -- -Z --parallel-max 6 -o /dev/null "$base/part?[1-1000]" ;;
    streams)
        set -- -Z --parallel-max 100 --http2 --cacert "$work/files/certificate" -o /dev/null \
            "$secure/part?[1-1000]"
        ;;
    single) set -- -Z --parallel-max 1 -o /dev/null "$base/small?[1-5000]" ;;
    download) set -- -o "$work/files/downloaded" "$base/big" ;;
    upload) set -- -o /dev/null -T "$work/files/big" "$base/put/big" ;;
    wait) set -- -o /dev/null "$base/wait" ;;
    many) set -- -Z --parallel-max 6 -o /dev/null "$base/small?[1-5000]" ;;
    crowd)
        for i in $(seq 0 99); do
            printf 'upload-file = "%s"\nurl = "%s"\noutput = /dev/null\n' \
                "$work/files/part" "$base/put/crowd$i"
        done >"$config"
        set -- -Z --parallel-max 100 --parallel-immediate --config "$config" ;;
    esac
    # -sS goes last: a config file of many parts would take it for its last one alone.
    { TIMEFORMAT='%R %U %S'; time curl "$@" -sS 2>/dev/null >&2; } 2>&1 |
        awk '{ printf "%s %.4f\n", $1, $2 + $3 }'
}

# The line with the median wall time of several.
median() { sort -n | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'; }

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", a / b; else print "-" }'; }

# What a case has to reach, as an awk condition on `curl` and `peer` (the ratios ours/curl and
# Found./ours), `wall`, `cpu`, `memory` and `threads` (ours).
goal() {
    case $1 in
    discard | upload) echo "curl <= 1.1 && peer >= 5" ;;
    memory | download | streams) echo "curl <= 1.1" ;;
    single | many) echo "curl <= 1.2 && peer >= 5" ;;
    beside) echo "wall <= 0.025" ;;
    wait) echo "cpu <= 0.010" ;;
    stampede) echo "threads <= 12" ;;
    slow) echo "memory < 65536" ;;
    churn) echo "memory < 8192 && threads <= 0" ;;
    *) echo "-" ;;
    esac
}

verdict() { # GOAL CURL-RATIO PEER-RATIO WALL CPU MEMORY THREADS
    [ "$1" != - ] || return 0
    # A peer that failed is beaten; a curl that failed beats us.
    awk -v curl="${2/#-/1000}" -v peer="${3/#-/1000}" -v wall="$4" -v cpu="$5" -v memory="$6" -v threads="$7" \
        "BEGIN { print ($1) ? \"ok\" : \"MISSED\" }"
}

echo "$mib MiB bodies, median of $rounds; wall and processor in seconds, memory growth in KiB"
row='%-9s %7s %7s | %7s %7s | %7s %7s %7s %7s | %7s %7s %7s %7s | %9s %11s %12s | %-25s %s\n'
printf "$row" case curl cpu plain cpu ours cpu memory threads Found. cpu memory threads \
    ours/curl Found./ours Found./plain goal ''
missed=0
skipped=
for case in $cases; do
    address=$base
    if [ "$case" = streams ]; then
        address=$secure
        if ! reason=$("$BIN/NetworkBench" streams "$address" "$work/files"); then
            skipped="streams skipped: ${reason#NetworkBench streams: }"
            continue
        fi
    fi
    : >"$work/curl" >"$work/plain" >"$work/ours" >"$work/peer"
    rm -f "$work"/www/put/*
    sync
    runs=$rounds
    [ "$case" != churn ] || runs=1
    for _ in $(seq "$runs"); do
        rm -f "$work/files/downloaded"
        run_curl "$case" >>"$work/curl"
        rm -f "$work/files/downloaded" "$memory/downloaded"
        "$BIN/NetworkBench" plain "$case" "$address" "$work/files" >>"$work/plain"
        rm -f "$work/files/downloaded"
        "$BIN/NetworkBench" "$case" "$address" "$work/files" >>"$work/ours"
        rm -f "$work/files/downloaded"
        # FoundationNetworking may crash, or never come to an end.
        # The certificate of `streams` is nothing to it.
        { [ "$case" != streams ] &&
            timeout 60 "$BIN/FoundationPeer" "$case" "$base" "$work/files" >>"$work/peer" 2>/dev/null; } ||
            echo >>"$work/peer"
    done
    read -r curl_wall curl_cpu < <(median <"$work/curl") || true
    read -r plain_wall plain_cpu _ < <(median <"$work/plain") || true
    read -r our_wall our_cpu our_memory our_threads < <(median <"$work/ours")
    read -r peer_wall peer_cpu peer_memory peer_threads < <(median <"$work/peer") || true
    to_curl=$(ratio "$our_wall" "${curl_wall:-0}")
    to_peer=$(ratio "${peer_wall:-0}" "$our_wall")
    peer_to_plain=$(ratio "${peer_wall:-0}" "${plain_wall:-0}")
    goal=$(goal "$case")
    verdict=$(verdict "$goal" "$to_curl" "$to_peer" "$our_wall" "$our_cpu" "$our_memory" \
        "$our_threads")
    [ "$verdict" != MISSED ] || missed=$((missed + 1))
    printf "$row" "$case" \
        "${curl_wall:--}" "${curl_cpu:--}" "${plain_wall:--}" "${plain_cpu:--}" \
        "$our_wall" "$our_cpu" "$our_memory" "$our_threads" \
        "${peer_wall:--}" "${peer_cpu:--}" "${peer_memory:--}" "${peer_threads:--}" \
        "$to_curl" "$to_peer" "$peer_to_plain" "$goal" "$verdict"
done
[ -z "$skipped" ] || echo "$skipped"
echo "goals missed: $missed"
