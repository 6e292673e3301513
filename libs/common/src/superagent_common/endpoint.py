"""Model endpoints: the header that carries their key, and whether they are on this machine."""

from __future__ import annotations

import ipaddress

from pydantic import SecretStr


def bearer_token(api_key: SecretStr) -> str:
    """The key as it goes into the header. ValueError, which does not quote it, if a header cannot carry it."""
    value = api_key.get_secret_value()
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        # Checked here because the HTTP library's own complaint would quote the key.
        raise ValueError("the API key is empty or holds characters that an HTTP header cannot carry")
    return value


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: a proxy from the environment is for the world outside."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
