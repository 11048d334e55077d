"""What makes an interactive message right: its elements, their actions and what is around them.

Pure rules: a message is looked at, nothing is stored, nothing is changed.
"""
