"""Input of projects."""

import strawberry

from domain.styles import StyleChange
from schema.declare import described, given, input_object, optional
from schema.scalars import Color


@input_object
class ProjectStyleInput:
    """What makes a project's assets look like one game; what is left out or null stays as it is."""

    art_style: str | None = optional('Such as "16-bit pixel art"; at most 500 characters.')
    palette: list[Color] | None = optional("At most 256 colors; empty: free.")
    perspective: str | None = optional('Such as "side view" or "top-down".')
    mood: str | None = optional('Such as "gloomy".')
    negative_prompt: str | None = optional("What must not be in any picture.")
    reference_image_ids: list[strawberry.ID] | None = optional("At most 8 uploaded images of the project.")

    def change(self) -> StyleChange:
        """Return the change of style that is asked for."""
        palette, images = given(self.palette), given(self.reference_image_ids)
        return StyleChange(
            art_style=given(self.art_style),
            palette=None if palette is None else tuple(palette),
            perspective=given(self.perspective),
            mood=given(self.mood),
            negative_prompt=given(self.negative_prompt),
            reference_image_ids=None if images is None else tuple(images),
        )


def change_of(style: ProjectStyleInput | None) -> StyleChange | None:
    """Return the change of style in a request, if there is one."""
    style = given(style)
    return None if style is None else style.change()


@input_object
class CreateProjectInput:
    """A new project."""

    name: str = described("1 to 200 characters.")
    description: str | None = optional("What it is about; at most 4,000 characters.")
    style: ProjectStyleInput | None = optional("What makes its assets look like one game.")


@input_object
class UpdateProjectInput:
    """A change of a project; what is left out or null stays as it is."""

    id: strawberry.ID = described("Which project.")
    name: str | None = optional("1 to 200 characters.")
    description: str | None = optional("What it is about; at most 4,000 characters.")
    style: ProjectStyleInput | None = optional("What makes its assets look like one game.")
