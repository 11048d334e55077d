"""The bits of `messages.traits`: what stands about a message in other tables, or in its data.

Lists filter by them, and whoever tells of a page of messages asks other tables only about those
that have something there. They are exact: who takes the last row away takes the bit away.
"""

HAS_REACTIONS = 1
IS_PINNED = 2
IS_SAVED = 4
"""Somebody has saved it."""
HAS_MENTIONS = 8
HAS_LINKS = 16
HAS_ATTACHMENTS = 32
HAS_IMAGE, HAS_VIDEO, HAS_AUDIO, HAS_FILE = 64, 128, 256, 512
ATTACHED = {"image": HAS_IMAGE, "video": HAS_VIDEO, "audio": HAS_AUDIO, "file": HAS_FILE}
"""The bit of each kind of attachment."""
GIVEN_LATER = HAS_REACTIONS | IS_PINNED | IS_SAVED
"""What a message keeps when its data are edited."""
