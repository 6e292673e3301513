"""Addresses to fetch documents from: what may be asked for, which machines may be reached, what a document is called."""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.documents import FILE_NAME_CHARACTERS

URL_CHARACTERS = 2000
Network = IPv4Network | IPv6Network
Refusal = Literal[
    "fetch_forbidden_address", "fetch_status", "fetch_too_large", "fetch_timeout", "fetch_failed", "fetch_redirects"
]

# IANA's special-purpose registries, multicast, and Azure's host service, which has a public address.
_CLOSED = [
    ipaddress.ip_network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        *("2001::/23", "2001:db8::/32", "3fff::/20"),
    )
]
_GLOBAL_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
# Content without a tell-tale beginning: its type decides what it is read as.
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
    "application/x-ndjson": ".ndjson",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "message/rfc822": ".eml",
}
# Names whose ending is that of a program on the server says nothing of what it answers.
_DOCUMENT_SUFFIXES = frozenset(_SUFFIXES.values()) | frozenset(
    {".htm", ".markdown", ".txt", ".log", ".rst", ".pdf", ".rtf", ".epub", ".odt", ".ods", ".odp", ".mbox", ".msg"}
    | {".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".jsonl"}
)


class FetchRefused(InvalidInput):
    """The address itself is the cause: fetching it again gives the same end. The message is for the person."""

    def __init__(self, reason: Refusal, message: str) -> None:
        super().__init__(reason, message)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was fetched: `size` in bytes, `host` that gave it in the end, redirects followed on the way."""

    file_name: str
    size: int
    sha256: str
    host: str
    redirects: int


def networks_of(listed: str) -> tuple[Network, ...]:
    """Networks of a list separated by commas. Raises ValueError."""
    return tuple(ipaddress.ip_network(each.strip()) for each in listed.split(",") if each.strip())


def ports_of(listed: str) -> frozenset[int]:
    """Ports of a list separated by commas. Raises ValueError."""
    ports = frozenset(int(each) for each in listed.split(",") if each.strip())
    if not all(0 < port < 65_536 for port in ports):
        raise ValueError("a port is a number from 1 to 65535")
    return ports


def checked_url(url: str) -> str:
    """An address as it may be asked for. Raises InvalidInput: invalid_url."""
    if len(url) > URL_CHARACTERS:
        raise _invalid(f"An address has at most {URL_CHARACTERS} characters.")
    if any(character.isspace() or character == "\\" or unicodedata.category(character)[0] == "C" for character in url):
        raise _invalid("An address has no spaces, backslashes and control characters.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _invalid("This is not an address.") from None
    if parts.scheme not in ("http", "https"):
        raise _invalid("An address begins with http:// or https://.")
    if not host:
        raise _invalid("An address names a host.")
    if "@" in parts.netloc:
        raise _invalid("An address has no user name and no password.")
    return url


def is_open(address: str, allowed: Sequence[Network]) -> bool:
    """Whether a machine may be reached: it is on the public internet or in a network that is allowed.

    An IPv6 address that stands for an IPv4 address (mapped, NAT64, 6to4) is judged as that.
    """
    judged = _meant(ipaddress.ip_address(address.partition("%")[0]))
    if any(judged in network for network in allowed if network.version == judged.version):
        return True
    if isinstance(judged, IPv6Address) and judged not in _GLOBAL_V6:
        return False
    return not any(judged in network for network in _CLOSED if network.version == judged.version)


def _meant(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def fetched_name(url: str, disposition: str = "", content_type: str = "") -> str:
    """What a fetched document is called: by its Content-Disposition, else the end of its address, else the host."""
    parts = urlsplit(url)
    for name in (_said(disposition), unquote(PurePosixPath(parts.path).name), parts.hostname or ""):
        if found := _clean(name):
            break
    else:
        found = "document"
    suffix = _SUFFIXES.get(content_type.partition(";")[0].strip().lower(), "")
    if suffix and PurePosixPath(found).suffix.lower() not in _DOCUMENT_SUFFIXES:
        return found[: FILE_NAME_CHARACTERS - len(suffix)] + suffix
    return found


def _said(disposition: str) -> str:
    """The file's name in a Content-Disposition; "" without one that can be read."""
    said = Message()
    said["content-disposition"] = disposition.replace("\r", " ").replace("\n", " ")
    try:
        return said.get_filename() or ""
    except ValueError:
        # In a character set that does not read whatever it is given.
        return ""


def _clean(name: str) -> str:
    """The last part of a path without what a file's name may not have, cut before its ending when it is too long."""
    last = name.replace("\\", "/").rpartition("/")[2]
    # Categories C: control characters, direction overrides, surrogates.
    kept = "".join(character for character in last if unicodedata.category(character)[0] != "C").strip()
    if not kept.strip("."):
        return ""
    suffix = PurePosixPath(kept).suffix
    return kept if len(kept) <= FILE_NAME_CHARACTERS else kept[: FILE_NAME_CHARACTERS - len(suffix[:20])] + suffix[:20]


def _invalid(message: str) -> InvalidInput:
    return InvalidInput("invalid_url", message)
