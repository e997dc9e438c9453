"""Kills a working server again and again and counts what was lost, doubled or told wrongly. All counts must be 0.

python benchmarks/kills.py --tasks 200 --kills 50 --database sqlite
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from running_server import RunningServer, generate, signed_up
from trial_database import TrialDatabase

_LIMITS = {
    "WONDER_MAX_ACTIVE_TASKS": "100000",
    "WONDER_GENERATES_PER_MINUTE": "0",
    "WONDER_SHUTDOWN_GRACE_SECONDS": "2",
}
_PROMPTS = ("a green slime", "一把铁剑", "a knight in blue armour", "红色的龙", "a wooden chest")


def main() -> None:
    """Run the trial and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest-life", type=float, default=1.5, help="seconds between start and kill, at most")
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        TrialDatabase(options.database, Path(folder) / "data") as database,
    ):
        data_dir = Path(folder) / "data"
        server = RunningServer(data_dir, **_LIMITS, **database.variables)
        server.start()
        client, project = signed_up(server.address, "kills@example.com")
        for number in range(options.tasks):
            # Work that takes a while, so that most kills hit tasks in every stage.
            kind, size = (("SPRITESHEET", 96), ("BACKGROUND", 1024))[number % 2]
            prompt = f"{_PROMPTS[number % len(_PROMPTS)]} {number}"
            generate(client, project, prompt, kind, seed=number, width=size, height=size)
        for _ in range(options.kills):
            time.sleep(chance.uniform(0, options.longest_life))
            server.kill()
            server.start()
        wait_until_ended(database, 600)
        time.sleep(1)
        stopped_well = server.stop() == 0
        found = {"database": options.database} | judge(database, data_dir, options.tasks)
        print(json.dumps(found | {"exit_code_0": stopped_well}, indent=2))


def wait_until_ended(database: TrialDatabase, seconds: float) -> None:
    """Wait until no task is active."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if database.rows("SELECT COUNT(*) FROM task WHERE status IN ('PENDING', 'RUNNING')")[0][0] == 0:
            return
        time.sleep(0.2)


def judge(database: TrialDatabase, data_dir: Path, expected: int) -> dict[str, object]:
    """Count what rows, events and files say."""
    statuses = dict(database.rows("SELECT status, COUNT(*) FROM task GROUP BY status"))
    sequences: dict[object, list[object]] = {}
    for task_id, sequence in database.rows("SELECT task_id, sequence FROM task_event ORDER BY id"):
        sequences.setdefault(task_id, []).append(sequence)
    folder = data_dir / "files" / "objects"
    stored = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    named = {str(key) for (key,) in database.rows("SELECT storage_key FROM asset")}
    pending_removal = [str(row[0]) for row in database.rows("SELECT target FROM storage_deletion")]
    orphans = [key for key in stored - named if not any(key.startswith(target) for target in pending_removal)]
    ends = database.rows("SELECT task_id, COUNT(*) FROM task_event WHERE status = 'COMPLETED' GROUP BY task_id")
    assets = database.rows("SELECT task_id, COUNT(*) FROM asset WHERE position = 0 GROUP BY task_id")
    return {
        "tasks": expected,
        "statuses": statuses,
        "lost": expected - int(str(statuses.get("COMPLETED", 0))),
        "ended_twice": sum(1 for _, count in ends if count != 1),
        "doubled_assets": sum(1 for _, count in assets if count != 1),
        "doubled_files": database.rows("SELECT COUNT(*) - COUNT(DISTINCT task_id || name) FROM asset")[0][0],
        "wrong_sequences": sum(1 for told in sequences.values() if told != list(range(1, len(told) + 1))),
        "rows_without_file": len(named - stored),
        "files_without_row": len(orphans),
        "worker_losses": database.rows("SELECT SUM(losses) FROM task")[0][0],
        "most_attempts": database.rows("SELECT MAX(attempt) FROM task")[0][0],
    }


if __name__ == "__main__":
    main()
