"""Google Gemini's image models."""
