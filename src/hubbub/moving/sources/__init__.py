"""What people come from: one module for each system, behind `interface.py`."""
