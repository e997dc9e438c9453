from tortoise import migrations
from tortoise.migrations import operations as ops
from domain.kinds import AssetType
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0008_schedule_leases")]

    initial = False

    operations = [
        ops.AddField(
            model_name="Asset",
            name="asset_type",
            field=fields.CharEnumField(
                description="SPRITE: SPRITE\nSPRITESHEET: SPRITESHEET\nTILESET: TILESET\nICON: ICON\nBACKGROUND: BACKGROUND\nPORTRAIT: PORTRAIT\nUI: UI\nVIDEO: VIDEO",
                db_default="SPRITE",
                enum_type=AssetType,
                max_length=16,
            ),
        ),
        # Assets that are there already take theirs from their task.
        ops.RunSQL(
            "UPDATE asset SET asset_type = COALESCE("
            "(SELECT task.asset_type FROM task WHERE task.id = asset.task_id), asset_type)"
        ),
        ops.AddIndex(
            model_name="Asset",
            index=Index(fields=["project_id", "asset_type", "created_at", "id"]),
        ),
        ops.RemoveIndex(
            model_name="Task",
            name=None,
            fields=["user_id", "status"],
        ),
        ops.RemoveIndex(
            model_name="Task",
            name=None,
            fields=["status", "released_at", "priority", "created_at"],
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["user_id", "status", "asset_type", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["user_id", "status", "asset_type", "priority", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["project_id", "status", "asset_type", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["project_id", "status", "asset_type", "priority", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["status", "asset_type", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["status", "released_at", "priority", "user_id", "created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["status", "released_at", "ready_at"]),
        ),
        ops.AddIndex(
            model_name="User",
            index=Index(fields=["created_at", "id"]),
        ),
        ops.AddIndex(
            model_name="WebhookDelivery",
            index=Index(fields=["webhook_id", "state", "created_at", "id"]),
        ),
    ]
