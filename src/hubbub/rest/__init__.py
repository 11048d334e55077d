"""The declared operations of the interface and their wire shapes, grouped as the interface is."""
