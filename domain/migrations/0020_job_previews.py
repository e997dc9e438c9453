from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0019_stored_uploads")]

    initial = False

    operations = [
        ops.AddField(
            model_name="ExternalJob",
            name="preview",
            field=fields.BinaryField(null=True),
        ),
    ]
