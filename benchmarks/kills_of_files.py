"""Kills a server at every single step of storing and removing files, and counts what is lost or left. All must be none.

    python benchmarks/kills_of_files.py --storage s3 --database postgres

A step is a change of a file, a commit, or a request to the bucket, before and after: see `tests/helpers/stepping.py`.
Each phase is gone through again and again, killed at its first step, at its second, until it is through.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.trial_database import TrialDatabase
from tests.helpers.file_trial import PHASES, VARIABLES, FileTrial, objects_in_bucket, objects_in_folder
from tests.helpers.seaweed import ACCESS_KEY, SECRET_KEY, seaweed_server
from tests.helpers.stepping import SteppingServer


def main() -> None:
    """Run the trial and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--storage", choices=("local", "s3"), default="local")
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--phases", nargs="*", choices=PHASES, default=PHASES)
    parser.add_argument("--every", type=int, default=1, help="kill at every so many-th step only")
    options = parser.parse_args()
    with contextlib.ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        database = ends.enter_context(TrialDatabase(options.database, folder / "data"))
        variables = VARIABLES | database.variables
        stored = objects_in_folder(folder / "data")
        if options.storage == "s3":
            bucket = ends.enter_context(seaweed_server())
            bucket.create_bucket("trial")
            variables |= {
                "WONDER_STORAGE": "s3",
                "WONDER_S3_ENDPOINT_URL": bucket.url,
                "WONDER_S3_BUCKET": "trial",
                "WONDER_S3_ACCESS_KEY_ID": ACCESS_KEY,
                "WONDER_S3_SECRET_ACCESS_KEY": SECRET_KEY,
            }
            stored = objects_in_bucket(bucket, "trial")
        trial = FileTrial(SteppingServer(folder, **variables), stored, database.rows, database.change)
        trial.prepare()
        for phase in options.phases:
            trial.run(phase, range(1, 100_000, options.every))
            print(phase, trial.kills[phase], "kills", flush=True)
        found = trial.judge()
        exit_code = trial.server.end()
    print(json.dumps({"kills": trial.kills, **found, "exit code": exit_code}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
