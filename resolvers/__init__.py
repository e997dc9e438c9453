"""Answers: each resolver guards, calls one function of the domain and converts what it returns."""
