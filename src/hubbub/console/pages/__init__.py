"""The pages of the console: one module for each area; all of them are found."""
