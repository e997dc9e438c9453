"""Pictures on their way to a service, within a request."""

import base64


def data_url(png: bytes) -> str:
    """Return a PNG as a `data:` URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
