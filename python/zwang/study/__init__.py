# SPDX-License-Identifier: BSD-3-Clause
"""Studies: calculations over many states, in blocks, on one core or a cluster, with the same bits, resumable.

    study = zw.Study(arm, what=["inverse_dynamics"], over=zw.study.Sample(10**7, seed=1, q="limits", v=(-1, 1), a=(-5, 5)),
                     reduce={"inverse_dynamics": ["min", "max"]})
    results = study.run("torques", engine="processes", progress=True)
    results.reduced["inverse_dynamics"]["max"]

`zwang study study.json --engine dask://host:port --out torques` runs the document of a study. Results are Parquet files, one for each
block; pip install zwang[study] installs what that takes. The engines Dask, Ray and MPI are packages of their own.
"""
from ._columns import Column as Column
from ._errors import StateError as StateError, StudyError as StudyError, StudyWarning as StudyWarning
from .arrays import Arrays as Arrays
from .block import Block as Block
from .calls import Call as Call, known_calls as known_calls
from .description import Study as Study, from_document as from_document, open_study as open_study, read_study as read_study
from .engines import ENGINES as ENGINES, Engine as Engine
from .functions import Function as Function
from .over import Grid as Grid, Sample as Sample
from .results import StudyResults as StudyResults

__all__ = ["Arrays", "Block", "Call", "Column", "ENGINES", "Engine", "Function", "Grid", "Sample", "StateError", "Study", "StudyError",
           "StudyResults", "StudyWarning", "from_document", "known_calls", "open_study", "read_study"]
