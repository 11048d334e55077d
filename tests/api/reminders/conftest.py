"""A node of the test's own, since its background work is for all apps."""

from tests.api.scheduled.conftest import later

__all__ = ["later"]
