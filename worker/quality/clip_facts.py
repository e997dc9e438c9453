"""What a clip says of itself: size, length, codec."""

from typing import Final

from worker.artifacts import Verdict
from worker.quality.scores import HALF, at_most, clipped
from worker.quality.subject import QualitySubject
from worker.video.read import ClipFacts

#: What every browser and engine plays.
_CODEC: Final = "h264"
_PIXEL_FORMAT: Final = "yuv420p"
#: How far the shape may be from the one asked for, as a share.
_SHAPE: Final = 0.03
#: How much shorter, and how much longer, than asked a clip may be, as shares. Longer ones can be cut.
_SHORTER: Final = 0.1
_LONGER: Final = 1.0


def check_clip_size(subject: QualitySubject, facts: ClipFacts) -> Verdict:
    """Score 1 for the size asked for; else the shape counts, if the clip is not smaller: services have few sizes."""
    wanted = (subject.params.width, subject.params.height)
    has = f"The clip has {facts.width} x {facts.height} pixels"
    if (facts.width, facts.height) == wanted:
        return Verdict("size", 1.0, HALF, f"{has}, as asked.")
    asked = f"{wanted[0]} x {wanted[1]}"
    if facts.width < wanted[0] or facts.height < wanted[1]:
        share = min(facts.width / wanted[0], facts.height / wanted[1])
        return Verdict("size", clipped(share * HALF * 0.99), HALF, f"{has}, fewer than {asked}. Make it larger.")
    apart = abs(facts.width / facts.height / (wanted[0] / wanted[1]) - 1)
    score = at_most(apart, _SHAPE)
    if score >= HALF:
        return Verdict("size", score, HALF, f"{has}, which has the shape of {asked}.")
    return Verdict("size", score, HALF, f"{has}, another shape than {asked}. Make it exactly {asked}.")


def check_clip_duration(subject: QualitySubject, seconds: float) -> Verdict:
    """Score the length: a tenth too short is the limit, or twice as long."""
    wanted = subject.params.duration_seconds or seconds
    apart = seconds / wanted - 1
    score = at_most(-apart, _SHORTER) if apart < 0 else at_most(apart, _LONGER)
    lasts = f"The clip lasts {seconds:.2f} s"
    if score >= HALF:
        return Verdict("clip_duration", score, HALF, f"{lasts}; {wanted:g} s were asked for.")
    return Verdict("clip_duration", score, HALF, f"{lasts} instead of {wanted:g} s. Make it {wanted:g} s long.")


def check_clip_codec(facts: ClipFacts) -> Verdict:
    """Tell whether the clip is H.264 with colours at a quarter of the size, which every player takes."""
    fits = (facts.codec, facts.pixel_format) == (_CODEC, _PIXEL_FORMAT)
    found = f"{facts.codec} ({facts.pixel_format})"
    reason = f"The clip is {found}." if fits else f"The clip is {found}; players need {_CODEC} ({_PIXEL_FORMAT})."
    return Verdict("clip_codec", 1.0 if fits else 0.0, 1.0, reason)
