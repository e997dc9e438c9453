"""Services that are set up alike, by the names of their types."""

from collections.abc import Mapping
from typing import Final

from domain.clock import Clock
from domain.provider_settings import ProviderEntry
from worker.callbacks.reader import CallbackReader, StatusReader
from worker.providers.ark import seedance, seedream
from worker.providers.ark.judge import judge_ark
from worker.providers.bfl.kinds import BFL_KINDS
from worker.providers.clips.work import clip_capabilities
from worker.providers.dashscope import clips as wan_clips
from worker.providers.dashscope import pictures as wan_pictures
from worker.providers.dashscope import tasks as dashscope
from worker.providers.fal.kinds import FAL_KINDS
from worker.providers.hosting import HostedKind, Key, Parts, plain_key
from worker.providers.kling import clips as kling
from worker.providers.kling.key import KlingKey
from worker.providers.luma.kinds import LUMA_KINDS
from worker.providers.minimax import hailuo
from worker.providers.minimax.h3 import H3, is_h3
from worker.providers.minimax.judge import judge_minimax
from worker.providers.options import read_options
from worker.providers.pictures.provider import PictureProvider
from worker.providers.registry import AnyProvider
from worker.providers.replicate.kinds import REPLICATE_KINDS
from worker.providers.runway.kinds import RUNWAY_KINDS


def _seedream(parts: Parts) -> AnyProvider:
    entry, options = parts.entry, read_options(parts.entry, seedream.SeedreamOptions)
    model = entry.model or seedream.DEFAULT_MODEL
    painter = seedream.SeedreamPainter(parts.client, parts.downloader, model, options)
    return PictureProvider(parts.work(model, painter.traits), painter, parts.asset_types)


def _seedance(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, seedance.SeedanceOptions)
    model = parts.entry.model or seedance.DEFAULT_MODEL
    service = seedance.Seedance(parts.client, model, options, parts.callback_url)
    return parts.films(service, model, seedance.seedance_capabilities(model), options.check_seconds)


def _wan_image(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, wan_pictures.WanImageOptions)
    model = parts.entry.model or wan_pictures.DEFAULT_MODEL
    traits = wan_pictures.wan_traits(model, options)
    can = wan_pictures.wan_capabilities(model, traits, parts.asset_types)
    service = wan_pictures.WanImages(parts.client, model, options)
    return parts.paints(service, parts.work(model, traits), can, options.check_seconds)


def _wan_video(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, wan_clips.WanVideoOptions)
    model = parts.entry.model or wan_clips.DEFAULT_MODEL
    service = wan_clips.WanVideos(parts.client, model, options)
    return parts.films(service, model, wan_clips.wan_video_capabilities(model), options.check_seconds)


def _kling(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, kling.KlingOptions)
    model = parts.entry.model or kling.DEFAULT_MODEL
    service = kling.Kling(parts.client, model, options, parts.callback_url)
    return parts.films(service, model, clip_capabilities(), options.check_seconds)


def _kling_key(entry: ProviderEntry, clock: Clock) -> Key:
    return KlingKey(entry.key.get_secret_value(), entry.secret.get_secret_value(), clock)


def _minimax(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, hailuo.MiniMaxOptions)
    model = parts.entry.model or hailuo.DEFAULT_MODEL
    service = H3(parts.client, model, options) if is_h3(model) else hailuo.Hailuo(parts.client, model, options)
    return parts.films(service, model, hailuo.minimax_capabilities(model), options.check_seconds)


def _seedance_reader(parts: Parts) -> CallbackReader | None:
    wanted = read_options(parts.entry, seedance.SeedanceOptions).callbacks
    return StatusReader("status", frozenset({"queued", "running"})) if wanted else None


def _kling_reader(parts: Parts) -> CallbackReader | None:
    wanted = read_options(parts.entry, kling.KlingOptions).callbacks
    return StatusReader("task_status", frozenset({"submitted", "processing"})) if wanted else None


HOSTED: Final[Mapping[str, HostedKind]] = {
    "seedream": HostedKind(seedream.DEFAULT_URL, plain_key(judge_ark), _seedream, seedream.PROBE),
    "seedance": HostedKind(seedream.DEFAULT_URL, plain_key(judge_ark), _seedance, seedream.PROBE, _seedance_reader),
    "wan-image": HostedKind(dashscope.DEFAULT_URL, plain_key(dashscope.judge_dashscope), _wan_image, dashscope.PROBE),
    "wan-video": HostedKind(dashscope.DEFAULT_URL, plain_key(dashscope.judge_dashscope), _wan_video, dashscope.PROBE),
    "kling": HostedKind(kling.DEFAULT_URL, _kling_key, _kling, kling.PROBE, _kling_reader),
    "minimax": HostedKind(hailuo.DEFAULT_URL, plain_key(judge_minimax), _minimax, hailuo.PROBE),
    **REPLICATE_KINDS,
    **FAL_KINDS,
    **BFL_KINDS,
    **LUMA_KINDS,
    **RUNWAY_KINDS,
}
