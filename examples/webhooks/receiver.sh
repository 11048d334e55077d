#!/usr/bin/env bash
# Receive webhooks of Hubbub: verify each call, and handle each event once. It needs openssl.
#
# One call comes on stdin, and its answer goes to stdout, as from inetd or a socket of systemd:
# WEBHOOK_SECRET=whsec_... WEBHOOK_SEEN=seen systemd-socket-activate --inetd --accept \
#     --listen=127.0.0.1:9000 -E WEBHOOK_SECRET -E WEBHOOK_SEEN ./receiver.sh
set -euo pipefail
export LC_ALL=C

tolerance_seconds=300
largest_body=1048576
body=$(mktemp)
trap 'rm -f "$body"' EXIT

answer() { # answer STATUS [BODY]
    printf 'HTTP/1.1 %s\r\nConnection: close\r\n' "$1"
    [[ $1 == 204* ]] || printf 'Content-Length: %d\r\n' "${#2}"
    printf '\r\n%s' "$2"
    exit
}

read_call() { # sets id, timestamp, signatures and the file $body
    local line length=''
    id='' timestamp='' signatures=''
    while IFS= read -r -t 10 line && line=${line%$'\r'} && [[ -n $line ]]; do
        local value=${line#*:}
        value=${value# }
        case ${line%%:*} in
            [Ww]ebhook-[Ii]d) id=$value ;;
            [Ww]ebhook-[Tt]imestamp) timestamp=$value ;;
            [Ww]ebhook-[Ss]ignature) signatures=$value ;;
            [Cc]ontent-[Ll]ength) length=$value ;;
        esac
    done
    [[ $length =~ ^[0-9]{1,7}$ ]] && ((10#$length <= largest_body)) || answer '413 Too Large' ''
    timeout 10 head -c "$length" >"$body"
}

sign() { # writes the signature of the call
    local key
    key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -vtx1 | tr -d ' \n')
    # Other users of this machine can see the key in the list of processes.
    { printf '%s.%s.' "$id" "$timestamp" && cat "$body"; } |
        openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w0
}

is_genuine() { # whether Hubbub has sent this call, in the last minutes
    [[ $timestamp =~ ^[0-9]{1,12}$ ]] || return 1
    local age=$(($(date +%s) - 10#$timestamp)) expected given
    ((age <= tolerance_seconds && age >= -tolerance_seconds)) || return 1
    expected=$(sha256sum <<<"v1,$(sign)")
    set -f
    # After a rotation of the secret there are two signatures; one that fits is enough.
    for given in $signatures; do
        # Digests are compared, so that the time it takes says nothing about the signature.
        [[ $(sha256sum <<<"$given") != "$expected" ]] || return 0
    done
    return 1
}

handle_once() { # handle_once TRIGGER: unless the event was handled before
    local folder=${WEBHOOK_SEEN:-seen}
    mkdir -p "$folder"
    if mkdir "$folder/$(sha256sum <<<"$id" | cut -c1-64)" 2>/dev/null; then # fails if it is there
        printf 'event %s %s\n' "$id" "$1" >&2
    fi
}

read_call
is_genuine || answer '401 Unauthorized' ''
[[ $(head -c 100 "$body") =~ \"trigger\":\ ?\"([a-z_]+)\" ]] || answer '400 Bad Request' ''
trigger=${BASH_REMATCH[1]}
handle_once "$trigger"
[[ $trigger != before_message ]] || answer '200 OK' '{"action": "allow"}'
answer '204 No Content' ''
