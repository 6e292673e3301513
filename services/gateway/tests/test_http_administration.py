"""/admin over HTTP: people, roles, bans and the org tree."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest

from services.gateway.tests.gateway_rig import ANNA, ROOT, Rig
from services.gateway.tests.test_http_accounts import CREDENTIALS, bearer, logged_in
from services.gateway.tests.test_http_problems import assert_problem
from superagent_common.errors import Conflict

USERS, ORG_TAGS = "/api/v1/admin/users", "/api/v1/admin/org-tags"
ROUTES = [
    ("GET", "users"),
    ("PATCH", "users/x"),
    ("PUT", "users/x/org-tags"),
    ("GET", "org-tags"),
    ("POST", "org-tags"),
    ("PATCH", "org-tags/x"),
    ("DELETE", "org-tags/x"),
    ("GET", "domains"),
    ("POST", "domains"),
    ("PUT", "domains/x"),
    ("DELETE", "domains/x"),
    ("GET", "dead-letters?service=trace"),
    ("GET", "dead-letters/export"),
    ("POST", "dead-letters/trace/x/redeliver"),
    ("DELETE", "dead-letters/trace/x"),
]


async def changed(rig: Rig, user_id: str, headers: dict[str, str] | None = None, **change: Any) -> httpx.Response:
    return await rig.http.patch(f"{USERS}/{user_id}", json=change, headers=headers or rig.as_(ROOT))


async def administrator(rig: Rig, name: str) -> dict[str, Any]:
    """The session of a further administrator."""
    session = await logged_in(rig, name)
    assert (await changed(rig, session["user"]["id"], roles=["user", "admin"])).status_code == 200
    answer = await rig.http.post("/api/v1/auth/refresh", json={"refresh_token": session["refresh_token"]})
    return dict(answer.json())


async def added(rig: Rig, code: str, parent_code: str | None = None) -> None:
    tag = {"code": code, "name": code.upper(), "parent_code": parent_code}
    answer = await rig.http.post(ORG_TAGS, json=tag, headers=rig.as_(ROOT))
    assert (answer.status_code, answer.json()) == (201, tag)


async def tree(rig: Rig) -> dict[str, str | None]:
    answer = await rig.http.get(ORG_TAGS, headers=rig.as_(ROOT))
    return {tag["code"]: tag["parent_code"] for tag in answer.json()["org_tags"]}


async def test_administration_is_for_administrators(rig: Rig) -> None:
    for method, path in ROUTES:
        body = {"code": "a", "name": "A", "org_tags": []}
        answer = await rig.http.request(method, f"/api/v1/admin/{path}", headers=rig.as_(ANNA), json=body)
        assert_problem(answer, 403, "administrators_only")


async def test_people_are_listed_page_by_page(rig: Rig) -> None:
    ids = [(await logged_in(rig, name))["user"]["id"] for name in ("anna", "ben", "cleo")]
    found: list[str] = []
    query = "?limit=2"
    while query:
        answer = (await rig.http.get(f"{USERS}{query}", headers=rig.as_(ROOT))).json()
        found += [user["id"] for user in answer["users"]]
        query = answer["next_cursor"] and f"?limit=2&cursor={answer['next_cursor']}"
    assert found == [ROOT.user_id, *ids]
    assert_problem(await rig.http.get(f"{USERS}?cursor=%7B", headers=rig.as_(ROOT)), 400, "invalid_cursor")


async def test_people_are_found_by_a_part_of_their_name_in_any_case(rig: Rig) -> None:
    for name in ("Anna.Wang", "王小明", "joanna", "ben_100"):
        await logged_in(rig, name)
    for query, names in {
        "anna": ["Anna.Wang", "joanna"],
        " ANNA ": ["Anna.Wang", "joanna"],
        "小明": ["王小明"],
        "n_1": ["ben_100"],
        "%": [],
        "_": ["ben_100"],
        "nobody": [],
        "": ["root", "Anna.Wang", "王小明", "joanna", "ben_100"],
    }.items():
        answer = await rig.http.get(USERS, params={"query": query}, headers=rig.as_(ROOT))
        assert [user["username"] for user in answer.json()["users"]] == names, query
    one = (await rig.http.get(USERS, params={"query": "n", "limit": 1}, headers=rig.as_(ROOT))).json()
    rest = {"query": "n", "cursor": one["next_cursor"]}
    others = (await rig.http.get(USERS, params=rest, headers=rig.as_(ROOT))).json()
    assert [user["username"] for user in one["users"] + others["users"]] == ["Anna.Wang", "joanna", "ben_100"]


async def test_a_role_is_given_and_taken_and_older_tokens_stop_counting(rig: Rig) -> None:
    session = await logged_in(rig)
    user_id = session["user"]["id"]
    answer = await changed(rig, user_id, roles=["user", "admin", "admin"])
    assert answer.json() == {
        "id": user_id,
        "username": "anna",
        "roles": ["user", "admin"],
        "org_tags": [],
        "banned": False,
        "created_at": "2027-01-15T08:00:00.000000Z",
    }
    assert_problem(await rig.http.get("/api/v1/auth/me", headers=bearer(session)), 401, "token_revoked")
    renewed = await rig.http.post("/api/v1/auth/refresh", json={"refresh_token": session["refresh_token"]})
    anna = bearer(renewed.json())
    assert (await rig.http.get(USERS, headers=anna)).status_code == 200
    assert (await changed(rig, user_id, roles=["user"])).json()["roles"] == ["user"]
    assert_problem(await rig.http.get(USERS, headers=anna), 401, "token_revoked")


async def test_changes_that_are_none_leave_the_sessions_alone(rig: Rig) -> None:
    session = await logged_in(rig)
    for change in ({}, {"banned": False}, {"roles": ["user"]}, {"roles": None, "banned": None}):
        assert (await changed(rig, session["user"]["id"], **change)).status_code == 200
        assert (await rig.http.get("/api/v1/auth/me", headers=bearer(session))).status_code == 200


async def test_roles_that_are_none_are_refused(rig: Rig) -> None:
    user_id = (await logged_in(rig))["user"]["id"]
    for roles, reason in {("user", "root"): "unknown_role", ("admin",): "invalid_roles", (): "invalid_roles"}.items():
        assert_problem(await changed(rig, user_id, roles=list(roles)), 400, reason)
    assert_problem(await changed(rig, user_id, roles="admin"), 400, "invalid_request")
    assert_problem(await changed(rig, user_id, banned="perhaps"), 400, "invalid_request")
    assert_problem(await changed(rig, "x", banned=True), 404, "unknown_user")


async def test_a_ban_ends_all_sessions_and_is_named_to_whom_it_strikes(rig: Rig) -> None:
    session = await logged_in(rig)
    user_id = session["user"]["id"]
    assert (await changed(rig, user_id, banned=True)).json()["banned"] is True
    assert_problem(await rig.http.get("/api/v1/auth/me", headers=bearer(session)), 401, "token_revoked")
    refresh = {"refresh_token": session["refresh_token"]}
    assert_problem(await rig.http.post("/api/v1/auth/refresh", json=refresh), 403, "banned")
    assert_problem(await rig.http.post("/api/v1/auth/login", json=CREDENTIALS), 403, "banned")
    # Whoever does not know the password learns nothing.
    wrong = {**CREDENTIALS, "password": "something else"}
    assert_problem(await rig.http.post("/api/v1/auth/login", json=wrong), 401, "wrong_credentials")
    assert (await changed(rig, user_id, banned=False)).json()["banned"] is False
    assert_problem(await rig.http.post("/api/v1/auth/refresh", json=refresh), 401, "refresh_token_revoked")
    again = await rig.http.post("/api/v1/auth/login", json=CREDENTIALS)
    assert (await rig.http.get("/api/v1/auth/me", headers=bearer(again.json()))).status_code == 200


async def test_what_was_taken_from_an_administrator_is_gone_before_the_signal_arrives(rig: Rig) -> None:
    """Another replica has made the change, and this one has not read it yet."""
    ben = await administrator(rig, "ben")
    ben_id = ben["user"]["id"]
    assert (await rig.http.get(USERS, headers=bearer(ben))).status_code == 200

    async def elsewhere(**change: Any) -> None:
        await rig.users.change(ben_id, lambda person, _: replace(person, **change), rig.clock.microseconds())

    await elsewhere(banned_at=rig.clock.microseconds())
    assert_problem(await rig.http.get(USERS, headers=bearer(ben)), 403, "banned")
    await elsewhere(banned_at=None)
    assert_problem(await rig.http.get(USERS, headers=bearer(ben)), 401, "token_revoked")
    await elsewhere(roles=("user",))
    version = (await rig.accounts.me(ben_id)).token_version
    stale = {"authorization": f"Bearer {rig.token(replace(ROOT, user_id=ben_id), version)}"}
    assert_problem(await rig.http.get(USERS, headers=stale), 403, "administrators_only")


async def test_nobody_takes_the_administration_from_himself(rig: Rig) -> None:
    ben = await administrator(rig, "ben")
    for change in ({"roles": ["user"]}, {"banned": True}):
        answer = await changed(rig, ben["user"]["id"], bearer(ben), **change)
        assert_problem(answer, 403, "own_account")
    assert (await rig.http.get(USERS, headers=bearer(ben))).status_code == 200


async def test_of_administrators_who_demote_each_other_at_once_one_stays(rig: Rig) -> None:
    ben, cleo = await administrator(rig, "ben"), await administrator(rig, "cleo")
    assert (await changed(rig, ROOT.user_id, bearer(ben), banned=True)).status_code == 200
    answers = await asyncio.gather(
        changed(rig, cleo["user"]["id"], bearer(ben), roles=["user"]),
        changed(rig, ben["user"]["id"], bearer(cleo), banned=True),
    )
    assert 200 in [answer.status_code for answer in answers]
    left = [user for user in await rig.users.page("", "", 10) if user.is_administrator]
    assert len(left) == 1


async def test_the_last_administrator_stays_one_whoever_asks(rig: Rig) -> None:
    # As one who was demoted a moment ago would: the door lets nobody else this far.
    for change in ({"roles": ["user"], "is_banned": None}, {"roles": None, "is_banned": True}):
        with pytest.raises(Conflict) as error:
            await rig.people.change(ROOT.user_id, by="somebody else", **change)
        assert error.value.reason == "last_administrator"


async def test_the_org_tree_and_who_belongs_where(rig: Rig) -> None:
    root = rig.as_(ROOT)
    await added(rig, "acme")
    await added(rig, "acme.sales", "acme")
    await added(rig, "acme.sales.north", "acme.sales")
    await added(rig, "other")
    again = await rig.http.post(ORG_TAGS, json={"code": "acme.sales", "name": "S"}, headers=root)
    assert_problem(again, 409, "org_tag_exists")
    orphan = {"code": "x", "name": "X", "parent_code": "nowhere"}
    assert_problem(await rig.http.post(ORG_TAGS, json=orphan, headers=root), 400, "unknown_org_tag")
    for code in ("a b", "", "x" * 65, "a/b", ".", ".."):
        answer = await rig.http.post(ORG_TAGS, json={"code": code, "name": "X"}, headers=root)
        assert_problem(answer, 400, "invalid_org_tag")

    session = await logged_in(rig)
    path = f"{USERS}/{session['user']['id']}/org-tags"
    answer = await rig.http.put(path, json={"org_tags": ["acme.sales", "acme.sales"]}, headers=root)
    assert answer.json()["org_tags"] == ["acme.sales"]
    unknown = await rig.http.put(path, json={"org_tags": ["nowhere"]}, headers=root)
    assert assert_problem(unknown, 400, "unknown_org_tag")["org_tag"] == "nowhere"
    nobody = await rig.http.put(f"{USERS}/x/org-tags", json={"org_tags": []}, headers=root)
    assert_problem(nobody, 404, "unknown_user")

    # What the old token says of the person is not true any more; a renewed one carries the tags.
    assert_problem(await rig.http.get("/api/v1/auth/me", headers=bearer(session)), 401, "token_revoked")
    renewed = (await rig.http.post("/api/v1/auth/refresh", json={"refresh_token": session["refresh_token"]})).json()
    identity = rig.verifier.verify(renewed["access_token"])
    assert identity.principal and identity.principal.org_tags == ("acme.sales",)
    me = (await rig.http.get("/api/v1/auth/me", headers=bearer(renewed))).json()
    assert me["org_tags"] == ["acme.sales"]
    assert me["reachable_org_tags"] == [
        {"code": "acme.sales", "name": "ACME.SALES", "parent_code": "acme"},
        {"code": "acme.sales.north", "name": "ACME.SALES.NORTH", "parent_code": "acme.sales"},
    ]


async def test_a_tag_is_renamed_and_moved_with_all_below_it(rig: Rig) -> None:
    root = rig.as_(ROOT)
    for code, parent in (("a", None), ("b", "a"), ("c", "b"), ("d", None)):
        await added(rig, code, parent)

    async def patched(code: str, **change: Any) -> httpx.Response:
        return await rig.http.patch(f"{ORG_TAGS}/{code}", json=change, headers=root)

    assert (await patched("b", name="  Be \n ")).json() == {"code": "b", "name": "Be", "parent_code": "a"}
    assert (await patched("b", parent_code="d")).json() == {"code": "b", "name": "Be", "parent_code": "d"}
    assert await tree(rig) == {"a": None, "b": "d", "c": "b", "d": None}
    assert (await patched("b", parent_code=None)).json()["parent_code"] is None
    assert (await patched("b")).json() == {"code": "b", "name": "Be", "parent_code": None}
    for code, parent in (("b", "b"), ("b", "c")):
        assert_problem(await patched(code, parent_code=parent), 400, "org_tag_cycle")
    assert_problem(await patched("b", parent_code="nowhere"), 400, "unknown_org_tag")
    assert_problem(await patched("b", name=" "), 400, "invalid_org_tag")
    assert_problem(await patched("nowhere", name="X"), 404, "unknown_org_tag")
    assert await tree(rig) == {"a": None, "b": None, "c": "b", "d": None}


async def test_two_moves_at_once_make_no_cycle(rig: Rig) -> None:
    for code in ("a", "b"):
        await added(rig, code)
    answers = await asyncio.gather(
        *(
            rig.http.patch(f"{ORG_TAGS}/{code}", json={"parent_code": parent}, headers=rig.as_(ROOT))
            for code, parent in (("a", "b"), ("b", "a"))
        )
    )
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert None in (await tree(rig)).values()


async def test_a_tag_is_deleted_only_when_nothing_has_it(rig: Rig) -> None:
    root = rig.as_(ROOT)
    await added(rig, "a")
    await added(rig, "b", "a")
    user_id = (await logged_in(rig))["user"]["id"]
    await rig.http.put(f"{USERS}/{user_id}/org-tags", json={"org_tags": ["b"]}, headers=root)
    await added(rig, "c")
    domain = {"code": "ops", "name": "Ops", "owner_org_tag": "c"}
    assert (await rig.http.post("/api/v1/admin/domains", json=domain, headers=root)).status_code == 201
    for code, used_by in (("a", "org_tags"), ("b", "users"), ("c", "domains")):
        answer = await rig.http.delete(f"{ORG_TAGS}/{code}", headers=root)
        assert assert_problem(answer, 409, "org_tag_in_use")["used_by"] == used_by
    await rig.http.put(f"{USERS}/{user_id}/org-tags", json={"org_tags": []}, headers=root)
    await rig.http.delete("/api/v1/admin/domains/ops", headers=root)
    for code in ("b", "a", "c"):
        assert (await rig.http.delete(f"{ORG_TAGS}/{code}", headers=root)).status_code == 204
        assert_problem(await rig.http.delete(f"{ORG_TAGS}/{code}", headers=root), 404, "unknown_org_tag")
    assert await tree(rig) == {}
