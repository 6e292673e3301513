"""Plans, evidence, citations and the answers that need no model."""
