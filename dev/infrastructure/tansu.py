"""tansu: the Kafka broker, which keeps everything in the object store."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from dev.infrastructure.binaries import tansu_binary
from dev.infrastructure.credentials import Credentials
from dev.infrastructure.seaweed import REGION
from dev.probes import kafka_answers
from dev.process import ProcessSpec


def tansu(
    directory: Path, port: int, s3_endpoint: str, bucket: str, credentials: Credentials, environment: Mapping[str, str]
) -> ProcessSpec:
    """The broker on 127.0.0.1:port. `bucket` must exist before it starts."""
    directory.mkdir(parents=True, exist_ok=True)
    address = f"tcp://127.0.0.1:{port}"
    return ProcessSpec(
        name="tansu",
        command=(
            str(tansu_binary()),
            "broker",
            "--cluster-id=superagent",
            f"--listener-url={address}",
            f"--advertised-listener-url={address}",
            # memory:// would lose every event with the process.
            f"--storage-engine=s3://{bucket}/",
            "--silent",
        ),
        environment={
            **environment,
            "AWS_ACCESS_KEY_ID": credentials.s3_access_key,
            "AWS_SECRET_ACCESS_KEY": credentials.s3_secret_key,
            "AWS_ENDPOINT": s3_endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": REGION,
            "RUST_LOG": "warn",
        },
        ready=lambda: kafka_answers(port),
        directory=directory,
        # It ends at once on SIGINT and after 5 s on SIGTERM.
        stop_signal=signal.SIGINT,
    )
