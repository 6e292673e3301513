"""Ed25519 keys: one per service and one for the tokens of people, in a folder with a public key set beside them."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from superagent_common.private_file import write_private

USER_KEY_ID = "gateway-user"
SERVICES = ("gateway", "orchestrator", "agent-executor", "retrieval", "ingestion", "memory", "trace")
_KEY_SET_FILE = "keys.json"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key and the `kid` it signs under."""

    kid: str
    key: Ed25519PrivateKey

    @classmethod
    def load(cls, folder: Path, kid: str) -> SigningKey:
        """Reads `<folder>/<kid>.pem`. Raises OSError when it is not there."""
        key = serialization.load_pem_private_key((folder / f"{kid}.pem").read_bytes(), password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(f"{kid}.pem is not an Ed25519 key")
        return cls(kid, key)


@dataclass(frozen=True, slots=True)
class KeySet:
    """Public keys by `kid`: the gateway's user key and every service's."""

    keys: dict[str, Ed25519PublicKey]

    @classmethod
    def load(cls, folder: Path) -> KeySet:
        """Reads `<folder>/keys.json`, a JWK set (RFC 8037)."""
        document = json.loads((folder / _KEY_SET_FILE).read_text())
        return cls({jwk["kid"]: Ed25519PublicKey.from_public_bytes(_unpadded(jwk["x"])) for jwk in document["keys"]})


def ensure_keys(folder: Path) -> None:
    """Makes the keys that are missing and writes the public key set; safe to call at every start."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for kid in (USER_KEY_ID, *SERVICES):
        path = folder / f"{kid}.pem"
        if not path.exists():
            pem = Ed25519PrivateKey.generate().private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            write_private(path, pem.decode())
    keys = []
    for kid in (USER_KEY_ID, *SERVICES):
        public = SigningKey.load(folder, kid).key.public_key().public_bytes_raw()
        x = base64.urlsafe_b64encode(public).rstrip(b"=").decode()
        keys.append({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": x})
    write_private(folder / _KEY_SET_FILE, json.dumps({"keys": keys}, indent=1))


def _unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
