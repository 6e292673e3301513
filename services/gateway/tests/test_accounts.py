"""Accounts, sessions and the org tree, on a real database file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from argon2 import PasswordHasher, extract_parameters
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.tests.gateway_rig import Rig
from superagent_common.errors import AlreadyExists, Exhausted, InvalidInput, ServiceError, Unauthenticated
from superagent_common.identity import Identity
from superagent_gateway.adapters.argon2_passwords import (
    _LANES,
    _MEMORY_KIB,
    _NOBODYS,
    _TIME,
    _WAITING,
    Argon2Passwords,
)
from superagent_gateway.application.accounts import Session
from superagent_gateway.build import _announcer
from superagent_gateway.domain import REFRESH_LIFE, REUSE_LEEWAY, checked_username, username_key

PASSWORD = "correct horse"


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("gateway.db*"))


async def logged_in(rig: Rig, name: str = "anna") -> Session:
    await rig.accounts.register(name, PASSWORD)
    return await rig.accounts.login(name, PASSWORD)


def check(rig: Rig, session: Session) -> Identity:
    """The identity of the session's access token, if it still counts."""
    identity = rig.verifier.verify(session.access_token)
    rig.configuration.check(identity)
    return identity


async def refused(rig: Rig, refresh_token: str) -> str:
    with pytest.raises(Unauthenticated) as error:
        await rig.accounts.renew(refresh_token)
    return error.value.reason


async def test_two_sign_ups_with_one_name_at_once_make_one_account(rig: Rig) -> None:
    outcomes = await asyncio.gather(
        *(rig.accounts.register(name, PASSWORD) for name in ("anna", "Anna", "ANNA", "ａｎｎａ")),
        return_exceptions=True,
    )
    taken = [outcome for outcome in outcomes if isinstance(outcome, AlreadyExists)]
    assert (len(taken), {error.reason for error in taken}) == (3, {"username_taken"})


async def test_logging_in_is_indifferent_to_the_case_of_the_name_but_not_of_the_password(rig: Rig) -> None:
    session = await logged_in(rig, "Anna")
    assert (await rig.accounts.login("ANNA", PASSWORD)).user == session.user
    for name, password in (("Anna", PASSWORD.upper()), ("nobody", PASSWORD), ("", "")):
        with pytest.raises(Unauthenticated) as error:
            await rig.accounts.login(name, password)
        assert error.value.reason == "wrong_credentials"


@pytest.mark.parametrize("name", ["ab", "x" * 65, "a b", "a\nb", "a\x00b", "<b>ad", "anna/../", "", "a,b"])
async def test_names_that_are_no_names_are_refused(rig: Rig, name: str) -> None:
    with pytest.raises(InvalidInput) as error:
        await rig.accounts.register(name, PASSWORD)
    assert error.value.reason == "invalid_username"


@pytest.mark.parametrize("name", ["王小明", "anna.b-c_d", "a@example.com", "Ünal", "x" * 64])
async def test_names_of_any_language_are_taken(rig: Rig, name: str) -> None:
    assert (await logged_in(rig, name)).user.username == name


@pytest.mark.parametrize("password", ["short", "x" * 257, "annaanna"])
async def test_weak_passwords_are_refused(rig: Rig, password: str) -> None:
    with pytest.raises(InvalidInput) as error:
        await rig.accounts.register("AnnaAnna", password)
    assert error.value.reason == "invalid_password"


@given(st.text(min_size=3, max_size=64))
def test_a_kept_name_stays_the_same_person(name: str) -> None:
    try:
        kept = checked_username(name)
    except ServiceError:
        return
    assert username_key(kept) == username_key(name)
    assert checked_username(kept) == kept


async def test_a_session_is_renewed_with_a_new_refresh_token_each_time(rig: Rig) -> None:
    first = await logged_in(rig)
    second = await rig.accounts.renew(first.refresh_token)
    third = await rig.accounts.renew(second.refresh_token)
    assert len({first.refresh_token, second.refresh_token, third.refresh_token}) == 3
    assert check(rig, third).principal == check(rig, first).principal


async def test_a_token_that_comes_twice_within_ten_seconds_is_a_double_click(rig: Rig) -> None:
    first = await logged_in(rig)
    one, other = await asyncio.gather(*(rig.accounts.renew(first.refresh_token) for _ in range(2)))
    assert one.refresh_token != other.refresh_token
    await rig.accounts.renew(one.refresh_token)
    await rig.accounts.renew(other.refresh_token)


async def test_an_old_refresh_token_that_comes_again_ends_all_sessions_of_the_person(rig: Rig) -> None:
    first, other_device = await logged_in(rig), await rig.accounts.login("anna", PASSWORD)
    second = await rig.accounts.renew(first.refresh_token)
    rig.clock.at += REUSE_LEEWAY / 1e6 + 1
    assert await refused(rig, first.refresh_token) == "refresh_token_reused"
    for session in (first, second, other_device):
        with pytest.raises(Unauthenticated) as error:
            check(rig, session)
        assert error.value.reason == "token_revoked"
        assert await refused(rig, session.refresh_token) == "refresh_token_revoked"
    assert rig.signal.published == [2]
    check(rig, await rig.accounts.login("anna", PASSWORD))


async def test_coming_again_within_the_leeway_does_not_extend_it(rig: Rig) -> None:
    first = await logged_in(rig)
    await rig.accounts.renew(first.refresh_token)
    rig.clock.at += REUSE_LEEWAY / 1e6 - 1
    await rig.accounts.renew(first.refresh_token)
    rig.clock.at += 2
    assert await refused(rig, first.refresh_token) == "refresh_token_reused"


