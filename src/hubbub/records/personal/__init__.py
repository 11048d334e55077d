"""What is stored about one person, over the tables of all areas."""
