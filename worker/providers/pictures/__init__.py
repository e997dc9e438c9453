"""Game assets from services that paint one picture at a time: what to ask for, and what to make of what comes."""
