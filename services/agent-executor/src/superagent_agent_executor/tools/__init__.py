"""The tools that ship: each is a `Tool` of ports.py."""
