import io
import zipfile
from collections.abc import Callable
from typing import Any

from domain.kinds import AtlasFormat
from domain.params import Animation
from worker.exporters.archive import archive
from worker.pipeline.adapt import adapt


def test_the_archive_holds_every_file_and_a_readme_that_names_each_format(sheet_job: Callable[..., Any]) -> None:
    formats = tuple(item for item in AtlasFormat if item is not AtlasFormat.TILED)
    job, _ = sheet_job((Animation("walk", 3),), atlas_formats=formats)
    *files, packed = adapt(job)
    assert packed.role == "archive"
    with zipfile.ZipFile(io.BytesIO(packed.data)) as content:
        assert content.testzip() is None
        assert {file.name: file.data for file in files} == {
            name: content.read(name) for name in content.namelist() if name != "README.txt"
        }
        text = content.read("README.txt").decode()
    for engine in ("PixiJS", "Phaser", "Aseprite", "Godot", "Unity"):
        assert engine in text
    assert "Tiled" not in text
    assert all(file.name in text for file in files)


def test_the_same_files_give_the_same_archive_with_a_fixed_date() -> None:
    files = [("a.png", b"\x89PNG" * 50), ("b.json", b"{}" * 500)]
    data = archive(files)
    assert archive(files) == data
    with zipfile.ZipFile(io.BytesIO(data)) as content:
        assert {entry.date_time for entry in content.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        kinds = {entry.filename: entry.compress_type for entry in content.infolist()}
    assert kinds == {"a.png": zipfile.ZIP_STORED, "b.json": zipfile.ZIP_DEFLATED}
