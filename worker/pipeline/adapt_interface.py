"""From the picture of an interface's part to its files: it is found out how it stretches, and engines are told."""

from domain.kinds import AssetType, AtlasFormat
from worker.artifacts import OutputFile
from worker.exporters.godot import style_box
from worker.exporters.naming import Names
from worker.exporters.packing import Rect
from worker.exporters.sheet import Frame, Page, Sheet
from worker.imaging.indexed import Pixels
from worker.imaging.nine_slice import NineSlice, find_nine_slice, read_nine_slice
from worker.pipeline.adapt_job import AdaptJob, atlas_files
from worker.pipeline.adapt_sheet import write_sidecars


def slices_of(job: AdaptJob, pixels: Pixels) -> NineSlice | None:
    """Return how a UI stretches: as its provider says if it can be so, else as the picture shows it."""
    if job.asset_type is not AssetType.UI:
        return None
    height, width = pixels.shape[:2]
    said = read_nine_slice(job.details.get("nineSlice"), width, height)
    return said or find_nine_slice(pixels)


def interface_files(job: AdaptJob, names: Names, image: OutputFile, slices: NineSlice | None) -> list[OutputFile]:
    """Return the sidecars of every format asked for; a UI is a sheet of one frame, called like its file."""
    width, height = image.width or 0, image.height or 0
    frame = Frame(names.stem, 0, Rect(0, 0, width, height), (width, height), slices=slices)
    page = Page(image.name, width, height)
    sheet = Sheet(names.stem, (page,), (frame,), (), job.pivot, job.task_id, job.app)
    written = [
        (atlas_format, sidecar)
        for atlas_format in job.params.atlas_formats
        for sidecar in (style_box(sheet) if atlas_format is AtlasFormat.GODOT else write_sidecars(sheet, atlas_format))
    ]
    return atlas_files(written)