async def test_an_old_refresh_token_counts_no_longer_where_the_clock_was_set_back(rig: Rig) -> None:
    first = await logged_in(rig)
    await rig.accounts.renew(first.refresh_token)
    rig.clock.at -= 7_200
    assert await refused(rig, first.refresh_token) == "refresh_token_reused"


async def test_one_persons_reuse_leaves_others_alone(rig: Rig) -> None:
    anna, ben = await logged_in(rig), await logged_in(rig, "ben")
    await rig.accounts.renew(anna.refresh_token)
    rig.clock.at += 60
    await refused(rig, anna.refresh_token)
    check(rig, await rig.accounts.renew(ben.refresh_token))


async def test_refresh_tokens_end_after_seven_days_and_unknown_ones_never_began(rig: Rig) -> None:
    session = await logged_in(rig)
    rig.clock.at += REFRESH_LIFE / 1e6
    assert await refused(rig, session.refresh_token) == "refresh_token_expired"
    assert await refused(rig, "made up") == "refresh_token_invalid"
    assert await refused(rig, "\ud800") == "refresh_token_invalid"


async def test_logging_out_ends_this_session_and_no_other(rig: Rig) -> None:
    here, there = await logged_in(rig), await rig.accounts.login("anna", PASSWORD)
    rig.clock.at += 1
    here = await rig.accounts.renew(here.refresh_token)
    identity = check(rig, here)
    await rig.accounts.logout(identity, here.user.user_id, here.refresh_token)
    with pytest.raises(Unauthenticated):
        check(rig, here)
    assert await refused(rig, here.refresh_token) == "refresh_token_revoked"
    check(rig, await rig.accounts.renew(there.refresh_token))


async def test_nobody_logs_another_person_out(rig: Rig) -> None:
    anna, ben = await logged_in(rig), await logged_in(rig, "ben")
    await rig.accounts.logout(check(rig, ben), ben.user.user_id, anna.refresh_token)
    check(rig, anna)
    await rig.accounts.renew(anna.refresh_token)


async def test_logging_out_without_a_refresh_token_ends_all_sessions(rig: Rig) -> None:
    here, there = await logged_in(rig), await rig.accounts.login("anna", PASSWORD)
    await rig.accounts.logout(check(rig, here), here.user.user_id, None)
    for session in (here, there):
        with pytest.raises(Unauthenticated):
            check(rig, session)
        assert await refused(rig, session.refresh_token) == "refresh_token_revoked"


async def test_revocations_are_forgotten_once_no_older_token_can_live(rig: Rig) -> None:
    session = await logged_in(rig)
    await rig.accounts.logout(check(rig, session), session.user.user_id, None)
    await rig.accounts.logout(rig.verifier.verify(session.access_token), session.user.user_id, session.refresh_token)
    await rig.configuration.reload()
    assert rig.configuration.current.revocations == ((session.user.user_id, 2),)
    assert len(rig.configuration.current.refused_tokens) == 1
    rig.clock.at += 3601
    await rig.configuration.reload()
    assert (rig.configuration.current.revocations, rig.configuration.current.refused_tokens) == ((), frozenset())


async def test_the_first_administrator_gets_a_generated_password_once(rig: Rig, tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "admin-password"
    assert await rig.accounts.ensure_administrator(_announcer(file))
    assert file.stat().st_mode & 0o777 == 0o600
    username, password = file.read_text().split()
    assert len(password) >= 20
    session = await rig.accounts.login(username, password)
    assert session.user.roles == ("user", "admin")
    assert not await rig.accounts.ensure_administrator(_announcer(file))
    assert file.read_text().split() == [username, password]


async def test_without_a_file_the_password_is_printed_once(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    await rig.accounts.ensure_administrator(_announcer(None))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("First administrator: admin / ")
    await rig.accounts.login("admin", line.rpartition(" ")[2])
    assert rig.log.lines == []


async def test_a_password_that_reached_nobody_leaves_no_account_behind(rig: Rig, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder should be")
    with pytest.raises(OSError):
        await rig.accounts.ensure_administrator(_announcer(tmp_path / "taken" / "password"))
    assert await rig.accounts.ensure_administrator(_announcer(tmp_path / "password"))


async def test_replicas_that_start_at_once_make_one_administrator(rig: Rig) -> None:
    announced: list[str] = []
    made = await asyncio.gather(
        *(rig.accounts.ensure_administrator(lambda _, password: announced.append(password)) for _ in range(3))
    )
    assert (sorted(made), len(announced)) == ([False, False, True], 1)
    await rig.accounts.login("admin", announced[0])


def test_an_unknown_name_costs_the_same_hash_as_a_known_one() -> None:
    assert extract_parameters(_NOBODYS) == extract_parameters(PasswordHasher(_TIME, _MEMORY_KIB, _LANES).hash("x"))


async def test_more_logins_than_can_wait_are_sent_away() -> None:
    passwords = Argon2Passwords()
    waiting = [asyncio.create_task(passwords.hash("x")) for _ in range(_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Exhausted):
        await passwords.verify(None, "x")
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_passwords_and_tokens_are_kept_as_hashes_only(rig: Rig, tmp_path: Path) -> None:
    session = await logged_in(rig)
    await rig.accounts.renew(session.refresh_token)
    stored = all_bytes(tmp_path)
    assert b"$argon2id$" in stored
    assert PASSWORD.encode() not in stored
    assert session.refresh_token.encode() not in stored
