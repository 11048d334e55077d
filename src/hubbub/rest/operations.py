"""All operations: every module in the folders beside this file declares its own."""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import walk_packages

from hubbub import rest
from hubbub.http.operation import DECLARED, Operation

for _module in walk_packages(rest.__path__, f"{rest.__name__}."):
    import_module(_module.name)

OPERATIONS: Sequence[Operation] = tuple(DECLARED)
