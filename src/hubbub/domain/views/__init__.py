"""Views: stored records with everything that a reader is shown with them."""
