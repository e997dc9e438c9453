from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0018_spending")]

    initial = False

    operations = [
        ops.CreateModel(
            name="StoredUpload",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                ("sha256", fields.CharField(max_length=64)),
                ("storage_key", fields.CharField(unique=True, max_length=400)),
                ("size_bytes", fields.BigIntField()),
            ],
            options={
                "table": "stored_upload",
                "app": "wonder",
                "unique_together": (("user_id", "sha256"),),
                "pk_attr": "id",
                "table_description": "The object of an uploaded picture: one for each user and content, whichever projects name it.",
            },
            bases=["Model"],
        ),
        ops.AlterModelOptions(
            name="UploadedImage",
            options={
                "table": "uploaded_image",
                "app": "wonder",
                "indexes": [
                    Index(fields=["project_id"]),
                    Index(fields=["user_id", "sha256"]),
                    Index(fields=["storage_key"]),
                ],
                "pk_attr": "id",
                "table_description": "A picture that a user brought to a project: a style reference or the source of an image-to-image task.",
            },
        ),
        ops.AddIndex(
            model_name="UploadedImage",
            index=Index(fields=["storage_key"]),
        ),
        # Each project had an object of its own: of those of one user and content the oldest stays, named by all, and
        # the others go. A deletion takes its instants from its image, so that it is due; users are counted anew.
        ops.RunSQL(
            [
                """INSERT INTO stored_upload (user_id, sha256, storage_key, size_bytes)
                SELECT user_id, sha256, storage_key, size_bytes FROM uploaded_image WHERE id IN (
                    SELECT MIN(id) FROM uploaded_image WHERE user_id IS NOT NULL GROUP BY user_id, sha256)""",
                """INSERT INTO storage_deletion (target, created_at, next_try_at, final_at, tries)
                SELECT storage_key, created_at, created_at, created_at, 0 FROM uploaded_image WHERE user_id IS NOT NULL
                AND storage_key NOT IN (SELECT storage_key FROM stored_upload)""",
                """UPDATE uploaded_image SET storage_key = (SELECT s.storage_key FROM stored_upload s
                    WHERE s.user_id = uploaded_image.user_id AND s.sha256 = uploaded_image.sha256)
                WHERE user_id IS NOT NULL AND storage_key NOT IN (SELECT storage_key FROM stored_upload)""",
                "DELETE FROM storage_use WHERE id IN (SELECT user_id FROM uploaded_image WHERE user_id IS NOT NULL)",
            ],
            reverse_sql=ops.RunSQL.noop,
        ),
    ]
