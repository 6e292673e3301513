"""Runs the memory service on its own."""

from superagent_common.runtime import run_services
from superagent_common.settings import load
from superagent_memory.build import build
from superagent_memory.settings import Settings

if __name__ == "__main__":
    run_services((build, load(Settings)))
