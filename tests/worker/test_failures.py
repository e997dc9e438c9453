"""What a failure leaves in the log."""

import logging

import pytest

from domain.errors import BudgetExceeded, StorageError
from worker.failures import classify


@pytest.mark.parametrize(
    ("error", "code", "traced"),
    [
        (BudgetExceeded("Your budget is spent."), "BUDGET_EXCEEDED", False),
        (StorageError("no such bucket"), "STORAGE_FAILED", True),
        (RuntimeError("what nobody expected"), "INTERNAL", True),
    ],
)
def test_what_explains_itself_to_its_owner_leaves_no_traceback(
    caplog: pytest.LogCaptureFixture, error: Exception, code: str, *, traced: bool
) -> None:
    caplog.set_level(logging.INFO)
    assert classify(error, "tsk_1").code == code
    [record] = caplog.records
    assert (record.exc_info is not None) is traced
