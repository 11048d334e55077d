"""Operations of conversations."""
