"""The command that talks to SmolLM2, with a tiny Llama in its place."""

import contextlib
import importlib
import io
import os

import pytest
from gguf_writer import gguf, tiny_llama, tiny_model

from helpers.course import commands
from helpers.course.commands import chat_files
from helpers.course.commands.environment import Problem
from helpers.course.models import smollm2
from helpers.course.models.rows import Rows

chat = importlib.import_module("helpers.course.commands.chat")  # its function has the same name


@pytest.fixture
def fetched(monkeypatch, tmp_path):
    """The path of the model's file, a tiny one."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    path = smollm2.smollm2_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(*tiny_llama()))
    return path


SHORT = ["--length", "30"]


def talk(monkeypatch, typed, *options):
    """Let a person type these bytes; the exit code."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"))
    return commands.main(["chat", *options])


def conversation_of(model):
    conversation = chat.Conversation(model, chat.chooser(0, None))
    conversation.begin()
    return conversation


def test_models_lists_and_removes_the_fetched_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    assert commands.main(["models", "--remove", "smollm2"]) == 2
    assert commands.main(["chat", "hi"]) == 1 and "fetch smollm2" in capsys.readouterr().err
    path = smollm2.smollm2_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf({}, {}))
    assert commands.main(["models"]) == 0 and "smollm2: a chat model" in capsys.readouterr().out
    assert commands.main(["chat", "hi"]) == 1
    assert "cannot be read: its architecture" in capsys.readouterr().err
    assert commands.main(["models", "--remove", "smollm2"]) == 0 and not path.exists()


def test_a_conversation_in_the_terminal(fetched, monkeypatch, capsys):
    assert commands.main(["chat", *SHORT, "ab"]) == 0
    once = capsys.readouterr()
    assert "slowly" in once.err and "slowly" not in once.out  # what is printed is the answer alone
    assert talk(monkeypatch, b"ab\n<|im_end|>\n\n", *SHORT) == 0
    said = capsys.readouterr().out
    assert "Ctrl-C stops a reply" in said and once.out.strip() in said


def test_no_line_of_progress_overwrites_a_reply(monkeypatch):
    shown = []

    @contextlib.contextmanager
    def working(what, total=None):
        yield lambda: shown.append(what)

    monkeypatch.setattr(chat, "working", working)
    conversation = conversation_of(tiny_model())
    conversation.ask("ab")
    before = len(shown)
    assert before > 0 and set(shown) == {"SmolLM2 gets ready", "SmolLM2 reads"}
    reply = conversation.reply()
    next(reply, None), next(reply, None)
    assert len(shown) == before


@pytest.mark.parametrize("ahead", [False, True])
def test_what_is_read_is_the_chat_template_and_a_question_is_read_alone(ahead):
    """That of the first question always, of a later one where the time between them was used."""
    model, read, first = tiny_model(), [], []
    conversation = chat.Conversation(model, lambda logits: model.end)  # each reply ends at once
    plain = conversation.read_token
    conversation.read_token = lambda token: (read.append(token), plain(token))
    conversation.begin()
    for question in ("ab", "ba"):
        if ahead:
            conversation.read_ahead(), conversation.read_ahead()  # the second has nothing to do
        begun = len(read)
        conversation.ask(question)
        first.append(read[begun])
        assert [*conversation.reply()] == []
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    template = (
        f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\n"
        "<|im_end|>\n<|im_start|>user\nba<|im_end|>\n<|im_start|>assistant\n"
    )
    assert read == model.encode(template)
    assert first == [model.encode(text)[0] for text in ("ab", "ba" if ahead else "<|im_end|>")]


def test_a_long_question_is_refused_before_it_is_tokenized(monkeypatch):
    conversation = conversation_of(tiny_model())
    for long in ("a" * 30_000, "\u732b" * 1_366):  # 30,000 and 4,098 bytes
        monkeypatch.setattr(conversation.model, "encode", None)
        with pytest.raises(Problem, match="may have 4,096 bytes in UTF-8, and this one has"):
            conversation.ask(long)


def test_a_long_question_is_refused_before_the_model_is_read(fetched, monkeypatch, capsys):
    """Reading it takes half a minute."""
    monkeypatch.setattr(chat, "read_smollm2", None)
    assert commands.main(["chat", "a" * 4_097]) == 1
    assert "This is too long" in capsys.readouterr().err


