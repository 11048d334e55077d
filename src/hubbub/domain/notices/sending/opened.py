"""Open a stored bundle for its gateway: decide on its parts, and render them, as things are now."""

import msgspec

from hubbub.domain.notices.planning.happening import Describe
from hubbub.domain.notices.sending.contents import Content
from hubbub.domain.notices.sending.gateways import Gateway
from hubbub.domain.notices.sending.letters import read_letter
from hubbub.domain.notices.sending.pushes import PushGateway, decide_pushes, read_scene
from hubbub.records.notices.model import Bundle, LetterContent, PushContent
from hubbub.runtime import Runtime

_decode_push = msgspec.json.Decoder(PushContent).decode
_decode_letter = msgspec.json.Decoder(LetterContent).decode


async def open_bundle(
    runtime: Runtime, describe: Describe, app_id: str, bundle: Bundle, gateway: Gateway
) -> Content:
    """Return what is to be sent of a bundle, and the entries about the rest."""
    if not isinstance(gateway, PushGateway):
        letter = _decode_letter(bundle.content)
        return await read_letter(runtime, describe, app_id, letter, gateway)
    content = _decode_push(bundle.content)
    scene = await read_scene(runtime, describe, app_id, content)
    return decide_pushes(content, gateway, scene)
