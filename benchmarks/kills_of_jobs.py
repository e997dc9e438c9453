"""Kills, freezes and stops a server at work on jobs of an asynchronous provider, and counts what was lost or doubled.

    python benchmarks/kills_of_jobs.py --tasks 200 --rounds 100 --database sqlite

Each round ends with SIGKILL, SIGTERM, or SIGSTOP for longer than a lease and SIGCONT. The provider is a service of its
own that outlives the server and counts what it is asked for. All counts but the last few must be 0.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from job_service import JobService
from kills import judge, wait_until_ended
from running_server import RunningServer, generate, signed_up
from trial_database import TrialDatabase

_SETTINGS = {
    "WONDER_MAX_ACTIVE_TASKS": "100000",
    "WONDER_GENERATES_PER_MINUTE": "0",
    "WONDER_SHUTDOWN_GRACE_SECONDS": "0.5",
    "WONDER_LEASE_SECONDS": "2",
    "WONDER_RECONCILE_INTERVAL_SECONDS": "1",
    "WONDER_CHECK_INTERVAL_SECONDS": "0.3",
    "WONDER_CHECKS_PER_SECOND": "200",
    "WONDER_MAX_CHECKS": "10000",
    "WONDER_MAX_WORKER_LOSSES": "1000",
    "WONDER_QUEUE_CAPACITY": "8",
}


def main() -> None:
    """Run the trial and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest-life", type=float, default=1.5, help="seconds between start and signal, at most")
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        TrialDatabase(options.database, Path(folder) / "data") as database,
        JobService(seconds_per_job=0.5) as service,
    ):
        data_dir = Path(folder) / "data"
        program = [sys.executable, str(Path(__file__).with_name("job_service.py")), service.address]
        server = RunningServer(data_dir, program, **_SETTINGS, **database.variables)
        server.start()
        client, project = signed_up(server.address, "kills@example.com")
        for number in range(options.tasks):
            generate(client, project, f"a slime {number}", provider="jobs", seed=number, count=1 + number % 2)
        signals: dict[str, int] = {"SIGKILL": 0, "SIGSTOP": 0, "SIGTERM": 0}
        exit_codes: set[int] = set()
        for _ in range(options.rounds):
            time.sleep(chance.uniform(0, options.longest_life))
            signal = chance.choice(list(signals))
            signals[signal] += 1
            if signal == "SIGSTOP":
                server.freeze(chance.uniform(0.1, 3))
                continue
            if signal == "SIGKILL":
                server.kill()
            else:
                exit_codes.add(server.stop())
            server.start()
        wait_until_ended(database, 600)
        time.sleep(1)
        exit_codes.add(server.stop())
        found = {"database": options.database} | judge(database, data_dir, options.tasks)
        found |= _judge_jobs(database, service, options.tasks)
        found |= {"exit_codes_of_SIGTERM": sorted(exit_codes), "signals": signals}
        print(json.dumps(found, indent=2))


def _judge_jobs(database: TrialDatabase, service: JobService, tasks: int) -> dict[str, object]:
    attempts = dict(database.rows("SELECT id, attempt FROM task"))
    named = {str(row[0]) for row in database.rows("SELECT id FROM external_job")}
    return {
        "jobs_created_twice": sum(1 for count in service.names.values() if count > 1),
        "jobs_that_no_row_names": len(set(service.names) - named),
        "jobs_left_running": sum(1 for job in service.jobs.values() if job["state"] == "running"),
        "jobs": len(service.jobs),
        "jobs_wanted": sum(1 + number % 2 for number in range(tasks)),
        "attempts_beyond_the_first": sum(int(str(attempt)) - 1 for attempt in attempts.values()),
        "requests": dict(service.requests),
    }


if __name__ == "__main__":
    main()
