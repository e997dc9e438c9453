from urllib.parse import parse_qs, urlsplit

import pytest

from domain.callbacks import CallbackAddresses

ADDRESSES = CallbackAddresses(b"k" * 32, "https://wonder.example/base")


def token_of(url: str) -> str:
    return parse_qs(urlsplit(url).query)["token"][0]


def test_an_address_is_of_one_job_at_one_provider_and_of_this_server() -> None:
    url = ADDRESSES.url("kling", "job_1")
    assert url.startswith("https://wonder.example/base/callbacks/kling/job_1?token=")
    token = token_of(url)
    assert len(token) == 43
    assert ADDRESSES.is_genuine("kling", "job_1", token)
    assert not ADDRESSES.is_genuine("kling", "job_2", token)
    assert not ADDRESSES.is_genuine("seedance", "job_1", token)
    assert not CallbackAddresses(b"o" * 32, ADDRESSES.public_url).is_genuine("kling", "job_1", token)
    assert token_of(ADDRESSES.url("klin", "gjob_1")) != token


@pytest.mark.parametrize("token", ["", "x", "é", "\udcff", "A" * 5000])
def test_any_other_token_is_none(token: str) -> None:
    assert not ADDRESSES.is_genuine("kling", "job_1", token)
