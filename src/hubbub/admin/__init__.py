"""Commands beside a running node: one writer per data folder, whoever gives the command."""
