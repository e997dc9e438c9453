"""What providers tell of their jobs by themselves: verified, believed in nothing, and taken as a reason to ask."""
