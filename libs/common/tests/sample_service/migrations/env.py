from libs.common.tests.sample_service.tables import metadata
from superagent_common.db.migrations import run

run(metadata)
