"""The codes with which the server closes sockets, and what clients do then."""

import enum
from dataclasses import dataclass

from hubbub.http.server.websocket import BAD_FRAME, SERVICE_RESTART, SLOW_CONSUMER

INTERNAL_ERROR = 1011
TRY_AGAIN_LATER = 1013
TOKEN_REFUSED = 4401
ORIGIN_REFUSED = 4403
TOO_LATE = 4408
TOO_MANY_FRAMES = 4429


class Then(enum.Enum):
    """What a client does after a close."""

    RESUME = "Connect again with `since`."
    RESUME_LATER = "Wait, each time longer and by a random time, and connect again with `since`."
    SIGN_IN = "Get another token; the same one is refused again."
    ASK = "Have the operator name the origin in `HUBBUB_REALTIME_ORIGINS`."
    STOP = "A defect of the client: the same frames would be refused again."


@dataclass(frozen=True, slots=True)
class CloseCode:
    """A code and its meaning."""

    code: int
    meaning: str
    then: Then


CLOSE_CODES = [
    CloseCode(SERVICE_RESTART, "The server restarts.", Then.RESUME_LATER),
    CloseCode(1009, "A message was larger than the limit.", Then.STOP),
    CloseCode(1002, "The bytes were no WebSocket frames.", Then.STOP),
    CloseCode(INTERNAL_ERROR, "The server failed; its log has the reason.", Then.RESUME_LATER),
    CloseCode(
        TRY_AGAIN_LATER,
        "The server can't take the session now: it is overloaded, or its database is away.",
        Then.RESUME_LATER,
    ),
    CloseCode(BAD_FRAME, "A frame was not as the protocol has it; the reason says how.", Then.STOP),
    CloseCode(
        TOKEN_REFUSED,
        "The token is missing, unknown, revoked or has ended, or its user is not active any more.",
        Then.SIGN_IN,
    ),
    CloseCode(
        ORIGIN_REFUSED,
        "The page is of another origin than the server, and the server does not allow that one.",
        Then.ASK,
    ),
    CloseCode(
        TOO_LATE,
        "The first frame did not arrive in time, or the client was silent for two heartbeats.",
        Then.RESUME,
    ),
    CloseCode(SLOW_CONSUMER, "The client read more slowly than events arrived.", Then.RESUME),
    CloseCode(TOO_MANY_FRAMES, "The client sent too many frames.", Then.RESUME_LATER),
]
