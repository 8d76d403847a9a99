import inspect
import re

from annotator.domain import errors
from annotator.domain.errors import AnnotatorError, MissingExtra

CLASSES = {
    name: value for name, value in vars(errors).items() if inspect.isclass(value)
}  # every class of the module is an error


def test_every_error_stands_in_the_tree_that_the_module_draws() -> None:
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or "")) | {"AnnotatorError"}
    assert drawn == set(CLASSES)


def test_every_error_is_an_annotator_error_and_says_what_it_means() -> None:
    for name, kind in CLASSES.items():
        assert issubclass(kind, AnnotatorError), name
        assert kind.__doc__, name


def test_a_missing_extra_names_the_line_that_installs_it() -> None:
    message = str(MissingExtra("Retriever 'qdrant'", "qdrant"))
    assert message == "Retriever 'qdrant' needs an extra: pip install 'rag-annotator[qdrant]'"
