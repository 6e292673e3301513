"""What the thread that polls does when the library fails in a way that nobody foresaw."""

from __future__ import annotations

import asyncio
import threading

from superagent_common.bus import KafkaSettings, KafkaSource


class FailingOnce(KafkaSource):
    """Fails the first time that it consumes; the second time it says so and waits for the end."""

    def __init__(self) -> None:
        super().__init__(KafkaSettings("127.0.0.1:9", "test"), "group")
        self.tries = 0
        self.again = threading.Event()

    def _consume(self, topics, receive, revoke):
        self.tries += 1
        if self.tries == 1:
            raise TimeoutError("the broker does not answer")
        self.again.set()
        self._stop.wait()


async def test_a_consumer_that_failed_consumes_again() -> None:
    source = FailingOnce()
    source.start(["topic"], lambda deliveries: None, lambda partitions: None)
    assert await asyncio.to_thread(source.again.wait, 30)
    await source.close()
    assert source.tries == 2
