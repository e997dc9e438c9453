"""What models take, as their schemas say, and how it is filled in from what is asked for."""
