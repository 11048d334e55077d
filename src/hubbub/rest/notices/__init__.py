"""Operations that say what notifications would be sent."""
