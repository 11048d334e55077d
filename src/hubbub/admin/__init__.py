"""Admin commands, which also work while a node runs: a data folder has only one writer."""
