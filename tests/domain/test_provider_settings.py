"""Providers from a file and from the environment."""

from pathlib import Path
from typing import Any

import pytest

from domain.errors import SettingsError
from domain.provider_settings import ProviderSettings, load_provider_settings, looks_local
from domain.settings import load_settings

KEY = "sk-secret-0123456789"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "providers.toml"


def load(file: Path, text: str, **settings: Any) -> ProviderSettings:
    file.write_text(text, "utf-8")
    return load_provider_settings(load_settings(providers_file=file, **settings))


def complaint(file: Path, text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(file, text)
    return str(caught.value)


def entry(*lines: str, name: str = "studio") -> str:
    return "\n".join(["[[provider]]", f'name = "{name}"', 'type = "openai"', *lines, ""])


def test_without_anything_there_is_none() -> None:
    assert load_provider_settings(load_settings()).provider == ()


def test_several_of_one_kind_have_their_own_keys_models_and_limits(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_KEY", KEY)
    first = entry('api_key_env = "STUDIO_KEY"', 'model = "m-1"', "priority = 5", "price_per_image = 0.04")
    second = entry('base_url = "http://127.0.0.1:1234/v1/"', "concurrency = 1", "requests_per_minute = 30", name="own")
    studio, own = load(file, first + second).provider
    assert (studio.key.get_secret_value(), studio.model, studio.priority, studio.price_per_image) == (
        KEY,
        "m-1",
        5,
        0.04,
    )
    assert (studio.is_local, studio.missing) == (False, "")
    assert (own.base_url, own.concurrency, own.requests_per_minute) == ("http://127.0.0.1:1234/v1", 1, 30)
    assert (own.is_local, own.missing) == (True, "")


def test_a_key_that_is_not_there_is_named_by_its_variable(file: Path) -> None:
    [usual] = load(file, entry()).provider
    assert usual.missing == "Its key is missing: the variable OPENAI_API_KEY is not set."
    [named] = load(file, entry('base_url = "http://10.0.0.7/v1"', 'api_key_env = "MY_KEY"')).provider
    assert named.missing == "Its key is missing: the variable MY_KEY is not set."
    [none] = load(file, entry('base_url = "https://free.example.com/v1"', 'api_key_env = ""')).provider
    assert none.missing == ""


def test_keys_are_read_from_the_env_file_too(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    monkeypatch.chdir(tmp_path)
    assert load(file, entry()).provider[0].key.get_secret_value() == KEY


def test_keys_show_nowhere(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    loaded = load(file, entry())
    assert KEY not in repr(loaded) + str(loaded.model_dump()) + loaded.model_dump_json()


@pytest.mark.parametrize("key", ["sk with space", "sk-\nnewline", "sk-ключ"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(
    file: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    message = complaint(file, entry())
    assert message.startswith("OPENAI_API_KEY: ")
    assert key not in message


def test_the_environment_alone_makes_one() -> None:
    settings = load_settings(openai_api_key=KEY, openai_image_model="gpt-image-2")
    [made] = load_provider_settings(settings).provider
    assert (made.name, made.model, made.key.get_secret_value(), made.missing) == ("openai", "gpt-image-2", KEY, "")
    [own] = load_provider_settings(load_settings(openai_base_url="http://localhost:1234/v1")).provider
    assert (own.is_local, own.missing) == (True, "")
    [keyless] = load_provider_settings(load_settings(openai_image_model="gpt-image-2")).provider
    assert keyless.missing == "Its key is missing: the variable WONDER_OPENAI_API_KEY is not set."


def test_the_file_wins_where_both_name_openai(file: Path) -> None:
    text = entry('model = "of the file"', 'api_key_env = ""', name="openai")
    assert [one.model for one in load(file, text, openai_api_key=KEY).provider] == ["of the file"]
    both = load(file, entry(name="other"), openai_api_key=KEY).provider
    assert [one.name for one in both] == ["other", "openai"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[provider]", "is not TOML"),
        ("provider = 3", "provider: "),
        (entry() + entry(), "two providers are called 'studio'"),
        (entry(name="builtin"), "provider builtin.name: is the name of the built-in generator."),
        (entry(name="Not a name"), "provider Not a name.name: "),
        ('[[provider]]\ntype = "openai"', "provider number 1.name: "),
        (entry('colour = "red"'), "provider studio.colour: "),
        (entry("concurrency = 0"), "provider studio.concurrency: "),
        (entry('asset_types = ["HAT"]'), "provider studio.asset_types"),
        (entry('base_url = "ftp://x/"'), "must begin with http"),
        (entry(f'base_url = "https://user:{KEY}@x.example.com"'), "must hold no user name"),
        (entry(f'base_url = "https://x.example.com?key={KEY}"'), "must hold no user name"),
        ('[[provider]]\nname = "x"\ntype = "magic"', "provider x.type: "),
        ("[other]", "other: "),
    ],
)
def test_what_is_wrong_is_told_by_its_place_and_without_values(file: Path, text: str, words: str) -> None:
    message = complaint(file, text)
    assert words in message
    assert KEY not in message


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"WONDER_PROVIDERS_FILE: .*none.toml cannot be read"):
        load_provider_settings(load_settings(providers_file=tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:7860", True),
        ("http://[::1]:7860", True),
        ("http://192.168.1.7:8188", True),
        ("http://comfyui:8188", True),
        ("http://studio.local/", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/", False),
    ],
)
def test_servers_of_ones_own_are_known_by_their_address(url: str, *, local: bool) -> None:
    assert looks_local(url) is local


def test_a_judge_is_of_the_file_or_of_the_environment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EYE_KEY", KEY)
    judge = load(file, '[judge]\nmodel = "eye"\napi_key_env = "EYE_KEY"', judge_model="other").judge
    assert judge is not None
    assert (judge.model, judge.key.get_secret_value(), judge.threshold) == ("eye", KEY, 0.6)
    own = load_provider_settings(load_settings(judge_model="eye", judge_base_url="http://127.0.0.1:1/v1")).judge
    assert own is not None
    assert (own.as_provider().is_local, own.as_provider().missing) == (True, "")
    keyless = load_provider_settings(load_settings(judge_model="eye")).judge
    assert keyless is not None
    assert keyless.as_provider().missing == "Its key is missing: the variable WONDER_JUDGE_API_KEY is not set."
    assert load_provider_settings(load_settings()).judge is None
    assert "judge.model" in complaint(file, "[judge]")
    assert "is the name of the judge" in complaint(file, entry(name="judge"))


def test_a_key_with_a_secret_needs_both_unless_it_has_none(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kling = '[[provider]]\nname = "kling"\ntype = "kling"\n'
    assert load(file, kling).provider[0].missing == "Its key is missing: the variable KLING_ACCESS_KEY is not set."
    monkeypatch.setenv("KLING_ACCESS_KEY", KEY)
    assert load(file, kling).provider[0].missing == "Its secret is missing: the variable KLING_SECRET_KEY is not set."
    monkeypatch.setenv("KLING_SECRET_KEY", "s" * 32)
    [both] = load(file, kling).provider
    assert (both.key.get_secret_value(), both.secret.get_secret_value(), both.missing) == (KEY, "s" * 32, "")
    assert "s" * 32 not in repr(both)
    [plain] = load(file, kling + 'secret_key_env = ""').provider
    assert (plain.secret.get_secret_value(), plain.missing) == ("", "")
    assert "secret_key_env is for kling" in complaint(file, entry('secret_key_env = "X"'))
