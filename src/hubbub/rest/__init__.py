"""HTTP in: requests become calls of the domain, its results become answers. No rules here."""
