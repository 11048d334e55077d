"""Operations of the log of events."""
