"""Who is calling, and what may be seen and done by them: the only door to other people's things."""
