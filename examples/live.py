"""Two people in a terminal: shows what happens, sends what is typed, resumes after a cut."""

import argparse
import asyncio
import json
import sys
import uuid
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

TOKEN_REFUSED = 4401


def show(frame: dict[str, Any]) -> None:
    """Print a frame of the server, if it is of interest to people."""
    match frame:
        case {"op": "connected", "resumed": resumed, "user": {"name": name}}:
            print(f"* connected as {name}" + (", nothing missed" if resumed else ""), flush=True)
        case {"event": "message_sent", "data": {"message": {"sender": sender, "data": data}}}:
            print(f"{sender}: {data.get('text', '(no text)')}", flush=True)
        case {"event": "typing_started", "data": {"sender": sender}}:
            print(f"* {sender} is typing …", flush=True)
        case {"op": "reply", "error": {"message": message}}:
            print(f"* refused: {message}", flush=True)


async def send_lines(socket: ClientConnection, lines: Any, to: Any, waiting: Any) -> None:
    """Send each line as a message; an empty line says that more is being typed."""
    for call in waiting.values():  # no reply has come before a cut
        await socket.send(json.dumps(call))
    async for line in lines:
        ref, text = uuid.uuid4().hex, line.decode().strip()
        call = {"op": "call", "ref": ref, "method": "start_typing", "params": to}
        if text:  # with its `muid` a message is stored once, however often it is sent
            params = {**to, "category": "message", "type": "text", "data": {"text": text}}
            call = {**call, "method": "send_message", "params": {**params, "muid": ref}}
            waiting[ref] = call
        await socket.send(json.dumps(call))
    await socket.send('{"op": "ping"}')  # is answered after all calls


async def main(url: str, token: str, other: str) -> None:
    """Talk to another user until the input ends; connect again whenever the socket is cut."""
    lines, waiting, cursor = asyncio.StreamReader(), dict[str, Any](), None
    pipe = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: pipe, sys.stdin)
    async for socket in connect(url):  # waits longer and longer if the server is away
        await socket.send(json.dumps({"op": "connect", "authToken": token, "since": cursor}))
        sending = asyncio.create_task(
            send_lines(socket, lines, {"receiver": other, "receiverType": "user"}, waiting)
        )
        try:
            async for text in socket:
                frame = json.loads(text)
                show(frame)
                cursor = frame.get("cursor", cursor)
                waiting.pop(frame.get("ref"), None)
                if frame["op"] == "pong" and not waiting:
                    return
        except ConnectionClosed as closed:
            print(f"* cut: {closed.rcvd.reason if closed.rcvd else 'no answer'}", flush=True)
            if socket.close_code == TOKEN_REFUSED:
                return
        finally:
            sending.cancel()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the socket of the server: ws://127.0.0.1:8080/v3/realtime")
    parser.add_argument("token", help="an auth token, of POST /users/{uid}/auth_tokens")
    parser.add_argument("other", help="the uid of the person to talk to")
    given = parser.parse_args()
    asyncio.run(main(given.url, given.token, given.other))
