"""The lists of words, patterns and sentences that rules refer to."""
