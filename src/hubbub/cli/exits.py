"""The exit codes of commands that move a whole installation, or much of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

DIFFERS, USAGE, SOURCE, AWAY, INTERRUPTED = 1, 2, 3, 4, 130
GOES_ON = "The same command goes on."


class CommandEnded(Exception):
    """A command has ended before its end; the message says why."""

    def __init__(self, why: str, code: int) -> None:
        super().__init__(why)
        self.code = code


@contextmanager
def ending_with(codes: Mapping[type[Exception], int], *, then: str = GOES_ON) -> Iterator[None]:
    """End the command with the code of an error; with 130 if it is interrupted.

    `then` says what to do after an interruption.

    Raises:
        CommandEnded: so it was.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise CommandEnded(f"Interrupted. {then}", INTERRUPTED) from None
    except tuple(codes) as problem:
        code = next(code for kind, code in codes.items() if isinstance(problem, kind))
        raise CommandEnded(str(problem), code) from problem
