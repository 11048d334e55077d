"""Operations of the data import."""
