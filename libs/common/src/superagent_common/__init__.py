"""What all services share: errors, identity, rpc, bus, database, telemetry, models and the runtime."""
