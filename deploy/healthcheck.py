"""Exit with 0 if the node of this container is ready, for Docker's HEALTHCHECK."""

import os
import ssl
import sys
import urllib.request

SECONDS = 6.0


def is_ready() -> bool:
    """Return whether the node answers its health check, with its certificate or without one."""
    scheme = "https" if os.environ.get("HUBBUB_TLS_CERT") else "http"
    address = f"{scheme}://127.0.0.1:{os.environ.get('HUBBUB_PORT') or 8080}/health/ready"
    any_certificate = ssl.create_default_context()
    any_certificate.check_hostname = False  # it is for the public name, not for this address
    any_certificate.verify_mode = ssl.CERT_NONE
    https = urllib.request.HTTPSHandler(context=any_certificate)
    no_proxy = urllib.request.ProxyHandler({})
    try:
        with urllib.request.build_opener(no_proxy, https).open(address, timeout=SECONDS):
            return True
    except OSError:  # of which an answer like 503 is one
        return False


if __name__ == "__main__":
    sys.exit(0 if is_ready() else 1)
