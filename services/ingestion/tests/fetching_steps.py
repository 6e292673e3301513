"""Fetching from a server of the test's own."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from superagent_common.errors import Unavailable
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.url_fetcher import FetchLimits, HttpUrlFetcher, Resolve
from superagent_ingestion.domain.fetching import Fetched, FetchRefused, networks_of

OURS = "127.0.0.1/32"
LIMIT = 300_000


def names(**addresses: str | Sequence[str]) -> Resolve:
    """Resolves these names (`_` stands for a dot) and addresses as they are."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        found = addresses.get(host.replace(".", "_"), host)
        return [found] if isinstance(found, str) else found

    return resolve


async def fetch(
    url: str,
    folder: Path,
    *ports: int,
    resolve: Resolve | None = None,
    networks: str = OURS,
    seconds: float = 20,
    trust: ssl.SSLContext | None = None,
) -> tuple[Fetched, bytes]:
    limits = FetchLimits(networks_of(networks), frozenset({80, 443, *ports}), LIMIT, seconds, 3)
    path = folder / "content"
    got = await HttpUrlFetcher(limits, Telemetry("ingestion"), resolve, trust).fetch(url, path)
    return got, path.read_bytes()


async def refusal(*arguments: object, **options: object) -> str:
    with pytest.raises(FetchRefused) as refused:
        await fetch(*arguments, **options)  # type: ignore[arg-type]
    assert refused.value.message
    return refused.value.reason


async def passing(*arguments: object, **options: object) -> str:
    """The reason of what is worth another try."""
    with pytest.raises(Unavailable) as failed:
        await fetch(*arguments, **options)  # type: ignore[arg-type]
    return failed.value.reason


def certified(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for the name, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("127.9.9.9"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    client = ssl.create_default_context()
    client.load_verify_locations(cadata=certificate.public_bytes(serialization.Encoding.PEM).decode())
    return server, client
