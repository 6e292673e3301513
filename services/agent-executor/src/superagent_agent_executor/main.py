"""Runs the agent-executor service on its own."""

from superagent_agent_executor.build import build
from superagent_agent_executor.settings import Settings
from superagent_common.runtime import run_services
from superagent_common.settings import load

if __name__ == "__main__":
    run_services((build, load(Settings)))
