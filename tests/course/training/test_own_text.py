"""A text of one's own: what a fingerprint of its files sees, and names that no terminal should print."""

import os

import pytest

from helpers.course.training import own_text
from helpers.course.training.own_text import files_digest, prepare_text

STORY = "the cat saw the hen near a red house, and then the cat went home again\n" * 3 + "x y " * 300


def changes(path, act):
    before = files_digest([path])
    act()
    return files_digest([path]) != before


def test_of_a_file_above_the_limit_only_size_and_date_count(tmp_path, monkeypatch):
    """A film beside a story: not one byte of it is read."""
    film = tmp_path / "film.mkv"
    (tmp_path / "a.txt").write_text("Ann")
    with open(film, "wb") as file:
        file.truncate(50_000_000_000)  # sparse
    monkeypatch.setattr(own_text, "update_from_file", lambda found, path, most: path.name == "a.txt" or 1 / 0)
    assert not changes(tmp_path, lambda: None)
    assert changes(tmp_path, lambda: os.utime(film, (1, 1)))
    assert changes(tmp_path, lambda: os.truncate(film, 40_000_000_000))


def test_a_file_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(own_text, "PIECE", 4)
    path = tmp_path / "a.txt"
    path.write_text("123456789")
    assert changes(path, lambda: path.write_text("12345678x"))


def test_a_folder_that_may_not_be_listed_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text("Ann")
    real = own_text.Path.iterdir

    def refusing(folder):
        if folder.name == "b":
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(own_text.Path, "iterdir", refusing)
    assert changes(tmp_path, lambda: (tmp_path / "a.txt").write_text("Bob"))


@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
def test_names_are_made_printable(tmp_path):
    """A byte that is no UTF-8, an escape that clears a terminal, and a mark that turns the direction."""
    folder = tmp_path / os.fsdecode(b"M\x81ller\x1b[2J")
    folder.mkdir()
    (folder / "a\u202etxt").write_text(STORY)
    (folder / "b\x1b[2J.png").write_bytes(b"\x89PNG\r\n")
    text = prepare_text([folder])
    assert text["name"] == "M\ufffdller\ufffd[2J"
    assert [name for name, _ in text["remarks"]] == ["b\ufffd[2J.png"]
