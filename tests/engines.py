"""Tests that need not run on each engine."""

import pytest

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""Run a test on one engine: what it checks is decided before the database is asked."""