def test_bytes_that_are_no_utf8_are_refused_and_the_conversation_goes_on(fetched, monkeypatch, capsys):
    assert commands.main(["chat", "a\udcff"]) == 1
    assert "no text in UTF-8" in capsys.readouterr().err
    assert commands.main(["chat", *SHORT, "ab"]) == 0  # the first start says which file it keeps
    capsys.readouterr()
    assert talk(monkeypatch, b"ab\n\n", *SHORT) == 0
    undisturbed = capsys.readouterr().out.replace("\nyou> ", "")
    assert talk(monkeypatch, b"a\xff\nab\n\n", *SHORT) == 0
    said = capsys.readouterr().out.replace("\nyou> ", "")
    sentence = "The question holds bytes that are no text in UTF-8. Write it again.\n"
    assert said.replace(sentence, "") == undisturbed


@pytest.mark.parametrize("ahead", [False, True])
def test_ctrl_c_at_a_question_leaves_the_context_as_it_was(monkeypatch, ahead):
    model = tiny_model()
    conversation, undisturbed = conversation_of(model), conversation_of(model)
    for each in (conversation, undisturbed) if ahead else ():
        each.ask("ba")
    read = conversation.read_token

    def interrupted(token):
        read(token)
        if conversation.read_tokens == before + 3:
            raise KeyboardInterrupt

    before = conversation.read_tokens
    monkeypatch.setattr(conversation, "read_token", interrupted)
    with pytest.raises(KeyboardInterrupt):
        conversation.read_ahead() if ahead else conversation.ask("abba")
    assert conversation.read_tokens == before
    monkeypatch.setattr(conversation, "read_token", read)
    for each in (conversation, undisturbed):
        each.ask("ab")
    assert conversation.x == undisturbed.x and conversation.cache == undisturbed.cache


def test_the_tokens_of_earlier_replies_are_less_likely_until_the_conversation_begins_again():
    model, seen = tiny_model(), []
    conversation = chat.Conversation(model, None, penalty=2)
    conversation.choose = lambda logits: seen.append((logits, model.logits(conversation.x))) or next(tokens)
    for begin, tokens in ((True, [5, 7, model.end]), (False, [3, model.end]), (True, [model.end])):
        if begin:
            conversation.begin()
        tokens = iter(tokens)
        conversation.ask("ab")
        assert len([*conversation.reply()]) in (0, 1, 2)
    first, again, _, second, _, other = seen
    assert first[0] == first[1] and again[0] == again[1]  # the reply that is being written does not count
    changed = {i: (x, y) for i, (x, y) in enumerate(zip(*second)) if x != y}
    assert {*changed} == {5, 7} and all(x == (y / 2 if y > 0 else y * 2) for x, y in changed.values())
    assert other[0] == other[1]


def test_nothing_is_less_likely_where_nothing_is_drawn(fetched, monkeypatch):
    made = []
    plain = chat.Conversation.__init__
    monkeypatch.setattr(
        chat.Conversation, "__init__", lambda self, *given: made.append(given[-1]) or plain(self, *given)
    )
    for options in ([], ["--temperature", "0.2"]):
        assert commands.main(["chat", *options, "--length", "2", "ab"]) == 0
    assert made == [1, chat.PENALTY]


def test_the_model_reads_ahead_while_a_person_types(fetched, monkeypatch, capsys):
    """The terminal shows the prompt first. Ctrl-C there ends the conversation, as it does while it waits."""
    shown = []

    def read_ahead(self):
        shown.append(capsys.readouterr().out.splitlines()[-1])
        if len(shown) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(chat.Conversation, "read_ahead", read_ahead)
    assert talk(monkeypatch, b"ab\n" * 9, *SHORT) == 0
    assert shown == ["you> "] * 3


def test_a_full_conversation_begins_again(fetched, monkeypatch, capsys):
    monkeypatch.setattr(chat, "MAX_TOKENS", 150)
    assert talk(monkeypatch, b"ab\n" * 5 + b"\n", *SHORT) == 0
    said = capsys.readouterr().out
    assert "room for 150 tokens" in said and said.count("A new one begins: ask again.") >= 1


