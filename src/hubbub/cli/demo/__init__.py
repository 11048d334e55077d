"""The content of the demo app, made when the demo chat is opened for the first time."""
