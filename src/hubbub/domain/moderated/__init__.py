"""What is done about messages: flags, decisions of rules, reviews."""
