"""The settings of an app: the defaults that its operator may change."""
