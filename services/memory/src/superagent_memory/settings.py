"""Settings of the memory service."""

from __future__ import annotations

from pydantic import DirectoryPath, Field
from pydantic_settings import SettingsConfigDict

from superagent_common.settings import ServiceSettings
from superagent_memory.domain.rules import DEFAULT_RULES, Rules


class Settings(ServiceSettings):
    """Environment names begin with MEMORY_."""

    model_config = SettingsConfigDict(env_prefix="MEMORY_")

    database_url: str
    """The service's own database: `sqlite:///path`, `postgresql+asyncpg://…` or `mysql+asyncmy://…`."""
    kafka_brokers: str = Field(validation_alias="KAFKA_BROKERS")
    """Kafka brokers, `host:port` separated by commas."""

    sliding_turns: int = Field(default=DEFAULT_RULES.sliding_turns, ge=1, le=20)
    """Turns that the strategy `sliding_window` shows."""
    verbatim_turns: int = Field(default=DEFAULT_RULES.verbatim_turns, ge=1, le=20)
    """Newest turns that the strategy `summary` keeps as they were."""
    verbatim_characters: int = Field(default=DEFAULT_RULES.verbatim_characters, ge=200)
    """Characters that these may have together; the newest is cut to fit."""
    window_rounds: int = Field(default=DEFAULT_RULES.rounds, ge=1)
    """The hard window has four messages for each round."""
    summarise_beyond_messages: int = Field(default=DEFAULT_RULES.summarise_beyond_messages, ge=2)
    """From how many messages outside of the summary on older turns are folded into it."""
    fold_turns: int = Field(default=DEFAULT_RULES.fold_turns, ge=1, le=20)
    """Turns folded in one step at most."""
    summary_characters: int = Field(default=DEFAULT_RULES.summary_characters, ge=400)
    """Characters of a summary, facts included."""
    model_fold_turns: int = Field(default=DEFAULT_RULES.model_fold_turns, ge=0)
    """Of older turns that wait to be folded, how many a model folds at most; the rules fold those before them."""
    model_titles: bool = True
    """Whether a model, when one is configured, names conversations after their first turn."""
    prompts_dir: DirectoryPath | None = None
    """Folder with prompts (`chat.md`, `tool.md`, `admin_tool.md`, `task.md`, `title.md`) in place of the shipped ones."""
    prompts_check_seconds: float = Field(default=2.0, gt=0)
    """How often that folder is looked at for changes."""
    retention: bool = False
    """Whether conversations that nobody uses are deleted."""
    retention_days: float = Field(default=7, gt=0)
    """After how long, counted from the last message."""
    care_workers: int = Field(default=2, ge=1)
    """Conversations that are summarised or named at the same time."""
    care_lease_seconds: float = Field(default=600, gt=0)
    """How long a conversation belongs to the replica that takes it; longer than a model may take for a summary."""
    care_sweep_seconds: float = Field(default=2, gt=0)
    """How often it is looked for conversations that another replica has left behind."""

    def rules(self) -> Rules:
        """These numbers as the domain takes them."""
        return Rules(
            sliding_turns=self.sliding_turns,
            verbatim_turns=self.verbatim_turns,
            verbatim_characters=self.verbatim_characters,
            rounds=self.window_rounds,
            summarise_beyond_messages=self.summarise_beyond_messages,
            fold_turns=self.fold_turns,
            summary_characters=self.summary_characters,
            model_fold_turns=self.model_fold_turns,
        )
