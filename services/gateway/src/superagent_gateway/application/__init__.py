"""Use cases of the gateway's own matters: accounts, the org tree, configuration, rate limits."""
