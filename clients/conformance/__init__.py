"""The conformance suite of clients: `python clients/conformance -- COMMAND` checks one."""
