"""The files of messages: upload, send, find and remove them."""
