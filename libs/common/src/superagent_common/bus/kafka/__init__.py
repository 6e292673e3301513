"""The bus's log on Kafka, through confluent-kafka (librdkafka)."""

from superagent_common.bus.kafka.client import KafkaSettings
from superagent_common.bus.kafka.publisher import KafkaPublisher
from superagent_common.bus.kafka.source import KafkaSource

__all__ = ["KafkaPublisher", "KafkaSettings", "KafkaSource"]
