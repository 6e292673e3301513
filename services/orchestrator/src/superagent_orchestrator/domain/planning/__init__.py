"""Planning a turn: rewrite, ask back, split, route, narrow. `plan_by_rules` is the planner without a model."""
