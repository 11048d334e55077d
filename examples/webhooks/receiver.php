<?php
// Receive webhooks of Hubbub: verify each call, and handle each event once.
//
// WEBHOOK_SECRET=whsec_... WEBHOOK_SEEN=seen php -S 127.0.0.1:9000 receiver.php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 1024 * 1024;

/** Return whether Hubbub has sent this call, in the last minutes. */
function is_genuine(string $key, array $headers, string $body): bool
{
    $timestamp = $headers['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $signed = ($headers['HTTP_WEBHOOK_ID'] ?? '') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    // After a rotation of the secret there are two signatures; one that fits is enough.
    foreach (explode(' ', $headers['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** Handle an event, unless it was handled before. Keep the ids in your database, not in files. */
function handle_once(string $folder, string $id, array $body): void
{
    if (!is_dir($folder)) {
        mkdir($folder, 0700, true);
    }
    if (@mkdir("$folder/" . hash('sha256', $id))) { // fails if it is there
        file_put_contents('php://stderr', "event $id {$body['trigger']}\n");
    }
}

$raw = file_get_contents('php://input', false, null, 0, LARGEST_BODY + 1);
$key = base64_decode(preg_replace('/\Awhsec_/', '', getenv('WEBHOOK_SECRET')), true);
if (strlen($raw) > LARGEST_BODY) {
    http_response_code(413);
    return;
}
if (!is_genuine($key, $_SERVER, $raw)) {
    http_response_code(401);
    return;
}
$body = json_decode($raw, true, 512, JSON_THROW_ON_ERROR);
handle_once(getenv('WEBHOOK_SEEN') ?: 'seen', $_SERVER['HTTP_WEBHOOK_ID'], $body);
if ($body['trigger'] === 'before_message') {
    echo '{"action": "allow"}';
    return;
}
http_response_code(204);
