"""The bits of `messages.traits`, which say what other tables, or the data, hold about a message.

Lists filter by them, and a page of message views reads other tables only for messages that have
rows there. The bits are exact: deleting the last row clears the bit.
"""

HAS_REACTIONS = 1
IS_PINNED = 2
IS_SAVED = 4
"""At least one user has saved it."""
HAS_MENTIONS = 8
HAS_LINKS = 16
HAS_ATTACHMENTS = 32
HAS_IMAGE, HAS_VIDEO, HAS_AUDIO, HAS_FILE = 64, 128, 256, 512
ATTACHED = {"image": HAS_IMAGE, "video": HAS_VIDEO, "audio": HAS_AUDIO, "file": HAS_FILE}
"""The bit of each kind of attachment."""
GIVEN_LATER = HAS_REACTIONS | IS_PINNED | IS_SAVED
"""The bits that an edit of the data keeps."""
