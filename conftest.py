"""What holds for every test of the repository."""

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.real.marker",
    "tests.support.model_fixtures",
    "tests.support.no_outside_network",
    "tests.support.valkey_fixture",
]

# That an example takes long says something of the machine.
settings.register_profile("patient", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow]))
settings.load_profile("patient")
