"""The settings of an app: what its operator may decide otherwise."""
