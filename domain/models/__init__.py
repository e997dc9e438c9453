"""The rows. Each file holds the tables of one noun; `domain.db` registers them all."""
