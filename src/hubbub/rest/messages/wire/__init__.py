"""Wire shapes of messages, threads, reactions, pins, receipts and interactions."""
