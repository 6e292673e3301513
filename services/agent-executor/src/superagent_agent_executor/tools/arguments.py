"""Arguments of the shipped tools: one pydantic model each, which is their schema and their check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.tools import Refusal


class Arguments(BaseModel):
    """Unknown arguments are refused: a model that makes one up is told so."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @classmethod
    def read(cls, arguments: Mapping[str, Json]) -> Self:
        """Raises Refusal that names the first fault."""
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            fault = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            raise Refusal("arguments_invalid", why=f"{place}: {fault['msg']}") from None

    @classmethod
    def schema_for_model(cls) -> dict[str, Any]:
        """The JSON schema, without the titles that say nothing."""
        schema = cls.model_json_schema()
        schema.pop("title", None)
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
        return schema
