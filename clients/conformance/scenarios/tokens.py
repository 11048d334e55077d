"""Scenarios of "Connecting": where tokens come from, and what follows if one is refused."""

import time

from conformance.stage import Stage
from conformance.verdict import Broken, scenario


@scenario(
    "Connecting",
    "It is called once at a time, before the first try, and again after a close with 4401.",
)
async def one_token_at_a_time(stage: Stage) -> None:
    """While a token is being fetched, the client asks for no other one."""
    stage.gives_tokens = False
    await stage.do("connect")
    await stage.token_asked()
    await stage.do("connect")
    if "online" in stage.capabilities:
        await stage.do("online")
        await stage.do("online")
    await stage.quiet(2, "no socket without a token")
    await stage.give_token()
    scene = await stage.accept(cursor="1-5")
    stage.gives_tokens = True
    await scene.close(1012)
    await stage.accept(since="1-5")
    if stage.tokens > 1:
        raise Broken("the token is used again", "another one was asked for")


@scenario("After a close", "wait, fetch another token, and resume; end if that is refused, too")
async def refused_token_is_replaced(stage: Stage) -> None:
    """After 4401 the client waits, fetches another token and resumes with it."""
    scene = await stage.connect(cursor="1-5")
    await scene.close(4401)
    await stage.state("waiting")
    scene = await stage.accept(since="1-5", cursor="1-6")
    await scene.close(4401)
    scene = await stage.accept(since="1-6")
    if stage.tokens != 3:
        raise Broken("a token for each of 3 tries", f"{stage.tokens} were asked for")


@scenario("Connecting", "If the new token is refused, too, the client ends.")
async def token_refused_twice(stage: Stage) -> None:
    """A client whose new token is refused, too, ends with 4401."""
    scene = await stage.connect()
    await scene.close(4401)
    await stage.state("waiting")
    socket = await stage.next_socket()
    await socket.close(4401)
    ended = await stage.state("ended")
    if ended.get("code") != 4401:
        raise Broken('the state "ended" with the code 4401', str(ended))
    await stage.quiet(5, "a client that has ended does not try again")
    if stage.tokens != 2:
        raise Broken("one more token", f"{stage.tokens} tokens were asked for")


@scenario(
    "Connecting",
    "it fetches another one and calls `renew_token` with it: the socket stays open.",
)
async def token_is_renewed(stage: Stage) -> None:
    """A client that is warned goes on with another token, over the same socket and after a cut."""
    scene = await stage.connect(cursor="1-5")
    await scene.say(op="token_expiring", expiresAt=4_000_000_000)
    call = await scene.hear("a call of `renew_token`")
    if (call["method"], call.get("params")) != ("renew_token", {"authToken": "token-2"}):
        raise Broken("`renew_token` with the token that was fetched", str(call))
    await scene.reply(call, {"success": True})
    await scene.tell("1-6")
    await stage.shown("1-6")
    await scene.close(1012)
    await stage.accept(since="1-6")
    if stage.tokens != 2:
        raise Broken("one more token", f"{stage.tokens} tokens were asked for")


@scenario(
    "Connecting",
    "A token or a list that can't be fetched is a failed try: the client waits like after a cut.",
)
async def token_can_not_be_fetched(stage: Stage) -> None:
    """A client that can't fetch a token waits, and asks again."""
    stage.gives_tokens = False
    began = time.monotonic()
    await stage.do("connect")
    for shortest in (0, 0.5, 1.5):
        await stage.token_asked()
        waited = (time.monotonic() - began) * stage.speed
        if waited < shortest:
            raise Broken(f"{shortest} s of waits, at least", f"another try after {waited:.2f} s")
        await stage.give_token(error="The network is away.")
        await stage.state("waiting")
    stage.gives_tokens = True
    await stage.token_asked()
    await stage.accept()
