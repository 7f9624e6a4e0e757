# SPDX-License-Identifier: BSD-3-Clause
"""Who computes the blocks: an executor of concurrent.futures, which each engine has or is given. Scheduling, retrying and transport are
the engine's.

    local           this process: one block at a time on all its threads, while the last is written
    processes[:N]   N processes of one thread, default one for each processor
    dask[:N]        N processes of one thread on this machine; dask://HOST:PORT: a running scheduler
    ray[:N]         likewise; ray://HOST:PORT: a running cluster
    mpi             the other ranks of mpiexec; rank 0 drives
"""
from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._errors import StudyError
from ._optional import package
from ._words import among

ENGINES = ("local", "processes", "dask", "ray", "mpi")


@dataclass
class Engine:
    """An executor with what a study has to know of it."""
    name: str
    executor: concurrent.futures.Executor | None  #: None: this process only serves, and is done
    workers: int
    threads: int | None = 1                     #: of a worker; None: as they are
    in_process: bool = False                    #: blocks come back without copies
    share: Callable[[Any], Any] = lambda payload: payload  #: puts a payload where all workers find it
    close: Callable[[], None] = lambda: None


def engine_of(given: str | Engine | concurrent.futures.Executor) -> Engine:
    """Raises ValueError for an unknown name, ImportError naming a package, StudyError where an engine cannot be reached."""
    if isinstance(given, Engine):
        return given
    if isinstance(given, concurrent.futures.Executor):
        in_process = isinstance(given, concurrent.futures.ThreadPoolExecutor)
        return Engine(type(given).__name__, given, getattr(given, "_max_workers", None) or os.cpu_count() or 1, None, in_process)
    if not isinstance(given, str):
        raise ValueError(f"engine is {given!r}, expected one of {', '.join(ENGINES)}, or an executor")
    name, _, rest = given.partition(":")
    if name not in ENGINES:
        raise ValueError(f"there is no engine '{given}'{among(name, ENGINES, 'Engines')}")
    if rest.startswith("//"):
        if name not in ("dask", "ray"):
            raise ValueError(f"engine '{given}': {name} takes no address")
        return _MAKE[name](None, rest[2:])
    if rest and (not (rest.isascii() and rest.isdigit()) or int(rest) == 0 or name in ("local", "mpi")):
        raise ValueError(f"engine '{given}': expected {_SPELLED[name]}")
    return _MAKE[name](int(rest) if rest else None, None)


_SPELLED = {"local": "local", "mpi": "mpi", "processes": "processes:N", "dask": "dask:N or dask://HOST:PORT", "ray": "ray:N or ray://HOST:PORT"}


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _local(_workers: int | None, _address: str | None) -> Engine:
    executor = concurrent.futures.ThreadPoolExecutor(1, "zwang-study")
    return Engine("local", executor, 1, None, True, close=lambda: executor.shutdown(cancel_futures=True))


def _processes(workers: int | None, _address: str | None) -> Engine:
    n = workers or processors()
    executor = concurrent.futures.ProcessPoolExecutor(n, multiprocessing.get_context("spawn"))
    return Engine("processes", executor, n, close=lambda: executor.shutdown(cancel_futures=True))


def _dask(workers: int | None, address: str | None) -> Engine:
    distributed = package("distributed", "dask")
    if address is None:
        cluster = distributed.LocalCluster(n_workers=workers or processors(), threads_per_worker=1, dashboard_address=None)
        client = distributed.Client(cluster)
    else:
        cluster = None
        try:
            client = distributed.Client(f"tcp://{address}", timeout=10)
        except OSError as error:
            raise StudyError(f"there is no Dask scheduler at {address}: {error}") from error
    found = sum(client.nthreads().values())
    if found == 0:
        client.close()
        raise StudyError(f"the Dask scheduler at {address} has no workers")
    executor = client.get_executor(pure=False)

    def close() -> None:
        executor.shutdown(wait=False)
        client.close()
        if cluster is not None:
            cluster.close()
    return Engine("dask", executor, found, share=lambda payload: client.scatter(payload, broadcast=True, hash=False), close=close)


class _RayExecutor(concurrent.futures.Executor):
    """Ray's tasks as futures."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._tasks: dict[Any, Any] = {}

    def submit(self, function: Callable[..., Any], /, *words: Any, **_: Any) -> concurrent.futures.Future[Any]:
        if function not in self._tasks:
            self._tasks[function] = self._ray.remote(num_cpus=1, max_retries=3)(function)
        found: concurrent.futures.Future[Any] = self._tasks[function].remote(*words).future()
        return found


def _ray(workers: int | None, address: str | None) -> Engine:
    ray = package("ray", "ray")
    ours = not ray.is_initialized()
    if ours:
        words: dict[str, Any] = {"num_cpus": workers or processors()} if address is None else {"address": f"ray://{address}"}
        try:
            ray.init(log_to_driver=False, include_dashboard=False if address is None else None, logging_level="error", **words)
        except Exception as error:  # Ray raises several kinds
            raise StudyError(f"Ray cannot be reached at {address or 'this machine'}: {error}") from error
    return Engine("ray", _RayExecutor(ray), max(1, int(ray.cluster_resources().get("CPU", 1))), share=ray.put,
                  close=ray.shutdown if ours else lambda: None)


def _mpi(_workers: int | None, _address: str | None) -> Engine:
    futures, mpi = package("mpi4py.futures", "mpi"), package("mpi4py.MPI", "mpi")
    world = mpi.COMM_WORLD
    if world.Get_size() < 2:
        raise StudyError("engine mpi: there is one rank, expected mpiexec -n N with N from 2 on: rank 0 drives, the others compute")
    pool = futures.MPICommExecutor(world, root=0)
    executor = pool.__enter__()  # of the others it returns when the driver has finished
    return Engine("mpi", executor, world.Get_size() - 1, close=lambda: pool.__exit__(None, None, None))


def speaks(name: str) -> bool:
    """Whether this process says what was found: of the ranks of mpiexec the first alone."""
    return name != "mpi" or package("mpi4py.MPI", "mpi").COMM_WORLD.Get_rank() == 0


_MAKE: dict[str, Callable[[int | None, str | None], Engine]] = {
    "local": _local, "processes": _processes, "dask": _dask, "ray": _ray, "mpi": _mpi}
