"""Runs of the product over data: what comes in, what is planned, what is found."""
