"""The tag in the address for replies: which conversation a reply is for, and whose it is.

The tag is a permission: who has it, and writes from that person's address, writes as that person.
It has hexadecimal digits only, because programs for mail may change the case of an address.
"""

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

from hubbub.kernel.sealing import Sealer

LONGEST_ADDRESS = 320
_PROOF_DIGITS = 20
"""Those of a keyed hash: 80 bits."""
_TAGGED = re.compile(r"[^@]*\+([0-9a-f]{1,14})([0-9a-f]{20})@[^@]*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReplyTag:
    """A tag that came with a mail: nothing of it is proven yet."""

    conversation: int
    proof: str

    def find_owner(self, sealer: Sealer, app_id: str, uids: Iterable[str]) -> str | None:
        """Return who of some users has this tag; all are compared, so the time tells nothing."""
        found = [
            uid
            for uid in uids
            for signature in sealer.signatures(_signed(app_id, uid, self.conversation))
            if hmac.compare_digest(self.proof, signature[:_PROOF_DIGITS])
        ]
        return found[0] if found else None


def make_tag(sealer: Sealer, app_id: str, uid: str, conversation: int) -> str:
    """Return the tag of a person in a conversation."""
    proof = sealer.sign(_signed(app_id, uid, conversation))[:_PROOF_DIGITS]
    return f"{conversation:x}{proof}"


def read_tag(address: str) -> ReplyTag | None:
    """Return the tag in an address; None if it has none."""
    found = _TAGGED.fullmatch(address) if len(address) <= LONGEST_ADDRESS else None
    return ReplyTag(int(found[1], 16), found[2].lower()) if found else None


def _signed(app_id: str, uid: str, conversation: int) -> str:
    return f"reply tag/{app_id}/{uid}/{conversation}"
