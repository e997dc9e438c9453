"""Pictures of what jobs have made so far: read, reduced and kept for who watches the task."""

import logging
from collections import OrderedDict
from typing import Final

from domain.models.jobs import ExternalJob
from domain.tasks.jobs import job_previewed
from worker.imaging.pixels import UnreadablePicture, decode_rgba
from worker.imaging.thumbnail import thumbnail
from worker.process_pool import PictureWorkLost, ProcessPool

_log = logging.getLogger(__name__)
#: A preview with more pixels is refused: it is none, and reading it would take long.
_MAX_PIXELS: Final = 4096 * 4096
#: Jobs whose last preview is remembered, so that it is not reduced again.
_REMEMBERED: Final = 1000


def reduced(data: bytes) -> bytes:
    """Return a picture as a WebP of at most 256 pixels a side, with nothing else in it; raises `UnreadablePicture`."""
    return thumbnail(decode_rgba(data, _MAX_PIXELS))[0]


class Previews:
    """Keeps the last one of each job that is at work."""

    def __init__(self, pool: ProcessPool) -> None:
        """Reduce pictures in the pool."""
        self._pool = pool
        self._last: OrderedDict[str, int] = OrderedDict()

    async def keep(self, job: ExternalJob, data: bytes) -> None:
        """Keep a picture as a service sent it. What cannot be read is left out: no preview ever fails a task."""
        digest = hash(data)
        if self._last.get(job.id) == digest:
            return
        self._last[job.id] = digest
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        try:
            small = await self._pool.run(reduced, data)
        except (UnreadablePicture, PictureWorkLost) as error:
            _log.info("task %s: a preview could not be read: %s", job.task_id, type(error).__name__)
            return
        await job_previewed(job, small)
