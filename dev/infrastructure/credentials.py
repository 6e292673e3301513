"""Credentials of the embedded servers: made at the first start, kept in the data folder for its owner only."""

from __future__ import annotations

import dataclasses
import json
import secrets
from pathlib import Path

from superagent_common.private_file import write_private


@dataclasses.dataclass(frozen=True, slots=True)
class Credentials:
    """`seaweed_signing_key` closes SeaweedFS's own HTTP ports, which would serve objects to anyone otherwise."""

    valkey_password: str
    s3_access_key: str
    s3_secret_key: str
    seaweed_signing_key: str

    @classmethod
    def kept_in(cls, path: Path) -> Credentials:
        """Reads the file, or makes new credentials and writes it."""
        if path.exists():
            return cls(**json.loads(path.read_text()))
        made = cls(
            secrets.token_urlsafe(32), secrets.token_hex(10), secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        )
        write_private(path, json.dumps(dataclasses.asdict(made), indent=1))
        return made
