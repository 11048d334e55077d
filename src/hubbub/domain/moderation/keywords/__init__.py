"""Create, change, find and delete the lists that rules refer to."""
