"""Start the suite as `python clients/conformance`, from wherever the folder is."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from conformance.command import main

    sys.exit(main(sys.argv[1:]))
