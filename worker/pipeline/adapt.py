"""The pure part of the format adapter, run in the process pool: from a variation's pictures to its files."""

from collections.abc import Mapping, Sequence

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from worker.artifacts import OutputFile
from worker.exporters.archive import archive
from worker.exporters.naming import Names
from worker.exporters.readme import Contents, Motion, readme
from worker.imaging.encode import FILE_KINDS
from worker.imaging.pixels import decode_rgba
from worker.imaging.thumbnail import EXTENSION, MEDIA_TYPE, needs_thumbnail, thumbnail
from worker.pipeline.adapt_clip import adapt_clip
from worker.pipeline.adapt_interface import interface_files, slices_of
from worker.pipeline.adapt_job import AdaptJob, limit_colors
from worker.pipeline.adapt_sheet import adapt_sheet
from worker.pipeline.adapt_tileset import adapt_tileset

__all__ = ["AdaptJob", "adapt"]

_README = "README.txt"
#: Files that lists show.
_PICTURED = frozenset({"image", "spritesheet", "tileset", "poster"})


def adapt(job: AdaptJob) -> tuple[OutputFile, ...]:
    """Quantize, pack, encode and describe one variation; the same job gives the same bytes.

    The first file is the asset itself; when there are others, the last is a ZIP of all with a README. Large pictures
    have a thumbnail, which is not in there. Raises `SheetTooSmall` when maxSheetSize cannot hold the frames,
    `UnreadablePicture` and `UnreadableClip` when what came is not one, and `ValueError` when nothing came.
    """
    if not job.pictures and job.clip is None:
        raise ValueError("There is no picture to adapt.")
    names = Names(job.subject, job.asset_type, job.variation, job.variations)
    files = _files(job, names)
    # A clip and its previews are of use one by one.
    together = len(files) > 1 and (job.asset_type is not AssetType.VIDEO or bool(job.params.atlas_formats))
    small = _thumbnails(files, names)
    return (*files, *small, _archive(names, files)) if together else (*files, *small)


def _files(job: AdaptJob, names: Names) -> tuple[OutputFile, ...]:
    match job.asset_type:
        case AssetType.SPRITESHEET:
            return adapt_sheet(job, names)
        case AssetType.TILESET:
            return adapt_tileset(job, names)
        case AssetType.SPRITE | AssetType.ICON | AssetType.BACKGROUND | AssetType.PORTRAIT | AssetType.UI:
            return _plain(job, names)
        case AssetType.VIDEO:
            return adapt_clip(job, names)


def _plain(job: AdaptJob, names: Names) -> tuple[OutputFile, ...]:
    image_format = job.params.format or ImageFormat.PNG
    whole = decode_rgba(job.pictures[0].data)
    slices = slices_of(job, whole)  # before colors are dithered
    (pixels,) = limit_colors(job, [whole], keep_transparent=False)
    metadata: dict[str, object] = {"pivot": {"x": job.pivot[0], "y": job.pivot[1]}}
    if slices:
        metadata["nineSlice"] = slices.to_json()
    name = names.take(names.stem, FILE_KINDS[image_format].extension)
    image = job.image(name, "image", pixels, image_format, metadata)
    return (image, *interface_files(job, names, image, slices))


def _thumbnails(files: Sequence[OutputFile], names: Names) -> list[OutputFile]:
    """Return a small picture of each large one; a clip shares the one of its poster."""
    made = []
    for file in files:
        if file.role not in _PICTURED or not needs_thumbnail(file.width or 0, file.height or 0):
            continue
        data, width, height = thumbnail(decode_rgba(file.data))
        shown = [other.name for other in files if other is file or (file.role == "poster" and other.role == "video")]
        name = names.take(f"{file.name.rpartition('.')[0]}-thumbnail", EXTENSION)
        made.append(OutputFile(name, "thumbnail", MEDIA_TYPE, data, width, height, {"of": shown}))
    return made


def _archive(names: Names, files: tuple[OutputFile, ...]) -> OutputFile:
    images = [file for file in files if file.role in ("spritesheet", "tileset", "image")]
    text = readme(
        Contents(
            title=names.stem,
            images=[file.name for file in images],
            atlases=[(AtlasFormat(str(file.metadata["format"])), file.name) for file in files if file.role == "atlas"],
            previews=[file.name for file in files if file.role == "preview"],
            motions=_motions(images[0].metadata),
            part=names.stem if images[0].role == "image" else "",
            tile="tile_0" if images[0].role == "tileset" else "",
        )
    )
    content = [(file.name, file.data) for file in files]
    data = archive([*content, (_README, text.encode())])
    metadata = {"files": [*(file.name for file in files), _README]}
    return OutputFile(names.take(names.stem, ".zip"), "archive", "application/zip", data, metadata=metadata)


def _motions(metadata: Mapping[str, object]) -> list[Motion]:
    """Return a sheet's animations, as its metadata tells of them."""
    animations = metadata.get("animations")
    return [
        Motion(told["name"], tuple(told["playback"]), told["fps"], loop=told["loop"])
        for told in (animations if isinstance(animations, list) else [])
    ]
