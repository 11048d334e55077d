"""Write what an app has as lines, with the files beside them."""
