from __future__ import annotations

from superagent_common.org_tree import descendants


def test_a_tag_covers_all_below_it_and_none_beside_or_above() -> None:
    tree = {"root": ["sales", "law"], "sales": ["eu", "us"], "eu": ["de"]}
    assert descendants(tree, ["sales"]) == {"sales", "eu", "us", "de"}
    assert descendants(tree, ["de", "law"]) == {"de", "law"}
    assert descendants(tree, []) == set()


def test_a_cycle_in_the_tree_ends() -> None:
    assert descendants({"a": ["b"], "b": ["a"]}, ["a"]) == {"a", "b"}
