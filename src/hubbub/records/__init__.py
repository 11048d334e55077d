"""What is stored: a folder per area with its model, events, tables and queries; no rules."""
