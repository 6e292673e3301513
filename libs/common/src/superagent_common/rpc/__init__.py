"""gRPC: servers that verify and trace each call themselves, and channels that carry identity, deadline and trace."""

from superagent_common.rpc.channel import Channel
from superagent_common.rpc.server import Access, serve
from superagent_common.rpc.status import error_from_rpc, unimplemented

__all__ = ["Access", "Channel", "error_from_rpc", "serve", "unimplemented"]
