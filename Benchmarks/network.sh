#!/bin/bash
# Compares curl, CurlNetworking and FoundationNetworking against nginx on this machine.
#
# Benchmarks/network.sh [CASE]...   all cases without words; figures are for quiet machines.
#   ROUNDS=3   runs of each; the table shows the median of their wall times
#   MIB=1024   size of the large body
#   BIN=…      folder of the built NetworkBench and FoundationPeer; built when it is not given
#   DIR=…      where the temporary folder is made
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${*:-discard memory download upload wait many crowd}
rounds=${ROUNDS:-3}
mib=${MIB:-1024}
for tool in nginx curl; do
    command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin
    command -v "$tool" >/dev/null || { echo "network.sh: $tool is not installed" >&2; exit 1; }
done

if [ -z "${BIN:-}" ]; then
    swift build --configuration release --product NetworkBench >&2
    swift build --configuration release --product FoundationPeer >&2
    BIN=$(swift build --configuration release --show-bin-path)
fi

work=$(mktemp -d "${DIR:-${TMPDIR:-/tmp}}/network-bench.XXXXXX")
server= silent=
stop() {
    [ -z "$silent" ] || kill "$silent" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT

mkdir -p "$work/www/put" "$work/spool" "$work/files"
head -c "${mib}M" /dev/urandom >"$work/files/big"
head -c 4M "$work/files/big" >"$work/files/part"
ln "$work/files/big" "$work/www/big"

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

# Prints `seconds processor-seconds`, the wall time being curl's own.
run_curl() {
    local config=$work/curl.config
    case $1 in
    discard) set -- -o /dev/null "$base/big" ;;
    memory) return ;;
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

echo "$mib MiB bodies, median of $rounds; wall and processor in seconds, memory growth in KiB"
printf '%-9s %8s %8s | %8s %8s %8s %8s | %8s %8s %8s %8s | %9s %9s\n' case curl cpu \
    ours cpu memory threads Found. cpu memory threads ours/curl Found./ours
for case in $cases; do
    : >"$work/curl" >"$work/ours" >"$work/peer"
    rm -f "$work"/www/put/*
    sync
    for _ in $(seq "$rounds"); do
        rm -f "$work/files/downloaded"
        run_curl "$case" >>"$work/curl"
        rm -f "$work/files/downloaded"
        "$BIN/NetworkBench" "$case" "$base" "$work/files" >>"$work/ours"
        rm -f "$work/files/downloaded"
        timeout 120 "$BIN/FoundationPeer" "$case" "$base" "$work/files" >>"$work/peer" ||
            echo >>"$work/peer"
    done
    read -r curl_wall curl_cpu < <(median <"$work/curl") || true
    read -r our_wall our_cpu our_memory our_threads < <(median <"$work/ours")
    read -r peer_wall peer_cpu peer_memory peer_threads < <(median <"$work/peer") || true
    printf '%-9s %8s %8s | %8s %8s %8s %8s | %8s %8s %8s %8s | %9s %9s\n' "$case" \
        "${curl_wall:--}" "${curl_cpu:--}" "$our_wall" "$our_cpu" "$our_memory" "$our_threads" \
        "${peer_wall:--}" "${peer_cpu:--}" "${peer_memory:--}" "${peer_threads:--}" \
        "$(ratio "$our_wall" "${curl_wall:-0}")" "$(ratio "${peer_wall:-0}" "$our_wall")"
done
