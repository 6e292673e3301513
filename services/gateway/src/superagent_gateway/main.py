"""Runs the gateway on its own."""

from superagent_common.runtime import run_services
from superagent_common.settings import load
from superagent_gateway.build import build
from superagent_gateway.settings import Settings

if __name__ == "__main__":
    run_services((build, load(Settings)))
