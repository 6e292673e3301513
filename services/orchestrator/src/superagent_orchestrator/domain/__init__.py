"""What the orchestrator decides, without network, clock or storage: the plan, the planning rules, a turn's states."""
