"""The memory service: conversations, and what of them a turn may see."""
