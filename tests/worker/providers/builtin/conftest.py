"""Requests to the built-in generator, and their pictures as pixels."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from domain.kinds import AssetType, task_kind
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult

Pixels = NDArray[np.uint8]


@pytest.fixture(scope="session")
def ask() -> Callable[..., GenerationRequest]:
    """Make a request: asset type, subject, and by name seed, style, source or any parameter."""

    def make(
        asset_type: str,
        subject: str,
        *,
        seed: int = 7,
        style: Style | None = None,
        source: bytes | None = None,
        **params: Any,
    ) -> GenerationRequest:
        kind = AssetType(asset_type)
        return GenerationRequest(
            task_id="tsk_1",
            asset_type=kind,
            kind=task_kind(kind, has_source_image=source is not None),
            subject=subject,
            prompt=subject,
            negative_prompt="",
            style=style or Style(),
            params=resolve_params(kind, ParamsRequest(**params)),
            seed=seed,
            source_image=source,
        )

    return make


@pytest.fixture(scope="session")
def pixels() -> Callable[[GenerationResult], list[Pixels]]:
    """Decode the pictures of a result, each (height, width, 4)."""

    def decode(result: GenerationResult) -> list[Pixels]:
        arrays = [np.array(Image.open(io.BytesIO(picture.data)).convert("RGBA")) for picture in result.pictures]
        assert all(a.shape[:2] == (p.height, p.width) for a, p in zip(arrays, result.pictures, strict=True))
        return arrays

    return decode
