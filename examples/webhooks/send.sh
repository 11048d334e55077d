#!/usr/bin/env bash
# Send a signed call to a receiver, as Hubbub does, to try it. It needs openssl and curl.
#
# WEBHOOK_SECRET=whsec_... ./send.sh http://127.0.0.1:9000/ [BODY] [ID]
set -euo pipefail

url=$1
body=${2:-'{"trigger":"message_sent","data":{},"appId":"demo","region":"us","webhook":"try"}'}
id=${3:-"try-$(openssl rand -hex 8)"}
timestamp=$(date +%s)
key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -vtx1 | tr -d ' \n')
signature=$(printf '%s.%s.%s' "$id" "$timestamp" "$body" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w0)

curl --silent --show-error --max-time 10 --write-out '%{http_code}\n' "$url" \
    --header "Content-Type: application/json" \
    --header "webhook-id: $id" \
    --header "webhook-timestamp: $timestamp" \
    --header "webhook-signature: v1,$signature" \
    --data-binary "$body"
