"""Records of receipts."""
