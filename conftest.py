"""What holds for every test of the repository."""

pytest_plugins = [
    "tests.real.marker",
    "tests.support.model_fixtures",
    "tests.support.no_outside_network",
    "tests.support.valkey_fixture",
]
