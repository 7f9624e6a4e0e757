# SPDX-License-Identifier: BSD-3-Clause
"""The driver: which blocks are missing, a few of them on their way at a time, and what came back."""
from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import pathlib
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from .._progress import ProgressEvery
from . import store
from ._errors import BlockFailed, FailedBlocks, StudyError
from ._optional import package
from ._words import plain
from .engines import Engine, engine_of
from .functions import Function, dumped
from .outcomes import Computed, Failed, NotWritten, Unfit, Written
from .results import FromDocument, StudyResults
from .work import Payload, greet, work

if TYPE_CHECKING:
    from .description import Study

_MANIFEST_SECONDS = 2.0  # between two manifests
Progress = Callable[[int, int], object]


def run(study: Study, out: pathlib.Path, given: str | Engine | Executor, threads: int | None, progress: bool | Progress | ProgressEvery,
        fail_fast: bool, check: bool, from_document: FromDocument) -> StudyResults:
    package("pyarrow.parquet")
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise StudyError("a worker that begins runs the script again: put study.run(...) under if __name__ == '__main__':")
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise ValueError(f"Study.run: argument 'threads' is {threads!r}, expected a whole number from 1")
    for factor in study.over.factors:
        factor.recheck()
    for calculation in study.what:
        if isinstance(calculation, Function):
            calculation.recheck()
    out = out.resolve()  # whatever folder functions go to
    if not (isinstance(progress, bool | ProgressEvery) or callable(progress)):
        raise ValueError(f"Study.run: argument 'progress' is {progress!r}, expected True, False, a function of (states done, all states) or a "
                         "ProgressEvery")
    engine = engine_of(given)
    try:
        if engine.executor is not None:
            with store.Folder(out, study) as folder:
                _Driver(study, folder, engine, threads, fail_fast, from_document).run(progress, check)
    finally:
        engine.close()
    try:
        results = StudyResults(out, from_document)
        failures = results.failures
        if failures and engine.executor is not None:
            warnings.warn(f"{len(failures)} of {results.blocks} blocks of '{study.name}' failed, the first with: {failures[0]['reason']} "
                          "(StudyResults.failures)", FailedBlocks, stacklevel=3)
        return results
    except StudyError:
        if engine.executor is None:  # a rank that has served and does not see the folder
            raise SystemExit(0) from None
        raise


