"""Projects and the pictures that people bring along."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model


class Project(Model):
    """A game, or a part of one, with its style.

    A project that is being deleted has `user_id` None: from that moment it is nobody's, while its rows go in batches.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40, null=True)
    name = fields.CharField(max_length=200)
    description = fields.TextField(default="")
    # As `domain.styles.style_to_json` writes it.
    style: fields.Field[dict[str, object]] = fields.JSONField()
    created_at = fields.DatetimeField()
    updated_at = fields.DatetimeField()

    class Meta:
        table = "project"
        indexes = [Index(fields=("user_id", "created_at", "id"))]


class UploadedImage(Model):
    """A picture that a user brought to a project: a style reference or the source of an image-to-image task.

    Several projects of a user may name the same object, see `StoredUpload`.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40, null=True)
    project_id = fields.CharField(max_length=40)
    storage_key = fields.CharField(max_length=400)
    media_type = fields.CharField(max_length=100)
    width = fields.IntField()
    height = fields.IntField()
    size_bytes = fields.BigIntField()
    sha256 = fields.CharField(max_length=64)
    created_at = fields.DatetimeField()

    class Meta:
        table = "uploaded_image"
        indexes = [Index(fields=("project_id",)), Index(fields=("user_id", "sha256")), Index(fields=("storage_key",))]


class StoredUpload(Model):
    """The object of an uploaded picture: one for each user and content, whichever projects name it.

    It is written with the first image that names it and goes with the last. See `domain.stored_uploads`.
    """

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    sha256 = fields.CharField(max_length=64)
    storage_key = fields.CharField(max_length=400, unique=True)
    size_bytes = fields.BigIntField()

    class Meta:
        table = "stored_upload"
        unique_together = (("user_id", "sha256"),)
