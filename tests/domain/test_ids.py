from datetime import UTC, datetime, timedelta

from domain.ids import IdPrefix, made_at, new_id


def test_an_id_tells_when_it_was_made() -> None:
    made = made_at(new_id(IdPrefix.JOB))
    assert made is not None
    assert abs(datetime.now(UTC) - made) < timedelta(seconds=5)
    assert made_at("job_00000000000000000000000000") == datetime(1970, 1, 1, tzinfo=UTC)


def test_what_is_no_id_tells_nothing() -> None:
    assert made_at("job_1") is None
    assert made_at("") is None
