"""Clips: encoding, reading, describing. The only place that knows PyAV."""
