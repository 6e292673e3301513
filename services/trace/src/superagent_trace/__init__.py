"""The trace service: what happened in each turn, with its spans, tokens and cost."""
