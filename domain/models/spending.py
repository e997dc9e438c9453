"""What was asked of providers, and what it costs by the operator's prices."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model


class UsageDay(Model):
    """What a user asked of one model for one project on one day (UTC). Kept when tasks are cleaned up."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    day = fields.CharField(max_length=10)
    project_id = fields.CharField(max_length=40)
    provider = fields.CharField(max_length=64)
    model = fields.CharField(max_length=200)
    purpose = fields.CharField(max_length=16)
    calls = fields.BigIntField()
    pictures = fields.BigIntField()
    # Millionths of the operator's money.
    cost_micros = fields.BigIntField()

    class Meta:
        table = "usage_day"
        unique_together = (("user_id", "day", "project_id", "provider", "model", "purpose"),)
        indexes = [Index(fields=("day",))]


class SpendMonth(Model):
    """What a user's tasks have cost in one month (UTC), which a budget is held against."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    month = fields.CharField(max_length=7)
    spent_micros = fields.BigIntField()

    class Meta:
        table = "spend_month"
        unique_together = (("user_id", "month"),)
