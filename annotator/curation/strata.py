"""Part the intents into head, torso and tail by the traffic they carry."""

from collections.abc import Mapping

from annotator.domain.errors import InputError
from annotator.domain.query import Stratum

HEAD_SHARE = 0.5
TORSO_SHARE = 0.3


def assign_strata(
    traffic: Mapping[str, int], *, head: float = HEAD_SHARE, torso: float = TORSO_SHARE
) -> dict[str, Stratum]:
    """Return the stratum of each intent, given its number of log rows.

    Intents by falling traffic (ties: smaller id first) are head until they have carried the share
    `head` of all rows, then torso for the next `torso`, then tail; the intent that crosses a
    border belongs above it. Raises InputError for shares below 0 or above 1 in all.
    """
    if head < 0 or torso < 0 or head + torso > 1 + 1e-9:
        raise InputError(
            f"Head {head} and torso {torso} are no shares of traffic; use numbers from 0 whose "
            "sum is at most 1."
        )
    total = sum(traffic.values())
    strata: dict[str, Stratum] = {}
    carried = 0
    for intent in sorted(traffic, key=lambda name: (-traffic[name], name)):
        # The tolerance keeps 0.5 + 0.3 from missing an exact 80 %
        share = carried / total + 1e-12 if total else 1.0
        strata[intent] = "head" if share < head else "torso" if share < head + torso else "tail"
        carried += traffic[intent]
    return strata
