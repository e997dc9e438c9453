"""One ZIP with all files of an asset, the same bytes for the same files."""

import io
import zipfile
from collections.abc import Iterable
from typing import Final

#: The earliest date that ZIP can hold. No real one, so that the same files give the same archive.
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_MODE: Final = 0o644 << 16
_UNIX: Final = 3
#: Pictures are compressed already.
_STORED: Final = (".png", ".webp", ".jpg", ".gif", ".apng", ".mp4")


def archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a ZIP of (name, content); the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, data in files:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = _UNIX
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            target.writestr(entry, data)
    return buffer.getvalue()
