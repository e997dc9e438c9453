"""Projects through the API."""

from types import SimpleNamespace
from typing import Any

from domain.models.projects import Project, UploadedImage
from tests.helpers.api import Api
from tests.helpers.files import RequestFile, red_png
from tests.helpers.room import make_project

FIELDS = """{ id name description style { artStyle palette perspective mood negativePrompt referenceImages { id url
    mediaType width height sizeBytes createdAt } } createdAt updatedAt }"""
ANSWER = f"{{ project {FIELDS} errors {{ code path message }} }}"
CREATE = f"mutation ($input: CreateProjectInput!) {{ createProject(input: $input) {ANSWER} }}"
UPDATE = f"mutation ($input: UpdateProjectInput!) {{ updateProject(input: $input) {ANSWER} }}"
DELETE = "mutation ($id: ID!) { deleteProject(id: $id) { deletedId errors { code path message } } }"
UPLOAD = """mutation ($id: ID!, $file: Upload!) { uploadImage(projectId: $id, file: $file) {
    image { id url mediaType width height sizeBytes } errors { code path message } } }"""
ODD_TEXTS = ("a\x00b", "a\ud800b")


async def _create(api: Api, **fields: Any) -> Any:
    return (await api.ask(CREATE, input={"name": "史莱姆 👾‍🎨 \u202eabc", **fields}))["createProject"]


async def test_a_project_keeps_what_it_was_given(api: Api) -> None:
    style = {"artStyle": "16-bit pixel art", "palette": ["#FF8800", "#00ff00aa"], "mood": "欢快", "perspective": None}
    created = await _create(api, description="شرح", style=style)
    assert created["errors"] == []
    project = created["project"]
    assert (project["name"], project["description"]) == ("史莱姆 👾‍🎨 \u202eabc", "شرح")
    assert project["style"]["palette"] == ["#ff8800", "#00ff00aa"]
    assert project["style"]["perspective"] == ""
    assert (await api.ask(f"query ($id: ID!) {{ project(id: $id) {FIELDS} }}", id=project["id"]))["project"] == project


async def test_an_update_changes_what_is_given_and_leaves_the_rest(api: Api) -> None:
    created = (await _create(api, description="before", style={"mood": "gloomy", "artStyle": "flat"}))["project"]
    change = {"id": created["id"], "name": None, "style": {"mood": "cheerful", "palette": []}}
    project = (await api.ask(UPDATE, input=change))["updateProject"]["project"]
    assert (project["name"], project["description"]) == (created["name"], "before")
    assert (project["style"]["mood"], project["style"]["artStyle"]) == ("cheerful", "flat")


WRONG_PROJECTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"name": "  "}, ["input", "name"]),
    ({"name": "x" * 201}, ["input", "name"]),
    ({"style": {"palette": ["red"]}}, ["input", "style", "palette"]),
    ({"style": {"mood": "x" * 501}}, ["input", "style", "mood"]),
    *(({"name": text}, ["input", "name"]) for text in ODD_TEXTS),
    *(({"description": text}, ["input", "description"]) for text in ODD_TEXTS),
    *(({"style": {"artStyle": text}}, ["input", "style", "artStyle"]) for text in ODD_TEXTS),
    *(({"style": {"palette": [text]}}, ["input", "style", "palette"]) for text in ODD_TEXTS),
]


async def test_wrong_projects_are_refused_with_the_field_at_fault(api: Api) -> None:
    for fields, path in WRONG_PROJECTS:
        created = await _create(api, **fields)
        assert created["project"] is None
        assert [(error["code"], error["path"]) for error in created["errors"]] == [("INVALID_INPUT", path)]
    assert await Project.filter(user_id=api.room.user.id).count() == 1


async def test_reference_images_must_exist(api: Api) -> None:
    for image_id in ("img_" + "0" * 26, "nothing", *ODD_TEXTS):
        change = {"id": api.room.project.id, "style": {"referenceImageIds": [image_id]}}
        [error] = (await api.ask(UPDATE, input=change))["updateProject"]["errors"]
        assert (error["code"], error["path"][-1]) == ("NOT_FOUND", "referenceImageIds")


