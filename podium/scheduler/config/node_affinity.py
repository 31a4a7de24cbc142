"""`addedAffinity` of NodeAffinity: shaped and judged as a pod's node affinity."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from podium.api.documents import Bits, Document, Range, Tuple, decode, refuse
from podium.api.errors import FieldError
from podium.api.objects import part
from podium.api.selectors.node_selector import node_selector, preferred_terms
from podium.api.well_known import PREFERRED, REQUIRED


class NodeSelectorRequirement(Document):
    """A requirement of a node's labels or fields."""

    key: str = ""
    operator: str = ""
    values: Tuple[str] = ()


class NodeSelectorTerm(Document):
    """Requirements that a node must meet together."""

    match_expressions: Tuple[NodeSelectorRequirement] = ()
    match_fields: Tuple[NodeSelectorRequirement] = ()


class NodeSelector(Document):
    """Terms of which a node must meet one."""

    node_selector_terms: Tuple[NodeSelectorTerm] = ()


class PreferredSchedulingTerm(Document):
    """A term that makes a node more attractive by its weight."""

    weight: Annotated[int, Bits(32), Range(0)] = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(Document):
    """A pod's node affinity."""

    required: Annotated[NodeSelector, Field(alias=REQUIRED)] = NodeSelector()
    preferred: Annotated[Tuple[PreferredSchedulingTerm], Field(alias=PREFERRED)] = ()

    @classmethod
    def shape(cls) -> BeforeValidator:
        """The check of a field that holds a node affinity as the API writes it."""

        def checked(value: Any) -> Any:
            refuse(decode(cls, value).faults)
            refuse(_meaning_faults(value))
            return value

        return BeforeValidator(checked)


def _meaning_faults(raw: Mapping[str, Any]) -> Iterator[FieldError]:
    for fault in node_selector(part(raw, REQUIRED)).errors:
        yield fault.under(REQUIRED)
    for _, term in preferred_terms(raw.get(PREFERRED)):
        for fault in term.error:
            yield fault.under(PREFERRED)
