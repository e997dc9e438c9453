"""Settings of the storage that cannot be meant are refused by name."""

from pathlib import Path

import pytest

from domain.errors import SettingsError
from domain.settings import load_settings
from domain.storage.s3.options import s3_options
from tests.helpers.certificate import LOCAL_CERTIFICATE

BUCKET = {"storage": "s3", "s3_bucket": "b"}


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"storage": "s3"}, "WONDER_S3_BUCKET: must be set when WONDER_STORAGE is s3"),
        ({**BUCKET, "s3_bucket": "b/c"}, "WONDER_S3_BUCKET: must be the name of a bucket"),
        ({**BUCKET, "s3_access_key_id": "a"}, "WONDER_S3_SECRET_ACCESS_KEY: must be set together with"),
        ({**BUCKET, "s3_secret_access_key": "hidden"}, "WONDER_S3_SECRET_ACCESS_KEY: must be set together with"),
        ({**BUCKET, "s3_ca_file": "/no/such/file"}, "WONDER_S3_CA_FILE: must be a file that exists"),
        ({**BUCKET, "s3_kms_key_id": "k"}, "WONDER_S3_KMS_KEY_ID: goes with WONDER_S3_ENCRYPTION=aws:kms"),
        ({**BUCKET, "s3_endpoint_url": "ftp://host"}, "WONDER_S3_ENDPOINT_URL: must begin with http"),
        ({**BUCKET, "s3_endpoint_url": "http://127.0.0.1:99999"}, "WONDER_S3_ENDPOINT_URL: must be an address"),
        ({**BUCKET, "s3_endpoint_url": "http://joe:hidden@host"}, "WONDER_S3_ENDPOINT_URL: must be without a user"),
        ({**BUCKET, "s3_endpoint_url": "http://host/?x=1"}, "WONDER_S3_ENDPOINT_URL: must end with its path"),
        ({**BUCKET, "cdn_base_url": "https://cdn.example.com/a#b"}, "WONDER_CDN_BASE_URL: must end with its path"),
        ({**BUCKET, "s3_bucket": "my bucket"}, "WONDER_S3_BUCKET: must be the name of a bucket"),
        ({**BUCKET, "s3_ca_file": __file__}, "WONDER_S3_CA_FILE: must be a file of certificates, in PEM"),
        ({"cdn_base_url": "https://cdn.example.com"}, "WONDER_CDN_BASE_URL: goes with WONDER_STORAGE=s3"),
        ({"storage": "ftp"}, "WONDER_STORAGE: "),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: dict[str, str], complaint: str) -> None:
    with pytest.raises(SettingsError, match=r"^WONDER_") as caught:
        load_settings(**settings)
    assert complaint in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_a_bucket_needs_no_more_than_its_name() -> None:
    options = s3_options(load_settings(**BUCKET))
    assert (options.bucket, options.region, options.path_style) == ("b", "us-east-1", False)


def test_everything_that_is_set_is_used(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(LOCAL_CERTIFICATE)
    options = s3_options(
        load_settings(
            **BUCKET,
            s3_endpoint_url="https://s3.example.com/",
            s3_region="eu-west-9",
            s3_access_key_id="key",
            s3_secret_access_key="secret",
            s3_addressing_style="virtual",
            s3_ca_file=str(tmp_path / "ca.pem"),
            s3_encryption="aws:kms",
            s3_kms_key_id="kms",
            s3_public_url="https://files.example.com",
            cdn_base_url="https://cdn.example.com/",
            file_url_seconds=60,
        )
    )
    assert options.endpoint_url == "https://s3.example.com"
    assert (options.region, options.access_key_id, options.secret_access_key) == ("eu-west-9", "key", "secret")
    assert not options.path_style
    assert options.ca_file.endswith("ca.pem")
    assert (options.encryption, options.kms_key_id) == ("aws:kms", "kms")
    assert (options.public_url, options.cdn_base_url) == ("https://files.example.com", "https://cdn.example.com")
    assert options.url_seconds == 60
    assert "secret" not in repr(options).replace("secret_access_key", "")
