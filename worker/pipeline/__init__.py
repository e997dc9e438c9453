"""The stages of a task as a small explicit graph with one branch."""