class _Driver:
    def __init__(self, study: Study, folder: store.Folder, engine: Engine, threads: int | None, fail_fast: bool,
                 from_document: FromDocument) -> None:
        self.study, self.folder, self.engine, self.fail_fast, self.from_document = study, folder, engine, fail_fast, from_document
        self.payload = Payload(_sent(study, engine), folder.key, study.versions(), None if engine.in_process else str(folder.path.resolve()),
                               folder.token, threads or engine.threads)
        self.failed: list[Failed] = []
        self.done = 0
        self.told = time.monotonic()

    def run(self, progress: bool | Progress | ProgressEvery, check: bool) -> None:
        shared = self.engine.share(self.payload)
        self._greet(shared)
        self.folder.sweep()
        there = self.folder.done(check)
        self.done = sum(there)
        self._room()
        self._manifest("running")
        for path in (self.folder.path / "failures").glob("[0-9]*.json"):
            path.unlink(missing_ok=True)  # these blocks are tried again
        missing = (k for k in range(self.study.blocks) if not there[k])
        pending: set[Future[Any]] = set()
        number_of: dict[Future[Any], int] = {}
        most = self.engine.workers + 1 if self.engine.in_process else 3 * self.engine.workers + 1
        try:
            with _told(progress, self.study, sum(self.study.range_of(k)[1] for k in range(self.study.blocks) if there[k])) as tell:
                while True:
                    while len(pending) < most and (number := next(missing, None)) is not None:
                        future = self._submit(shared, number)
                        number_of[future] = number
                        pending.add(future)
                    if not pending:
                        break
                    ready, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in sorted(ready, key=number_of.__getitem__):
                        number = number_of.pop(future)
                        self._take(self._outcome(future, number), number)
                        tell(self.study.range_of(number)[1])
                    del ready, future
                    self._manifest("running", every=_MANIFEST_SECONDS)
        except BaseException as error:
            for future in pending:
                future.cancel()
            self._manifest("stopped")
            if isinstance(error, KeyboardInterrupt):
                concurrent.futures.wait(pending, timeout=0 if not self.engine.in_process else None)
            raise
        if self.failed or self.done != self.study.blocks:
            self._manifest("incomplete")
            return
        self._manifest("complete", result=StudyResults(self.folder.path, self.from_document).hash())

    def _room(self) -> None:
        """Refuses what the disk cannot hold."""
        needed = sum(c.bytes for c in self.study.columns if c.name in self.study.stored) * self.study.states
        needed = int(needed * (1 - self.done / self.study.blocks))
        free = shutil.disk_usage(self.folder.path).free
        if needed > free:
            raise StudyError(f"{self.folder.path}: the results take {needed / 1e9:.3g} GB, the disk has {free / 1e9:.3g} GB left; reduce=, store= "
                             "and keep= store less")

    def _submit(self, shared: Any, number: int) -> Future[Any]:
        assert self.engine.executor is not None
        try:
            return self.engine.executor.submit(work, shared, number)
        except (RuntimeError, concurrent.futures.BrokenExecutor) as error:
            raise self._lost(error) from error

    def _greet(self, shared: Any) -> None:
        """Before the first block: a worker has the same versions, can load the study, and computes the same bits of the first state."""
        assert self.engine.executor is not None
        try:
            found = self.engine.executor.submit(greet, shared).result()
        except Exception as error:
            guard = ("; a script that starts workers needs if __name__ == '__main__': around study.run(...), and is a file"
                     if isinstance(error, BrokenProcessPool) else "")
            raise StudyError(f"engine {self.engine.name}: no worker could begin: {type(error).__name__}: {error}{guard}") from error
        if isinstance(found, Unfit):
            raise StudyError(f"engine {self.engine.name}: {found.reason}")
        own = [plain(x) for c in self.study.what for x in c.run(self.study.segments(0, 1)[0]).values()]
        if repr(found) != repr(own):
            raise StudyError(f"engine {self.engine.name}: a worker computes other numbers of the first state than this process: another "
                             "processor, mathematical library or package, or a calculation that is no function of its states")

    def _outcome(self, future: Future[Any], number: int) -> Any:
        try:
            return future.result()
        except concurrent.futures.BrokenExecutor as error:
            raise self._lost(error) from error
        except concurrent.futures.CancelledError as error:
            raise self._lost(error) from error
        except Exception as error:  # the engine gave this block up, after its retries
            return Failed(number, None, f"engine {self.engine.name}: {type(error).__name__}: {error}", "")

    def _lost(self, error: BaseException) -> StudyError:
        return StudyError(f"engine {self.engine.name} lost its workers ({type(error).__name__}: {error}). {self._kept()}")

    def _kept(self) -> str:
        return f"{self.done} of {self.study.blocks} blocks are kept; the same run again computes the others"

    def _take(self, found: Any, number: int) -> None:
        if isinstance(found, Computed):
            try:
                store.write_block(self.folder.path, self.study, self.folder.key, found)
            except OSError as error:
                raise StudyError(f"{self.folder.path}: block {number} cannot be written: {store.why_not_written(error)}. {self._kept()}") from error
            found = Written(number)
        if isinstance(found, NotWritten):
            raise StudyError(f"block {number} cannot be written: {found.reason}. {self._kept()}")
        if isinstance(found, Unfit):
            raise StudyError(f"engine {self.engine.name}: {found.reason}. {self._kept()}")
        if isinstance(found, Written):
            self.done += 1
            return
        self.failed.append(Failed(found.number, found.state, found.reason, "") if len(self.failed) < 100 else found)
        store.write_failure(self.folder.path, self.study, found)
        if self.fail_fast:
            at = f"state {found.state}" if found.state is not None else "states {}..{}".format(*_ends(self.study, number))
            raise BlockFailed(f"block {number}, {at}: {found.reason}. {self._kept()}")

    def _manifest(self, status: str, every: float = 0.0, result: str | None = None) -> None:
        if every and time.monotonic() - self.told < every:
            return
        self.told = time.monotonic()
        try:
            self.folder.write_manifest(status, self.done, len(self.failed), result)
        except OSError as error:
            if status == "stopped":  # what stopped the study is said
                return
            raise StudyError(f"{self.folder.path}: {store.why_not_written(error)}. {self._kept()}") from error


def _ends(study: Study, number: int) -> tuple[int, int]:
    first, count = study.range_of(number)
    return first, first + count - 1


def _sent(study: Study, engine: Engine) -> bytes | Study:
    """Functions of the user travel with what they refer to."""
    if engine.in_process:
        return study
    try:
        return dumped(study, study.what)
    except ImportError:
        raise
    except Exception as error:
        names = [c.name for c in study.what if hasattr(c, "function")]
        raise StudyError(f"engine {engine.name}: {' or '.join(names) or 'the study'} cannot be sent to workers: {error}") from error


@contextlib.contextmanager
def _told(given: bool | Progress | ProgressEvery, study: Study, done: int) -> Iterator[Callable[[int], None]]:
    """A function that is told of the states of each block that is done."""
    progress, every = (given.call, given.interval) if isinstance(given, ProgressEvery) else (given, 0.0)
    if progress is True:
        with package("tqdm").tqdm(total=study.states, initial=done, unit="states", unit_scale=True, desc=study.name, smoothing=0.05,
                                    mininterval=every or 0.1) as bar:
            yield bar.update
    elif callable(progress):
        count, told = done, time.monotonic()

        def tell(more: int) -> None:
            nonlocal count, told
            count += more
            if count == study.states or time.monotonic() - told >= every:
                told = time.monotonic()
                progress(count, study.states)
        yield tell
    else:
        yield lambda more: None

