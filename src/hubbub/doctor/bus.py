"""Check the bus: that one of its servers lets this machine in."""

from hubbub.bus.addresses import parse_servers
from hubbub.bus.reconnecting import NotConnected
from hubbub.config import BadSetting, Settings
from hubbub.doctor.finding import Finding, ok, warning, wrong

CHECK = "bus"
_REMEDY = "Start it, or correct HUBBUB_BUS_URL. Until then events of other nodes arrive late."


async def check_bus(settings: Settings) -> Finding:
    """Connect to the servers of the bus, if the settings name some."""
    if not settings.bus_url:
        return ok(CHECK, "none: the node is alone, or learns of others' events from the database")
    from hubbub.bus.nats import NatsDialer  # noqa: PLC0415  # for the reason in `bootstrap.py`

    try:
        dial = NatsDialer(parse_servers(settings.bus_url), "hubbub.doctor", settings.outbound_ca)
        connection = await dial(lambda subject, message: None)
    except BadSetting:
        return wrong(CHECK, "Its address is not valid.", "Correct HUBBUB_BUS_URL.")
    except (NotConnected, OSError) as failure:
        return warning(CHECK, f"No server is reached: {failure}.", _REMEDY)
    await connection.close()
    return ok(CHECK, "a server answers")
