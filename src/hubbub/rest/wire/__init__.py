"""Request and response shapes: the interface's own words, and their translation to ours."""
