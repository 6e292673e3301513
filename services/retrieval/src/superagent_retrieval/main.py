"""Runs the retrieval service on its own."""

from superagent_common.runtime import run_services
from superagent_common.settings import load
from superagent_retrieval.build import build
from superagent_retrieval.settings import Settings

if __name__ == "__main__":
    run_services((build, load(Settings)))
