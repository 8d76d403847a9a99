import pytest

from annotator.text.vocabulary import known_words


@pytest.mark.parametrize(
    "word", ["country", "county", "trial", "trail", "adapt", "adopt", "austria", "australia"]
)
def test_words_one_slip_apart_are_both_known(word: str) -> None:
    assert word in known_words()


@pytest.mark.parametrize("word", ["paymnt", "recieve", "plese", "refnud"])
def test_misspellings_are_not_known(word: str) -> None:
    assert word not in known_words()
