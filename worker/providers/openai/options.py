"""What can be set of an OpenAI provider beyond what every provider has."""

import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from worker.providers.pictures.size import FixedSizes, FreeSizes, Sizes

OFFICIAL_URL: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "gpt-image-2.5-flare"
_FIXED: Final = FixedSizes(((1024, 1024), (1536, 1024), (1024, 1536)))
#: gpt-image-2 and later take any size; the ones before a list.
_FREE_MODELS: Final = re.compile(r"(chatgpt-image-latest|gpt-image-2)")


class OpenAIOptions(BaseModel):
    """`[provider.options]` of the type `openai`. What is left out follows from whether the server is OpenAI's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Sizes that the model takes, such as ["1024x1024"]; empty: any within limits.
    sizes: tuple[Annotated[str, StringConstraints(pattern=r"^[1-9]\d{1,4}x[1-9]\d{1,4}$")], ...] = ()
    #: Of free sizes: what sides are multiples of, and the pixels at which the model paints best.
    size_multiple: int = Field(default=16, ge=1, le=256)
    best_pixels: int = Field(default=1024 * 1024, ge=64 * 64, le=2560 * 1440)
    quality: str | None = Field(default=None, max_length=32)
    moderation: Literal["auto", "low"] | None = None
    #: Whether the model leaves the background out when asked.
    transparency: bool | None = None
    #: Whether the server takes `seed`.
    seeds: bool = False
    #: Whether the server takes `negative_prompt`; otherwise it is written into the prompt.
    negative_prompt: bool = False
    #: Whether the server has /images/edits, and how many pictures it looks at in all.
    edits: bool = True
    max_pictures: int | None = Field(default=None, ge=1, le=16)
    #: Sent as it is; OpenAI's own models refuse it, many servers need it.
    response_format: Literal["b64_json", "url"] | None = None
    #: Further fields of every request, as the server wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)

    def resolved_sizes(self, model: str, *, official: bool) -> Sizes:
        """Return the sizes of a model."""
        if self.sizes:
            pairs = [size.split("x") for size in self.sizes]
            return FixedSizes(tuple((int(width), int(height)) for width, height in pairs))
        if official and not _FREE_MODELS.match(model):
            return _FIXED
        return FreeSizes(multiple=self.size_multiple, best_pixels=self.best_pixels)
