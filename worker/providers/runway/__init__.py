"""Runway: Gen-4.5 and the models that it hosts film."""
