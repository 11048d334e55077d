"""Media messages hold media: files whose content is plainly something else are refused."""

import pytest
from tests.engines import one_engine
from tests.files.leftovers import count_leftovers
from tests.files.uploads import TO_BEN, TYPE, File, attached, form, picture, stored_files
from tests.files.videos import MP4, WEBM
from tests.world import Node, World

BAD_MEDIA = "ERR_INVALID_MEDIA_MESSAGE"
PNG = picture(2, 2)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0"
OGG = b"OggS\0\2" + bytes(20) + b"\x01\x13OpusHead"
NOT_KNOWN = b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(40)

PROGRAMS = [
    b"<!DOCTYPE html><script>alert(1)</script>",
    b"\xef\xbb\xbf\n<html></html>",
    "<html><script>".encode("utf-16"),
    "<html><script>".encode("utf-16-le"),
    b"\0<script>alert(1)</script>",
    b"<?php system($_GET['x']);",
    b"GIF89a<?php system($_GET['x']);",
    b"GIF89a\x01\x00<?php system($_GET['x']);",
    b"\xff\xd8\xff\xe0<?php system($_GET['x']);",
    b"\x89PNG\r\n\x1a\n<script>alert(1)</script>",
    b"BM<script>alert(1)</script>",
    b"#!/bin/sh\nrm -rf /\n",
    b"alert(1)",
    b'{"a": 1}',
    b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff",
    b"\x7fELF\2\1\1\0",
    b"\xcf\xfa\xed\xfe\7\0\0\1",
    b"\xca\xfe\xba\xbe\0\0\0\x34",
    b"\0asm\1\0\0\0",
    b"%PDF-1.7\n",
    b"PK\3\4" + bytes(30),
]
SCRIPTED = [
    "<script>alert(1)</script>",
    "<s:script xmlns:s='http://www.w3.org/2000/svg'/>",
    "<g onclick='alert(1)'/>",
    "<a xlink:href='javascript:alert(1)'/>",
    "<a xlink:href=' java&#115;cript&#58;alert(1)'/>",
    "<a href='java\nscript:alert(1)'/>",
    "<set attributeName='onmouseover' to='alert(1)'/>",
    "<animate attributeName='href' values='#a;javascript:alert(1)'/>",
    "<use href='data:image/svg+xml;base64,PHN2Zy8+'/>",
    "<use href='data:image/png,data:text/html,x'/>",
    "<foreignObject><iframe src='x' xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>",
    "<g>",
    f"<!--{'x' * 10_000}--><script/>",
    f"<!--{'x' * 1_048_576}-->",
]
PLAIN = [
    "<path d='M0 0h2v2z' fill='#f00'/>",
    "<a xlink:href='https://one.example/?onclick=1'><text>on</text></a>",
    "<image href='data:image/png;base64,iVBORw0KGgo='/>",
    f"<!--{'x' * 100_000}--><title>javascript: a language</title>",
]


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


async def refuse(world: World, content: bytes, *, path: str = "/messages", **fields: str) -> str:
    """Check that a file is refused, with its content said; return the sentence about it."""
    file = File("holiday.png", content, type="image/png")
    body = form({**TO_BEN, "type": "image", **fields}, file)
    details = await world.refused(
        "POST", path, body, as_="anna", headers=TYPE, status=400, code=BAD_MEDIA
    )
    assert list(details) == ["file"]
    return details["file"][0]


@pytest.mark.parametrize("type_", ["image", "audio", "video"])
@pytest.mark.parametrize("content", PROGRAMS, ids=lambda content: repr(content[:24]))
@one_engine
async def test_a_program_is_no_media(node: Node, talk: World, content: bytes, type_: str) -> None:
    """Scripts, programs and documents are refused, whatever they are called; nothing is kept."""
    before = stored_files(node)

    assert "holiday.png" in await refuse(talk, content, type=type_)
    assert await talk.get("/messages") == []
    assert stored_files(node) == before
    assert await count_leftovers(node, talk.app_id) == 0


@pytest.mark.parametrize("markup", SCRIPTED, ids=lambda markup: markup[:40])
@one_engine
async def test_an_svg_with_a_script_is_no_image(talk: World, markup: str) -> None:
    """An SVG that may run a script, or that can't be checked, is refused as an image."""
    assert "script" in await refuse(talk, SVG.format(markup).encode())
    stylesheet = "<?xml-stylesheet type='text/xsl' href='x.xsl'?>"
    assert "script" in await refuse(talk, f"{stylesheet}{SVG.format('')}".encode())
    handler = "<!ENTITY % x '<!ATTLIST svg onload CDATA \"alert(1)\">'> %x;"
    declared = f"<!DOCTYPE svg [{handler}]>"
    assert "script" in await refuse(talk, f"{declared}{SVG.format('')}".encode())


@pytest.mark.parametrize("markup", PLAIN, ids=lambda markup: markup[:40])
async def test_an_svg_without_a_script_is_an_image(talk: World, markup: str) -> None:
    """A drawing is accepted, with or without its XML head, in any encoding of XML."""
    drawing = SVG.format(markup)
    entity = '<!DOCTYPE svg [<!ENTITY red "#f00">]>'
    for content in (
        drawing.encode(),
        f"<?xml version='1.0'?>{entity}{drawing}".encode(),
        f"<?xml version='1.0' encoding='UTF-16'?>{drawing}".encode("utf-16"),
    ):
        assert (await attached(talk, content, "a.svg", type="image"))["extension"] == "svg"


@pytest.mark.parametrize(
    ("type_", "content"),
    [("image", MP4), ("image", WAV), ("audio", PNG), ("video", PNG), ("video", WAV)],
)
async def test_media_of_another_kind(talk: World, type_: str, content: bytes) -> None:
    """A picture is no sound, and a sound no picture; the error names what it is."""
    assert "Send it as a file" in await refuse(talk, content, type=type_)


@pytest.mark.parametrize(
    ("type_", "content"),
    [
        *(("image", each) for each in (PNG, PNG[:20], NOT_KNOWN, b"")),
        *(("audio", each) for each in (WAV, OGG, MP4, WEBM, NOT_KNOWN)),
        *(("video", each) for each in (MP4, WEBM, OGG, NOT_KNOWN)),
        *(("file", each) for each in (*PROGRAMS, SVG.format(SCRIPTED[0]).encode(), PNG, WAV)),
    ],
)
@one_engine
async def test_media_of_its_kind(talk: World, type_: str, content: bytes) -> None:
    """Fitting and unknown content is accepted; a file may be anything."""
    assert await attached(talk, content, "a.bin", type=type_)


async def test_every_way_to_upload_is_checked(talk: World) -> None:
    """Replies, messages of bots and messages to several receivers are checked, too."""
    sent = await talk.post(
        "/messages",
        {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}},
        as_="anna",
    )
    await talk.post("/bots", {"uid": "robot", "name": "Robot"})
    script = PROGRAMS[0]

    assert await refuse(talk, script, path=f"/messages/{sent['id']}/thread")
    several = form({"type": "image", "multipleReceivers": {"uids": ["ben"]}}, File("a.png", script))
    for path, body, as_ in (
        ("/messages", several, "anna"),
        ("/bots/robot/messages", form({**TO_BEN, "type": "image"}, File("a.png", script)), None),
    ):
        await talk.refused("POST", path, body, as_=as_, headers=TYPE, status=400, code=BAD_MEDIA)
