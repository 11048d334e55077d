"""Access checks: who calls, and what they may see and do. Nothing is reached without them."""
