"""Every error that a user can meet, as one tree.

AnnotatorError
├── InputError             a file, row or id that was handed in is wrong
├── StorageError
│   ├── WorkspaceMissing   the folder is no workspace
│   ├── WorkspaceVersion   the workspace was made by a newer program
│   ├── WorkspaceBusy      another workflow holds the workspace's lock
│   └── DiskFull           a file could not be written completely
├── StageOrderError        an earlier stage of the loop has to run first
├── RetrieverError
│   ├── RetrieverUnavailable   it is down, refuses or is too slow
│   └── RetrieverAnswerError   it answers something that cannot be used
├── EncoderError           the embedding model cannot be loaded
├── JudgmentRejected       an event that would record something untrue
├── ReleaseError           a version cannot be made
├── VerificationError      a version's files are not what was released
├── ScoreError             a score that would not mean anything
├── JobError               a background job that cannot be started, found or stopped
└── MissingExtra           an optional package is needed

A message says what happened, names the value, and says what to do. Errors are raised where
the fault is seen and caught once, in `cli/` and `app/`.
"""


class AnnotatorError(Exception):
    """Base of all errors that are the user's to act on; `str(error)` is one sentence or two."""


class InputError(AnnotatorError):
    """A file, row or id that was handed in is wrong."""


class StorageError(AnnotatorError):
    """The workspace's storage cannot be used."""


class WorkspaceMissing(StorageError):
    """The folder holds no workspace."""


class WorkspaceVersion(StorageError):
    """The workspace was written by a newer version of this program."""


class WorkspaceBusy(StorageError):
    """Another workflow is at work on the workspace."""


class DiskFull(StorageError):
    """A file could not be written completely; nothing half-written was left behind."""


class StageOrderError(AnnotatorError):
    """An earlier stage of the loop has to run first."""


class RetrieverError(AnnotatorError):
    """A retriever could not be asked or did not answer usably."""


class RetrieverUnavailable(RetrieverError):
    """The retriever is down, refuses or is too slow."""


class RetrieverAnswerError(RetrieverError):
    """The retriever answered with something that cannot be mapped to chunks."""


class EncoderError(AnnotatorError):
    """The embedding model cannot be loaded or does not fit the stored vectors."""


class JudgmentRejected(AnnotatorError):
    """An event that would record something untrue, such as a span that is not the text."""


class ReleaseError(AnnotatorError):
    """A version cannot be made from the present judgments."""


class VerificationError(AnnotatorError):
    """The files of a version are not those that were released."""


class ScoreError(AnnotatorError):
    """A score that would not mean anything, such as one on another corpus."""


class JobError(AnnotatorError):
    """A background job cannot be started, found or stopped."""


class MissingExtra(AnnotatorError):
    """An optional package is needed for what was asked."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'rag-annotator[{extra}]'")
