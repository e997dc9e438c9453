"""What the format adapter is given, and what its parts share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.params import Params
from domain.styles import Style
from worker.artifacts import OutputFile, Picture, Provenance
from worker.exporters.packing import Rules
from worker.exporters.sheet import Sidecar
from worker.imaging.encode import FILE_KINDS, encode_still, held_pixels
from worker.imaging.indexed import Pixels, describe_colors
from worker.imaging.outline import outline_color, outlined
from worker.imaging.provenance import SOFTWARE
from worker.imaging.quantize import quantize_together

_MAX_COLORS = 256


@dataclass(frozen=True, slots=True)
class AdaptJob:
    """One variation's pictures and how they are wanted. Plain and picklable: it crosses into the process pool.

    It holds no time and no random id, so the same job gives the same files byte for byte.
    """

    task_id: str
    #: The user's own words; file names are made from them.
    subject: str
    asset_type: AssetType
    params: Params
    style: Style
    pictures: tuple[Picture, ...]
    provenance: Provenance
    #: What the provider said: `nineSlice` of a UI, `tiles` and `terrains` of a tileset.
    details: Mapping[str, object] = field(default_factory=dict)
    #: Which of the variations this is, from 0, and how many the task has.
    variation: int = 0
    variations: int = 1
    #: The clip of a VIDEO, which has no pictures.
    clip: bytes | None = None

    @property
    def embedded(self) -> Provenance | None:
        """Return the provenance to write into files, or None when there is to be no trace."""
        return self.provenance if self.params.embed_metadata else None

    @property
    def app(self) -> str:
        """Return what sidecars say of the program that wrote them: nothing when there is to be no trace."""
        return SOFTWARE if self.params.embed_metadata else ""

    @property
    def pivot(self) -> tuple[float, float]:
        """Return the pivot, in shares of the untrimmed picture from its top left."""
        x, y = self.params.pivot_x, self.params.pivot_y
        return 0.5 if x is None else x, 0.5 if y is None else y

    @property
    def limits_colors(self) -> bool:
        """Tell whether the pictures are to be quantized."""
        return self.params.palette_size is not None or bool(self.style.palette)

    @property
    def rules(self) -> Rules:
        """Return how frames are packed."""
        params = self.params
        return Rules(
            padding=params.padding or 0,
            extrude=params.extrude or 0,
            power_of_two=bool(params.power_of_two),
            max_size=params.max_sheet_size or Rules().max_size,
        )

    @property
    def sheet_format(self) -> ImageFormat:
        """Return the format of sheets and tilesets: WEBP and JPEG as asked, else PNG.

        GIF and APNG are formats of animations, which a sheet's previews take up; a sheet itself is a still picture
        that needs translucency and all its colours.
        """
        wanted = self.params.format
        return wanted if wanted in (ImageFormat.WEBP, ImageFormat.JPEG) else ImageFormat.PNG

    def image(
        self, name: str, role: str, pixels: Pixels, image_format: ImageFormat, metadata: Mapping[str, object]
    ) -> OutputFile:
        """Encode a still picture and describe it. JPEG's colours are not exact, so none are listed for it."""
        pixels = held_pixels(pixels, image_format)
        data = encode_still(pixels, image_format, self.embedded, indexed=self.limits_colors)
        height, width = pixels.shape[:2]
        colors = {} if image_format is ImageFormat.JPEG else describe_colors(pixels)
        media_type = FILE_KINDS[image_format].media_type
        variation = {"variation": self.variation + 1} if self.variations > 1 else {}
        return OutputFile(name, role, media_type, data, width, height, {**metadata, **colors, **variation})


def limit_colors(job: AdaptJob, pictures: Sequence[Pixels], *, keep_transparent: bool) -> list[Pixels]:
    """Outline pictures when asked, and quantize them together, so that all share one palette, when a limit is set.

    `keep_transparent` reserves one of the colours for transparency, which the gaps of a sheet need.
    """
    pictures = _with_outline(job, pictures)
    if not job.limits_colors:
        return list(pictures)
    return quantize_together(
        pictures,
        job.params.palette_size or _MAX_COLORS,
        job.style.palette,
        dither=job.params.dither or 0,
        keep_transparent=keep_transparent,
    )


def _with_outline(job: AdaptJob, pictures: Sequence[Pixels]) -> Sequence[Pixels]:
    """Return the pictures with the outline that is asked for, of one colour for all; it counts among the colours."""
    params = job.params
    if not params.outline:
        return pictures
    if params.outline_color is None:
        color = outline_color(pictures, job.style.palette)
    else:
        red, green, blue = bytes.fromhex(params.outline_color[1:7])
        color = red, green, blue
    return [outlined(picture, params.outline, color, corners=bool(params.outline_corners)) for picture in pictures]


def atlas_files(written: Sequence[tuple[AtlasFormat, Sidecar]]) -> list[OutputFile]:
    """Return sidecars as files to store."""
    return [
        OutputFile(
            sidecar.name,
            "atlas",
            sidecar.media_type,
            sidecar.data,
            metadata={"format": str(atlas_format), "images": list(sidecar.images)},
        )
        for atlas_format, sidecar in written
    ]
