"""What a challenge asks for, and what answers it."""

from __future__ import annotations

import hashlib
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_common.errors import InvalidInput
from superagent_ingestion.domain.possession import checked_digest, proof, proves, ranges_to_prove
from superagent_ingestion.domain.uploads import MAX_BYTES

KIB = 1024


@given(st.integers(0, MAX_BYTES))
def test_ranges_lie_in_the_content_in_order_without_overlap(size: int) -> None:
    ranges = ranges_to_prove(size, secrets.randbelow)
    places = [place for piece in ranges for place in piece]
    assert places == sorted(places) and places[0] >= 0 and places[-1] <= size
    assert sum(end - start for start, end in ranges) == min(size, 512 * KIB)


def test_a_small_content_is_asked_for_whole() -> None:
    assert ranges_to_prove(512 * KIB, secrets.randbelow) == ((0, 512 * KIB),)


def test_each_eighth_of_a_large_content_is_asked_for_up_to_its_last_byte() -> None:
    size = 8 * 1_000 * KIB
    first, last = ranges_to_prove(size, lambda n: 0), ranges_to_prove(size, lambda n: n - 1)
    assert [start for start, _ in first] == [eighth * 1_000 * KIB for eighth in range(8)]
    assert [end for _, end in last] == [eighth * 1_000 * KIB for eighth in range(1, 9)]


def test_the_proof_is_the_hash_of_nonce_and_pieces() -> None:
    right = hashlib.sha256(b"nonce" + b"first" + b"second").hexdigest()
    assert proof(b"nonce", [b"first", b"second"]) == right
    assert proves(checked_digest(right.upper()), right)
    assert not proves(proof(b"other", [b"first", b"second"]), right)


@pytest.mark.parametrize("digest", ["", "0" * 63, "0" * 65, "g" * 64, "0" * 64 + "\n", "０" * 64])
def test_what_cannot_be_a_proof_is_refused(digest: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_digest(digest)
    assert refused.value.reason == "invalid_digest"
