"""How the keyword index reaches its server."""

from __future__ import annotations

from opensearchpy import AsyncOpenSearch
from pydantic import SecretStr

from superagent_common.errors import Unavailable
from superagent_common.logging import Logger
from superagent_retrieval.adapters.opensearch_index import OpenSearchKeywordIndex
from superagent_retrieval.ports import KeywordIndex

# A search is left behind earlier, by its channel; removing a large document may take a while.
_ANSWER_SECONDS = 60
# Another analysis or other fields make another index, which documents must be written to anew.
_VERSION = 1


def opensearch_client(url: str, user: str, password: SecretStr | None) -> AsyncOpenSearch:
    """url: `http://host:9200`, or `https://`: SSL_CERT_FILE names the authority when it is one of one's own."""
    return AsyncOpenSearch(
        [url],
        http_auth=(user, password.get_secret_value()) if user and password else None,
        timeout=_ANSWER_SECONDS,
        # A connection that broke is tried once more; what takes longer is left to the index's own patience.
        max_retries=1,
        retry_on_status=(),
    )


async def open_keyword_index(client: AsyncOpenSearch, prefix: str, log: Logger) -> KeywordIndex:
    """The index `<prefix>-passages-<version>`; one whose server does not answer yet is made when it does.

    Raises Unavailable when the server refuses, ValueError when the index has other fields.
    """
    index = OpenSearchKeywordIndex(client, f"{prefix}-passages-{_VERSION}")
    try:
        await index.prepare()
    except Unavailable as error:
        if error.reason != "keyword_index_down":
            await client.close()
            raise
        # Searches answer from vectors meanwhile.
        log.warning("keyword_index_not_ready", reason=error.reason, message=error.message)
    return index
