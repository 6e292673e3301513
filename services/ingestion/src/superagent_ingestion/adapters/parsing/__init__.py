"""Files → parsed documents, in a process that can be killed. `process` is the way in; `child` runs on the other side.

Imports nothing here: the child pays for every module in memory.
"""
