"""Rules and state of Wonder. Imports none of the other packages."""
