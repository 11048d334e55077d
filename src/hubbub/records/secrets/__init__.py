"""The sealed values of all areas, for a change of the master key."""
