"""Questions and what their plans must say, in two languages: for the rules in `make test`, for a model in `make eval-plans`."""
