import pytest

from domain.web_addresses import web_address


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://s3.example.com", "https://s3.example.com"),
        ("https://S3.Example.com:443/", "https://s3.example.com"),
        ("HTTP://127.0.0.1:80", "http://127.0.0.1"),
        ("http://127.0.0.1:8333/Base/", "http://127.0.0.1:8333/Base"),
        ("http://[::1]:9000", "http://[::1]:9000"),
        ("https://api.example.com/v1?api-version=2", "https://api.example.com/v1?api-version=2"),
    ],
)
def test_an_address_is_spelled_as_clients_spell_it(given: str, kept: str) -> None:
    assert web_address(given) == kept
    assert web_address(kept) == kept


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ftp://example.com", "begin with"),
        ("example.com", "begin with"),
        ("http://", "host"),
        ("http://127.0.0.1:99999", "65535"),
        ("http://127.0.0.1:x", "65535"),
        ("http://joe:geheim@example.com", "user"),
    ],
)
def test_what_is_none_is_refused_without_being_repeated(given: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        web_address(given)
    assert "geheim" not in str(refused.value)
