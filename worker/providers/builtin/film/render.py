"""The built-in generator's clips: a pure function from a request to an MP4."""

from typing import Final

from worker.artifacts import GenerationRequest, GenerationResult
from worker.imaging.pixels import UnreadablePicture, decode_rgba
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes, Palette
from worker.providers.builtin.film.picture_film import PictureFilm, picture_film
from worker.providers.builtin.film.scene_film import SceneFilm, scene_film
from worker.providers.builtin.finish import MANNERS
from worker.providers.builtin.ink import InkBook
from worker.providers.builtin.look import TINTS, Look
from worker.providers.builtin.reading import Reading, read
from worker.providers.builtin.render import MODEL, NAME
from worker.video.encode import encode_clip

_DEFAULT_SECONDS: Final = 3.0
_DEFAULT_FPS: Final = 24
#: A picture is a cut-out figure when at most this share of it has at least so much alpha.
_MOST_SEEN: Final = 0.85
_SEEN_FROM: Final = 128


def render_film(request: GenerationRequest) -> GenerationResult:
    """Make the clip of one request.

    The same (subject, style, params, source picture, seed) give the same bytes. Runs in a process pool: pure,
    picklable, no state. Raises `ValueError` for a source picture that cannot be read.
    """
    reading = read(request.subject, request.style, request.negative_prompt)
    allowed = request.style.palette or reading.tones
    look = Look(
        reading,
        InkBook(Palette(allowed) if allowed else None, TINTS[reading.mood]),
        Chance(reading.text, request.seed),
    )
    params = request.params
    fps = params.fps or _DEFAULT_FPS
    film = _film(request, look)
    clip = encode_clip(film.frames(fps), (params.width, params.height), fps)
    return GenerationResult((), NAME, MODEL, request.seed, None, _details(reading, film), clip)


def _film(request: GenerationRequest, look: Look) -> SceneFilm | PictureFilm:
    params = request.params
    size, seconds = (params.width, params.height), params.duration_seconds or _DEFAULT_SECONDS
    manner = MANNERS[look.reading.art]
    if request.source_image is None:
        return scene_film(look, size, seconds, manner)
    try:
        picture = decode_rgba(request.source_image)
    except UnreadablePicture as error:
        raise ValueError(str(error)) from error
    if _is_cut_out(picture):
        return scene_film(look, size, seconds, manner, picture)
    return picture_film(picture, look, size, seconds)


def _is_cut_out(picture: Bytes) -> bool:
    """Tell whether a picture shows a figure on nothing."""
    seen = picture[..., 3] >= _SEEN_FROM
    return bool(seen.any()) and float(seen.mean()) <= _MOST_SEEN


def _details(reading: Reading, film: SceneFilm | PictureFilm) -> dict[str, object]:
    """Return what was understood of the request."""
    details: dict[str, object] = {"procedural": True, "artStyle": reading.art, "mood": reading.mood}
    if isinstance(film, PictureFilm):
        return {**details, "motion": "parallax of the given picture"}
    return {
        **details,
        "recognised": bool(reading.places) or reading.recognised,
        "place": film.place,
        "subject": "given picture" if film.given else reading.kind if film.actor else None,
    }
