from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise.migrations.schema_editor.base import BaseSchemaEditor
from tortoise.migrations.schema_generator.state_apps import StateApps
from tortoise import fields

_POSTGRES = (
    "ALTER TABLE task_event ALTER COLUMN transaction_id SET DEFAULT (pg_current_xact_id()::text::bigint)",
    "CREATE INDEX task_event_transaction ON task_event (project_id, transaction_id) WHERE transaction_id IS NOT NULL",
)


async def number_transactions(apps: StateApps, editor: BaseSchemaEditor) -> None:
    if editor.client.capabilities.dialect == "postgres":
        for statement in _POSTGRES:
            await editor.client.execute_script(statement)


class Migration(migrations.Migration):
    dependencies = [("wonder", "0005_api_keys")]

    initial = False

    operations = [
        ops.AddField(
            model_name="TaskEventRow",
            name="transaction_id",
            field=fields.BigIntField(null=True),
        ),
        ops.RunPython(number_transactions),
    ]
