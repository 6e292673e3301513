"""Writes docs/settings.md from the settings models: `python -m dev.settings_reference [--check]`."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from dev.grouping import ROOT, SERVICES
from superagent_common.llm import ModelSettings
from superagent_common.settings import ServiceSettings

PAGE = ROOT / "docs" / "settings.md"
_HEAD = """# Settings

Made by `make settings` from the settings models; do not edit. Every setting is an environment variable; `make run` also
reads `.env`, and the environment wins. A value that is refused ends the process at start with a line that names the setting.

## `make run`

| setting | default | meaning |
|---|---|---|
| `PORT` | `8080` | Where the product listens on this machine; 0 takes a free port. |
| `DATA_DIR` | `data` | The folder of everything that is kept. |
| `PROCESSES` | `grouped` | `separate` gives each service a process of its own. |

`make run` sets what the services are told about each other, their databases, Redis, Kafka and the object store; in a
fleet whoever deploys it does. Settings that are required must be given there.
"""


def page() -> str:
    """The whole page. Raises ValueError naming a setting that nothing describes."""
    models = {name: _model(name) for name in SERVICES}
    described = {**_rows(ServiceSettings), **_rows(ModelSettings)}
    own = {name: _rows(model, apart_from=ServiceSettings) for name, model in models.items()}
    names = [setting for rows in own.values() for setting in rows]
    shared = {
        setting: row
        for rows in own.values()
        for setting, row in rows.items()
        if names.count(setting) > 1 and setting not in described
    }
    parts = [
        _HEAD,
        _section("Every service", "`<SERVICE>` is the service's name, `AGENT_EXECUTOR` for example.", _common()),
        _section("Shared by several services", "The same value for all of them.", shared),
        _section(
            "Language model",
            "Read by agent-executor, orchestrator, gateway, and by ingestion and retrieval where they are told to use a model.",
            _rows(ModelSettings),
        ),
    ]
    for name, rows in own.items():
        only = {setting: row for setting, row in rows.items() if setting not in shared | described}
        parts.append(_section(name, "", only))
    return "\n".join(parts)


def _common() -> dict[str, str]:
    return {
        name if name.isupper() and name in _aliases(ServiceSettings) else f"<SERVICE>_{name}": row
        for name, row in _rows(ServiceSettings).items()
    }


def _aliases(model: type[BaseSettings]) -> set[str]:
    return {str(field.validation_alias) for field in model.model_fields.values() if field.validation_alias}


def _model(service: str) -> type[ServiceSettings]:
    module = importlib.import_module(f"superagent_{service.replace('-', '_')}.settings")
    return module.Settings  # type: ignore[no-any-return]


def _rows(model: type[BaseSettings], *, apart_from: type[BaseSettings] | None = None) -> dict[str, str]:
    """Setting → the rest of its row."""
    prefix = model.model_config.get("env_prefix", "")
    said = _docstrings(model)
    rows = {}
    for name, field in model.model_fields.items():
        if apart_from and name in apart_from.model_fields:
            continue
        setting = str(field.validation_alias or (prefix + name).upper())
        if name not in said:
            raise ValueError(f"{model.__module__}.{name} has no docstring")
        rows[setting] = f"{_default(field)} | {said[name]}{_bounds(field)}"
    return rows


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Field → the string literal below it in the source, on one line."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not issubclass(owner, BaseSettings) or owner is BaseSettings:
            continue
        body = ast.parse(inspect.getsource(owner)).body[0]
        assert isinstance(body, ast.ClassDef)
        found.update(_described(body.body))
    return found


def _described(statements: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, behind in pairwise(statements):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(behind, ast.Expr)
            and isinstance(behind.value, ast.Constant)
            and isinstance(behind.value.value, str)
        ):
            yield statement.target.id, " ".join(behind.value.value.split()).replace("|", "\\|")


def _default(field: FieldInfo) -> str:
    if SecretStr in (field.annotation, *get_args(field.annotation)):
        return "required, secret" if field.is_required() else "unset, secret"
    if field.is_required():
        return "required"
    value: Any = field.default
    if value is None or value in ("", ()) or value is PydanticUndefined:
        return "unset"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return " One of " + ", ".join(f"`{choice}`" for choice in get_args(field.annotation)) + "."
    said = []
    for bound in field.metadata:
        for sign, attribute in ((">", "gt"), ("≥", "ge"), ("<", "lt"), ("≤", "le")):
            limit = getattr(bound, attribute, None)
            if limit is not None:
                said.append(f"{sign} {limit}")
    return f" ({', '.join(said)})" if said else ""


def _section(title: str, note: str, rows: dict[str, str]) -> str:
    table = "\n".join(f"| `{setting}` | {row} |" for setting, row in rows.items())
    return (
        f"## {title}\n\n{note + chr(10) * 2 if note else ''}| setting | default | meaning |\n|---|---|---|\n{table}\n"
    )


def main() -> None:
    """Writes the page, or with --check exits with 1 when it is not what would be written."""
    arguments = argparse.ArgumentParser(description="Writes docs/settings.md from the settings models.")
    arguments.add_argument("--check", action="store_true")
    made = page()
    if not arguments.parse_args().check:
        PAGE.write_text(made)
    elif not PAGE.is_file() or PAGE.read_text() != made:
        sys.exit("docs/settings.md is not what the settings models say: run `make settings`")


if __name__ == "__main__":
    main()
