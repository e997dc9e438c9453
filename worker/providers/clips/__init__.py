"""Clips from services that film one at a time: what to ask for, and what to make of what comes."""
