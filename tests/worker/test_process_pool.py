"""Picture processes: work crosses over, deaths are survived, and nobody is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.helpers.processes import die, fail, hang, square, where
from worker.process_pool import PictureWorkLost, ProcessPool

ROOT = Path(__file__).parents[2]


async def test_work_is_done_elsewhere_and_errors_come_back() -> None:
    pool = ProcessPool(2, preload=(square,))
    await pool.start()
    try:
        assert await asyncio.gather(*(pool.run(square, number) for number in range(20))) == [n * n for n in range(20)]
        assert await pool.run(where, None) != os.getpid()
        with pytest.raises(ValueError, match="no good"):
            await pool.run(fail, "no good")
    finally:
        await pool.close()


async def test_a_process_that_dies_fails_its_work_and_the_pool_goes_on() -> None:
    pool = ProcessPool(1)
    try:
        with pytest.raises(PictureWorkLost):
            await pool.run(die, None)
        assert await pool.run(square, 4) == 16
    finally:
        await pool.close()


async def test_a_cancelled_call_drops_its_result_and_closing_twice_is_no_harm() -> None:
    pool = ProcessPool(1)
    await pool.run(square, 1)
    call = asyncio.create_task(pool.run(square, 5))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await pool.run(square, 6) == 36
    await pool.close()
    await pool.close()


async def test_a_process_that_is_stuck_is_replaced_and_does_not_hold_up_the_end() -> None:
    pool = ProcessPool(1, patience_seconds=0.1)
    await pool.run(square, 1)
    call = asyncio.create_task(pool.run(hang, None))
    await asyncio.sleep(0.3)  # until the process has begun
    call.cancel()
    await asyncio.wait([call])
    async with asyncio.timeout(20):
        while True:
            try:
                assert await pool.run(square, 3) == 9
            except PictureWorkLost:
                continue
            break
    call = asyncio.create_task(pool.run(hang, None))
    await asyncio.sleep(0.3)
    async with asyncio.timeout(10):
        await pool.close()
    await asyncio.wait([call])
    assert call.cancelled() or call.exception() is not None


def test_picture_processes_end_with_a_killed_parent_and_do_not_load_its_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import asyncio, sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.helpers.processes import main_module, where\n"
        "from worker.process_pool import ProcessPool\n"
        "async def main():\n"
        "    pool = ProcessPool(2)\n"
        "    print(await pool.run(where, None), await pool.run(main_module, None), flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "if __name__ == '__main__': asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        number, main_module = parent.stdout.readline().split()
        assert main_module == "None"
        children = psutil.Process(parent.pid).children(recursive=True)
        assert int(number) in {child.pid for child in children}
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 10
    while any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
