from pathlib import Path

import pytest

from annotator.domain.errors import InputError
from annotator.settings import (
    SETTINGS_FILE,
    BuiltinRetriever,
    HttpRetriever,
    Settings,
    load_settings,
    write_settings,
)


def load(folder: Path, text: str) -> Settings:
    path = folder / SETTINGS_FILE
    path.write_text(text, encoding="utf-8")
    return load_settings(path)


def refusal_of(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert SETTINGS_FILE in message
    return message


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    assert settings.corpus.chunk_chars == 600
    assert settings.dataset.languages == ("en", "zh")
    assert list(settings.all_retrievers()) == ["builtin", "lexical", "dense"]


def test_the_file_names_what_differs(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        '\ufeff[dataset]\nname = "灯 \\"x\\""\nlanguages = ["zh"]\n'
        '[retrievers.live]\ntype = "http"\nurl = "http://localhost/?q={query}"\n'
        '[retrievers.builtin]\ntype = "builtin"\nmode = "lexical"\n',
    )
    assert settings.dataset.name == '灯 "x"'
    assert settings.dataset.languages == ("zh",)
    retrievers = settings.all_retrievers()
    assert isinstance(retrievers["live"], HttpRetriever)
    assert retrievers["builtin"] == BuiltinRetriever(mode="lexical")


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANNOTATOR_CORPUS__CHUNK_CHARS", "400")
    monkeypatch.setenv("ANNOTATOR_POOL__RETRIEVERS", '["lexical"]')
    settings = load(tmp_path, "[corpus]\nchunk_chars = 300\noverlap_chars = 50\n")
    assert settings.corpus.chunk_chars == 400
    assert settings.corpus.overlap_chars == 50
    assert settings.pool.retrievers == ("lexical",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[corpus", "is not valid TOML"),
        ("[corpora]\n", "unknown section or field 'corpora'"),
        ("[corpus]\nchunk_char = 3\n", "corpus.chunk_char"),
        ("[corpus]\nchunk_chars = 3\n", "corpus.chunk_chars"),
        ('[corpus]\nchunk_chars = "many"\n', "got 'many'"),
        ('[corpus]\nchunker = "magic"\n', "corpus.chunker"),
        ("corpus = 3\n", "corpus"),
        ('[retrievers.x]\ntype = "magic"\n', "retrievers.x"),
        ('[retrievers.x]\nurl = "u"\n', "retrievers.x"),
        ('[retrievers.x]\ntype = "http"\n', "retrievers.x.http.url"),
        ("[pool]\ndepth_k = 0\n", "pool.depth_k"),
    ],
)
def test_what_does_not_fit_is_named_with_its_file(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal_of(tmp_path, text)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS_FILE
    path.write_bytes('name = "保修"'.encode("gbk"))
    with pytest.raises(InputError, match="is not UTF-8"):
        load_settings(path)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("ANNOTATOR_CORPUS__CHUNK_CHARS", "many", "ANNOTATOR_CORPUS__CHUNK_CHARS: Input should"),
        ("annotator_pool__depth_k", "0", "annotator_pool__depth_k: Input should"),
        ("ANNOTATOR_POOL__RETRIEVERS", "lexical", "variable ANNOTATOR_POOL… cannot be read"),
        ("ANNOTATOR_RETRIEVERS", "none", "variable ANNOTATOR_RETRIEVERS… cannot be read"),
        ("ANNOTATOR_DATASET", "lamp", "variable ANNOTATOR_DATASET… cannot be read"),
    ],
)
def test_a_variable_that_does_not_fit_is_named_in_place_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError) as caught:
        load(tmp_path, "")
    assert reason in str(caught.value)
    assert SETTINGS_FILE not in str(caught.value)


def test_every_setting_is_described() -> None:
    for name, section in Settings.model_fields.items():
        inner = getattr(section.annotation, "model_fields", {})
        for field, info in inner.items():
            assert info.description, f"{name}.{field}"


def test_new_settings_can_be_read_back(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS_FILE
    name = 'a "quoted" \\ 名\n[corpus]'
    write_settings(path, {"dataset": {"name": name, "licence": "x", "languages": ["zh"]}})
    assert load_settings(path).dataset.name == name
    assert b"\r" not in path.read_bytes()


def test_settings_cannot_be_changed_once_read(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    with pytest.raises(ValueError, match="frozen"):
        settings.corpus.chunk_chars = 5
