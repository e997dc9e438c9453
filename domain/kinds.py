"""The closed vocabularies of the product: what can be made, in which formats, by whom."""

from enum import StrEnum


class Role(StrEnum):
    """What a user may do."""

    USER = "USER"
    ADMIN = "ADMIN"


class ApiKeyScope(StrEnum):
    """What an API key may be used for; every one may read."""

    READ = "READ"
    GENERATE = "GENERATE"
    ADMIN = "ADMIN"


class AssetType(StrEnum):
    """What kind of game asset is asked for."""

    SPRITE = "SPRITE"
    SPRITESHEET = "SPRITESHEET"
    TILESET = "TILESET"
    ICON = "ICON"
    BACKGROUND = "BACKGROUND"
    PORTRAIT = "PORTRAIT"
    UI = "UI"
    VIDEO = "VIDEO"


class TaskKind(StrEnum):
    """What goes in and what comes out; derived, never chosen."""

    TEXT_TO_IMAGE = "TEXT_TO_IMAGE"
    IMAGE_TO_IMAGE = "IMAGE_TO_IMAGE"
    TEXT_TO_VIDEO = "TEXT_TO_VIDEO"
    IMAGE_TO_VIDEO = "IMAGE_TO_VIDEO"


class ImageFormat(StrEnum):
    """Encoding of a delivered picture."""

    PNG = "PNG"
    WEBP = "WEBP"
    JPEG = "JPEG"
    GIF = "GIF"
    APNG = "APNG"


class AtlasFormat(StrEnum):
    """Sidecar file that tells an engine where the frames or tiles are."""

    JSON_HASH = "JSON_HASH"
    JSON_ARRAY = "JSON_ARRAY"
    ASEPRITE = "ASEPRITE"
    GODOT = "GODOT"
    TILED = "TILED"
    UNITY = "UNITY"


def task_kind(asset_type: AssetType, *, has_source_image: bool) -> TaskKind:
    """Derive the kind from what is asked for and whether a source picture is given."""
    if asset_type is AssetType.VIDEO:
        return TaskKind.IMAGE_TO_VIDEO if has_source_image else TaskKind.TEXT_TO_VIDEO
    return TaskKind.IMAGE_TO_IMAGE if has_source_image else TaskKind.TEXT_TO_IMAGE
