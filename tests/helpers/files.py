"""Files of requests."""

import io

from PIL import Image


class RequestFile:
    """A file of a request, as the web framework hands it over."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self.filename = "../../etc/passwd"

    async def read(self, size: int = -1) -> bytes:
        return self._data.read(size)

    async def seek(self, offset: int) -> None:
        self._data.seek(offset)


def red_png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA", (20, 10), "red").save(buffer, "PNG")
    return buffer.getvalue()
