"""Moving in and out: imports from files of other systems, their proof, and exports."""
