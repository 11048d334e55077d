"""Who belongs to groups, in which scope, and who is banned from them."""
