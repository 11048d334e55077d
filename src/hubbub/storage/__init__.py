"""The engine: transactions, batches, named SQL. It knows no table but its own version record."""
