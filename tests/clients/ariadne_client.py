"""Uses a client that ariadne-codegen has generated: `python ariadne_client.py FOLDER ADDRESS TOKEN PROJECT_ID`.

Run by the tools' own Python. Prints the statuses that it has seen, and how a bad token is refused.
"""

import asyncio
import json
import sys

sys.path.insert(0, sys.argv[1])

from websockets.exceptions import ConnectionClosedError
from wonder_client import Client
from wonder_client.enums import AssetType
from wonder_client.input_types import GenerateInput


def client(address: str, token: str) -> Client:
    """Return the generated client, over HTTP and WebSocket."""
    return Client(
        url=f"{address}/graphql",
        headers={"Authorization": f"Bearer {token}"},
        ws_url=f"{address.replace('http', 'ws', 1)}/graphql",
        ws_connection_init_payload={"Authorization": f"Bearer {token}"},
    )


async def main() -> None:
    """Make an icon and follow it."""
    _, _, address, token, project_id = sys.argv
    wonder = client(address, token)
    wanted = GenerateInput(projectId=project_id, prompt="a typed key", assetType=AssetType.ICON)
    task = (await wonder.generate(wanted)).generate.task
    assert task is not None
    events = [event.task_progress async for event in wonder.follow(task_id=task.id, after=0)]
    refusal = ""
    try:
        async for _ in client(address, "nonsense").follow(task_id=task.id, after=0):
            pass
    except ConnectionClosedError as error:
        refusal = str(error)
    found = {
        "sequences": [event.sequence for event in events],
        "last": events[-1].status,
        "at": type(events[-1].at).__name__,
        "projects": (await wonder.projects(first=10)).projects.total_count,
        "refusal": refusal,
    }
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
