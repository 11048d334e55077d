"""Search in the text of messages: the index, its consumer, and the search itself."""
