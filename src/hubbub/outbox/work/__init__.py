"""Deferred work: queues of rows that are due some time, and the runs that do them under leases.

`queue.py` says what is stored of a queue, `kind.py` what a kind of work supplies, `run.py` what a
run does with one queue, `runs.py` which queues a node works on.
"""
