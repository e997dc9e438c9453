"""A real server that keeps its files in a bucket."""

from pathlib import Path

import httpx
import pytest

from domain.storage.s3.options import S3Options
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Server, running

pytestmark = pytest.mark.slow


def variables(options: S3Options, **changes: str) -> dict[str, str]:
    return {
        "WONDER_STORAGE": "s3",
        "WONDER_S3_ENDPOINT_URL": options.endpoint_url,
        "WONDER_S3_BUCKET": options.bucket,
        "WONDER_S3_ACCESS_KEY_ID": options.access_key_id,
        "WONDER_S3_SECRET_ACCESS_KEY": options.secret_access_key,
        "WONDER_PURGE_INTERVAL_SECONDS": "0.2",
        **changes,
    }


def test_assets_come_from_the_bucket_and_leave_it_with_their_project(
    tmp_path: Path, s3_server: SeaweedServer, s3_options: S3Options
) -> None:
    with running(tmp_path, **variables(s3_options)) as server:
        client = server.client().sign_up()
        project = client.project()
        task_id = client.generate(project, "史莱姆 slime")["task"]["id"]
        assert client.follow(task_id)[-1]["status"] == "COMPLETED"
        assets = client.task(task_id)["assets"]
        assert assets
        for asset in assets:
            assert asset["url"].startswith(f"{s3_options.endpoint_url}/{s3_options.bucket}/users/")
            response = httpx.get(asset["url"])
            assert (response.status_code, len(response.content)) == (200, asset["sizeBytes"])
            assert response.headers["content-type"] == asset["mediaType"]
            assert asset["name"] in response.headers["content-disposition"]
        assert not (server.data_dir / "files").exists()
        assert len(s3_server.keys(s3_options.bucket)) == len(assets)
        deleted = client.data("mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }", id=project)
        assert deleted["deleteProject"]["errors"] == []
        s3_server.wait_until_empty(s3_options.bucket)
        assert s3_options.secret_access_key not in server.log.read_text()


def test_a_server_without_its_bucket_does_not_start_and_says_why(tmp_path: Path, s3_options: S3Options) -> None:
    server = Server(tmp_path, **variables(s3_options, WONDER_S3_BUCKET="no-such-bucket"))
    assert server.start() is None
    assert server.exit_code == 2
    assert "There is no bucket no-such-bucket" in server.log.read_text()
    assert "Traceback" not in server.log.read_text()
