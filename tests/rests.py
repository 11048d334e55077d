"""Rests that a test decides."""

from hubbub.kernel.rests import Rests


class GivenRests(Rests):
    """Gives some apps a rest of so many seconds, whatever they have used; notes who has asked.

    These apps are not alone; all others are.
    """

    def __init__(self, **seconds: float) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.seconds = seconds

    def after(self, app_id: str, seconds: float) -> float:
        self.asked.append(app_id)
        return self.seconds.get(app_id, 0.0)

    def is_alone(self, app_id: str) -> bool:
        return app_id not in self.seconds
