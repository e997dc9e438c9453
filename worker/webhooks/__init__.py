"""Sending webhooks, by the Standard Webhooks specification."""
