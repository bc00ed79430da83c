"""The engines that read the grammars for generation: Lark, and llguidance with a token for each byte."""

from __future__ import annotations

from functools import cache
from random import Random

from lark import Lark
from lark.exceptions import LarkError
from llguidance import LLMatcher, LLTokenizer
from llguidance.gbnf_to_lark import gbnf_to_lark

from planspec_lark.constrained.notation import read_grammar, write_grammar
from planspec_lark.constrained.shape import to_depth
from planspec_lark.syntax import lalr as loading


@cache
def canonical(language: str, depth: int = 13) -> str:
    """The canonical grammar of a language, with more levels than the file has."""
    return write_grammar(to_depth(read_grammar(f"{language}_canonical"), "step_", depth))


@cache
def lark(text: str, **options: object) -> Lark:
    """The LALR parser that Lark makes of a grammar."""
    settings = {"maybe_placeholders": False, "keep_all_tokens": True, **options}
    plugins = loading.PLUGINS
    return Lark(text, parser="lalr", lexer="contextual", _plugins=plugins, **settings)


def lark_accepts(grammar: str, text: str) -> bool:
    try:
        lark(grammar).parse(text)
    except LarkError:
        return False
    return True


@cache
def _tokenizer() -> LLTokenizer:
    # Its tokens are the 256 bytes and a few special ones; nothing is downloaded.
    return LLTokenizer("byte")


class Guide:
    """llguidance, following one grammar byte by byte.

    Args:
        form: what llguidance reads, such as ``LLMatcher.grammar_from_lark(text)``.
    """

    def __init__(self, form: str) -> None:
        self._matcher = LLMatcher(_tokenizer(), form, log_level=0)
        assert not self._matcher.get_error(), self._matcher.get_error()

    def follow(self, text: str) -> tuple[int, bool]:
        """How many bytes of a text it takes, and whether what it took is a whole text."""
        taken = self._matcher.try_consume_tokens(list(text.encode("utf-8")))
        is_whole = self._matcher.is_accepting()
        self._matcher.rollback(taken)
        return taken, is_whole

    def accepts(self, text: str) -> bool:
        return self.follow(text) == (len(text.encode("utf-8")), True)

    def sample(self, random: Random, *, least: int = 0, most: int = 6000) -> str:
        """A text that the mask leads a random "model" to.

        The model says a phrase as far as it may, or any byte that the mask allows. It likes letters, and likes to end a
        line the longer it is; without such a taste every text would be one endless line.
        """
        taken = bytearray()
        while not (self._matcher.is_accepting() and len(taken) >= least):
            assert len(taken) < most, taken
            if random.random() < 0.2:
                phrase = random.choice(_PHRASES).encode("utf-8")
                taken += phrase[: self._matcher.try_consume_tokens(list(phrase))]
                continue
            allowed = [byte for byte, bias in enumerate(self._matcher.compute_logit_bias()[:256]) if bias]
            assert allowed, taken
            column = len(taken) - taken.rfind(b"\n")
            (byte,) = random.choices(
                allowed, [column * column / 20 if byte == 10 else _taste(byte) for byte in allowed]
            )
            assert self._matcher.consume_token(byte)
            taken.append(byte)
        self._matcher.reset()
        return taken.decode("utf-8")


_PHRASES = (
    *(
        " → ",
        " → a, b",
        "→",
        " \\→ a",
        "\\",
        " | ",
        " | x",
        "\\|",
        " \\| ",
        "  ",
        "\t",
        " | Progress: 1/2",
        "\\Progress:",
    ),
    *(
        "\n",
        "\n  > ← a",
        "> ← b, c\n",
        "← a",
        "  ",
        "    ",
        "[x] ",
        "文",
        "1",
        "# Plan: ",
        "Constraints:\n- ",
        "[act] x",
    ),
)


def _taste(byte: int) -> float:
    return 1 if chr(byte).isascii() and chr(byte).isalnum() else 0.2


@cache
def guide(grammar: str) -> Guide:
    """llguidance with a grammar in Lark's notation."""
    return Guide(LLMatcher.grammar_from_lark(grammar))


@cache
def gbnf_guide(grammar: str) -> Guide:
    """llguidance with a grammar in GBNF."""
    return Guide(LLMatcher.grammar_from_lark(gbnf_to_lark(grammar)))


@cache
def schema_guide(schema: str) -> Guide:
    """llguidance with a JSON Schema."""
    return Guide(LLMatcher.grammar_from_json_schema(schema))
