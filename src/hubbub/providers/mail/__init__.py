"""Mail: SendGrid, and mail servers, for which the mail is written here."""