def test_replies_are_drawn_and_a_seed_draws_them_again(fetched, capsys):
    assert commands.main(["chat", *SHORT, "--temperature", "5", "ab"]) == 0
    first = capsys.readouterr()
    seed = first.err.partition("--seed ")[2].split()[0]
    assert commands.main(["chat", *SHORT, "--temperature", "5", "--seed", seed, "ab"]) == 0
    assert capsys.readouterr().out == first.out
    assert commands.main(["chat", *SHORT, "--temperature", "5", "--seed", f"{int(seed) + 1}", "ab"]) == 0
    assert capsys.readouterr().out != first.out


def test_a_reply_ends_in_time_and_one_that_repeats_itself_with_a_sentence():
    conversation = conversation_of(tiny_model())
    conversation.length = 9
    conversation.ask("ab")
    conversation.choose = lambda logits, tokens=iter(range(2, 99)): next(tokens)
    assert len(list(conversation.reply())) == 9
    conversation.length = 300
    conversation.ask("ab")
    conversation.choose = lambda logits, tokens=iter([5, *[2, 3, 4] * 99]): next(tokens)
    pieces = list(conversation.reply())
    assert len(pieces) == 1 + 18 + 1 and "repeats itself" in pieces[-1]


def test_ctrl_c_stops_a_reply_and_not_the_conversation(fetched, monkeypatch, capsys):
    replies = iter([1, 0])

    def reply(self):
        yield "half"
        if next(replies):
            raise KeyboardInterrupt
        yield " and whole"

    monkeypatch.setattr(chat.Conversation, "reply", reply)
    assert talk(monkeypatch, b"ab\nab\n\n", *SHORT) == 0
    said = capsys.readouterr().out
    assert "half [stopped]" in said and "half and whole" in said


@pytest.mark.parametrize(
    ("form", "name"),
    [([], "rows"), ([], "columns"), (["--exact"], "exact")],
    ids=["rows", "columns", "exact"],
)
def test_what_is_slow_at_the_start_is_done_once(fetched, monkeypatch, capsys, form, name):
    """The second start finds a file beside the model, and a damaged one is made again without a word."""
    ask = ["chat", *SHORT, *form, "ab"]
    assert commands.main(ask) == 0
    answer = capsys.readouterr()
    assert ("columns.kept, 0 MB, is now beside the model" in answer.err) == (not form)
    (kept,) = fetched.parent.glob(f"*.{name}.kept")
    sound, work = kept.read_bytes(), {"SmolLM2 gets ready": 0, "build": 0}
    read, build = chat.Conversation.read, Rows.build

    def counted_read(self, some, what):
        work[what] = work.get(what, 0) + len(some)
        read(self, some, what)

    def counted_build(self):
        work["build"] += 1
        return build(self)

    monkeypatch.setattr(chat.Conversation, "read", counted_read)
    monkeypatch.setattr(Rows, "build", counted_build)
    assert commands.main(ask) == 0 and capsys.readouterr().out == answer.out
    assert (work["SmolLM2 gets ready"], work["build"]) == (0, 0)
    mine, other = ("build", "SmolLM2 gets ready")[:: 1 if name == "columns" else -1]
    for damage in (
        b"",
        sound[:20],
        sound[:-1],
        sound + b"x",
        sound[:-1] + bytes([sound[-1] ^ 1]),
        sound[:900] + bytes([sound[900] ^ 1]) + sound[901:],
        b"x" + sound[1:],
    ):
        kept.write_bytes(damage)
        before = work[mine]
        assert commands.main(ask) == 0 and capsys.readouterr().out == answer.out
        assert kept.read_bytes() == sound and work[mine] > before and work[other] == 0
    kept.with_name(f"{kept.name}.0123456789abcdef.tmp").write_bytes(b"left by a start that was killed")
    assert commands.main(["models"]) == 0 and "MB with which chat starts faster" in capsys.readouterr().out
    assert commands.main(["models", "--remove", "smollm2"]) == 0 and not os.listdir(fetched.parent)


def test_a_disk_that_refuses_the_files_costs_time_only(fetched, monkeypatch, capsys):
    ask = ["chat", *SHORT, "ab"]

    def full(path, parts):
        next(iter(parts))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(chat_files, "write_once", full)
    assert commands.main(ask) == 0
    first = capsys.readouterr()
    assert "beside the model" not in first.err
    assert os.listdir(fetched.parent) == [fetched.name]
    assert commands.main(ask) == 0 and capsys.readouterr().out == first.out
