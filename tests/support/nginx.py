"""Debian's nginx in front of several gateways, as somebody would put it there who read nothing about streams."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.ports import own_port

# Round robin; gzip as in Debian's own nginx.conf, buffering as nginx has it. Only what WebSockets cannot do without is added.
_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    gzip on;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    upstream gateways {{ {servers} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://gateways;
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""


def nginx_path() -> str:
    """The program. Skips the test where there is none, and fails it where tests must not be skipped."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        missing = "these tests need nginx: install it (Debian: apt-get install nginx)"
        assert not os.environ.get("CI"), missing
        pytest.skip(missing)
    return found


@asynccontextmanager
async def nginx(folder: Path, gateways: Sequence[str]) -> AsyncIterator[str]:
    """Serves while the block runs and gives the base URL; `gateways` are host:port."""
    port = own_port()
    servers = " ".join(f"server {gateway};" for gateway in gateways)
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port, servers=servers))
    process = await asyncio.create_subprocess_exec(nginx_path(), "-c", str(configuration))
    try:
        async with asyncio.timeout(120):
            while not await _listens(port):
                assert process.returncode is None, "nginx ended"
                await asyncio.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
