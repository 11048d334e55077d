"""Reader threads meet types of msgspec only after they were made, whole, on import."""

import ast
from pathlib import Path

import hubbub.records

RECORDS = Path(hubbub.records.__file__).parent
MADE_ON_IMPORT = {"notifications/app_settings.py", "notifications/setups.py"}
"""They convert to types that their last lines make."""


def test_stored_json_is_read_by_decoders_made_on_import() -> None:
    """No function of the records has msgspec make a type, which two threads may do at once."""
    making = {
        f"{path.relative_to(RECORDS)}:{call.lineno}"
        for path in RECORDS.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and makes_type(call)
    }

    assert {place for place in making if place.split(":")[0] not in MADE_ON_IMPORT} == set()


def makes_type(call: ast.Call) -> bool:
    """Return whether a call of msgspec is given a type."""
    name = ast.unparse(call.func)
    if name == "msgspec.convert" or (name.startswith("msgspec.") and name.endswith("Decoder")):
        return True
    return name.endswith("json.decode") and any(each.arg == "type" for each in call.keywords)
