"""OpenAI Images, and every server that speaks its dialect."""