async def test_an_uploaded_image_becomes_a_reference_of_the_style(api: Api) -> None:
    answer = (await api.ask(UPLOAD, id=api.room.project.id, file=RequestFile(red_png())))["uploadImage"]
    assert answer["errors"] == []
    image = answer["image"]
    assert (image["mediaType"], image["width"], image["height"]) == ("image/png", 20, 10)
    assert image["url"].startswith("https://wonder.test/")
    assert "passwd" not in image["url"]
    change = {"id": api.room.project.id, "style": {"referenceImageIds": [image["id"]]}}
    project = (await api.ask(UPDATE, input=change))["updateProject"]["project"]
    assert [found["id"] for found in project["style"]["referenceImages"]] == [image["id"]]
    assert (await api.ask("query ($id: ID!) { node(id: $id) { id __typename } }", id=image["id"]))["node"] == {
        "id": image["id"],
        "__typename": "UploadedImage",
    }


async def test_the_same_picture_in_two_projects_is_two_images_and_takes_its_space_once(api: Api) -> None:
    second = await make_project(api.room.deps.clock, api.room.user)
    images = []
    for project_id in (api.room.project.id, second.id, second.id):
        answer = await api.ask(UPLOAD, id=project_id, file=RequestFile(red_png()))
        images.append(answer["uploadImage"]["image"])
    assert images[0]["id"] != images[1]["id"] == images[2]["id"]
    row = await UploadedImage.get(id=images[0]["id"])
    limits = (await api.ask("{ me { limits { storageBytes maxStorageBytes } } }"))["me"]["limits"]
    assert limits == {"storageBytes": row.size_bytes, "maxStorageBytes": api.room.deps.settings.max_storage_bytes}
    # Each is called after itself, whichever of them the object is called after.
    assert all(f"name={image['id']}.png" in image["url"] for image in images)
    # An image of one project is no reference of the other.
    change = {"id": second.id, "style": {"referenceImageIds": [images[0]["id"]]}}
    [error] = (await api.ask(UPDATE, input=change))["updateProject"]["errors"]
    assert error["code"] == "NOT_FOUND"


async def test_what_is_no_picture_is_refused_as_data(api: Api) -> None:
    for data, code in ((b"GIF89a nonsense", "UNSUPPORTED_MEDIA"), (b"\x89PNG" + b"0" * (11 << 20), "TOO_LARGE")):
        answer = (await api.ask(UPLOAD, id=api.room.project.id, file=RequestFile(data)))["uploadImage"]
        assert [error["code"] for error in answer["errors"]] == [code]
    assert await UploadedImage.all().count() == 0


async def test_what_is_no_file_is_no_upload(api: Api) -> None:
    for value in ("a string", 1, SimpleNamespace()):
        code, message = await api.refused(UPLOAD, api.room.user, id=api.room.project.id, file=value)
        assert (code, "multipart" in message) == ("BAD_REQUEST", True)


async def test_a_deleted_project_is_gone(api: Api) -> None:
    await api.room.submit()
    deleted = (await api.ask(DELETE, id=api.room.project.id))["deleteProject"]
    assert deleted == {"deletedId": api.room.project.id, "errors": []}
    again = (await api.ask(DELETE, id=api.room.project.id))["deleteProject"]
    assert [error["code"] for error in again["errors"]] == ["NOT_FOUND"]
    assert (await api.ask("{ projects { totalCount } tasks { totalCount } }")) == {
        "projects": {"totalCount": 0},
        "tasks": {"totalCount": 0},
    }


async def test_projects_are_searched_by_name(api: Api) -> None:
    for name in ("Forest 100%", "Forest 100 x", "洞穴"):
        await _create(api, name=name)
    document = "query ($search: String) { projects(search: $search) { totalCount edges { node { name } } } }"
    for search, expected in (("100%", ["Forest 100%"]), ("洞", ["洞穴"]), ("FOREST", ["Forest 100 x", "Forest 100%"])):
        found = (await api.ask(document, search=search))["projects"]
        assert sorted(edge["node"]["name"] for edge in found["edges"]) == expected
        assert found["totalCount"] == len(expected)
    for text in (*ODD_TEXTS, "x" * 201):
        assert (await api.refused(document, api.room.user, search=text))[0] == "BAD_REQUEST"
