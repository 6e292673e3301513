"""Argon2id hashes, made in threads so that the loop goes on serving."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

from argon2 import PasswordHasher as Argon2
from argon2.exceptions import InvalidHashError, VerificationError

from superagent_common.errors import Exhausted

# OWASP's smallest recommended cost: 19 MiB and about 20 ms each, so that a wave of logins does not take the memory.
_MEMORY_KIB, _TIME, _LANES = 19_456, 2, 1
_AT_ONCE = 2
_WAITING = 100
_M_MMAP_THRESHOLD = -3
_MMAP_BYTES = 1024 * 1024
# Well-formed and matched by no password: verifying it costs what verifying a real one does.
_NOBODYS = f"$argon2id$v=19$m={_MEMORY_KIB},t={_TIME},p={_LANES}${'A' * 22}${'A' * 43}"


T = TypeVar("T")


class Argon2Passwords:
    """`PasswordHasher` by argon2-cffi, which lets go of the interpreter while it works."""

    def __init__(self) -> None:
        _give_large_blocks_back()
        self._argon2 = Argon2(time_cost=_TIME, memory_cost=_MEMORY_KIB, parallelism=_LANES)
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0

    async def hash(self, password: str) -> str:
        return await self._run(self._argon2.hash, password.encode())

    async def verify(self, password_hash: str | None, password: str) -> bool:
        return await self._run(self._matches, password_hash or _NOBODYS, password.encode())

    def _matches(self, password_hash: str, password: bytes) -> bool:
        try:
            return self._argon2.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:
        if self._waiting >= _WAITING:
            raise Exhausted("login_busy", "Too many people are logging in; try again in a moment.")
        self._waiting += 1
        try:
            async with self._turns:
                return await asyncio.to_thread(work, *arguments)
        finally:
            self._waiting -= 1


def _give_large_blocks_back() -> None:
    """Keeps glibc from raising its mmap threshold to the size of a hash: 60 MB would stay with the process for good."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, _MMAP_BYTES)
