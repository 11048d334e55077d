"""The storage engines: transactions, batches, named SQL. They know no table of the product."""
