"""What mkdocstrings is told of the package besides its source: public names, and docstrings as Markdown.

Names of the top level, and those that a page links to, are shown with all that their docstrings say. Any other name is
a row of a list, with the first sentence of its docstring; ``help()`` has the rest. Errors, and classes that hold values
and have no methods, are named alone. A name that several packages have is on the page of the one that defines it.
"""

from __future__ import annotations

import inspect
import re
from enum import Enum
from importlib import import_module
from pathlib import Path

import attrs
import griffe

_ROLE = re.compile(r":\w+:`(?:(?P<said>[^`<]+) <)?(?P<short>~?)(?P<name>[\w.]+)>?`")
# A part of a docstring such as `Args:`, and one entry of it.
_SECTION = re.compile(r"^(?P<heading>[A-Z][a-z]+):\n(?P<rows>(?: {4}.*\n?|\n(?= {4}))+)", re.M)
_ENTRY = re.compile(r"^ {4}(?P<name>All else|[\w*]+(?:, \w+)*): (?P<said>.+(?:\n {5,}.+)*)", re.M)
_SENTENCE = re.compile(r".*?[.](?= |$)|.*")
_LINK = re.compile(r"api/\w+\.md#(planspec_lark\.[\w.]+)")
# What is no method to call for its own sake: what is private, and what makes another form of a value.
_NO_DEED = re.compile("_|to_|from_|of$")
# What is typed at the prompt of Python, with what is printed.
_SESSION = re.compile(r"^>>> .+(?:\n.+)*", re.M)


class Docstrings(griffe.Extension):
    """Public are the names that a package imports as themselves; roles such as ``:func:`` become links; what
    attrs and enumerations make is shown.
    """

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Go through a package that was loaded as a whole."""
        first = {
            member.target_path
            for name, member in pkg.members.items()
            if isinstance(member, griffe.Alias) and _is_own(name, member)
        }
        _go_through(pkg, pkg, first | _linked_to(pkg))


def _linked_to(package: griffe.Module) -> set[str]:
    """The paths of the names that pages link to, from where they are defined."""
    pages = (
        path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.md") if path.parent.name != "api"
    )
    names = {name.removeprefix(f"{package.name}.") for page in pages for name in _LINK.findall(page)}
    return {member.target_path if isinstance(member := package[name], griffe.Alias) else member.path for name in names}


def _go_through(one: griffe.Object, package: griffe.Module, in_full: set[str], is_full: bool = False) -> None:
    is_full = is_full or one.path in in_full
    if one.docstring is not None and is_full:
        text = _SECTION.sub(_listed, one.docstring.value)
        one.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", _linked(text, one, package))
    if isinstance(one, griffe.Module) and one.is_init_module and one is not package:
        _divide(one, package, in_full)
    if isinstance(one, griffe.Class):
        _complete(one)
    for member in [*one.members.values()]:
        if isinstance(member, griffe.Object):
            _go_through(member, package, in_full, is_full)


def _divide(one: griffe.Module, package: griffe.Module, in_full: set[str]) -> None:
    """Leave the names of a package that are shown in full, and make a list of the others."""
    own = [
        (name, member)
        for name, member in one.members.items()
        if isinstance(member, griffe.Alias)
        and _is_own(name, member)
        and member.final_target.path.startswith(f"{one.path}.")
    ]
    one.exports = [name for name, member in own if member.target_path in in_full]
    rows: list[str] = []
    named: dict[str, list[str]] = {"Errors": [], "Values": []}
    for name, member in own:
        target = package[member.target_path.removeprefix(f"{package.name}.")]
        if name in one.exports or target.docstring is None:
            continue
        if isinstance(target, griffe.Class) and not (methods := _methods(target)):
            named["Errors" if name.endswith("Error") else "Values"].append(f"`{name}`")
            continue
        said = _SENTENCE.match(" ".join(target.docstring.value.partition("\n\n")[0].split()))
        assert said is not None
        rows.append(f"- `{name}`: {_linked(said[0], target, package)}")
        if isinstance(target, griffe.Class):
            rows[-1] += f" It has {', '.join(methods)}."
    rows += [f"- {heading}: {', '.join(names)}." for heading, names in named.items() if names]
    heading = "`help(NAME)` says more of these:" if rows else ""
    one.docstring = griffe.Docstring("\n".join([heading, "", *rows]), parent=one)


def _methods(one: griffe.Class) -> list[str]:
    """What may be called on a class, by name, but for what makes another form of its values."""
    return [
        f"`{name}`"
        for name, member in one.members.items()
        if member.is_function and not _NO_DEED.match(name) and member.docstring is not None
    ]


def _listed(section: re.Match[str]) -> str:
    """A part of a docstring as a list: the types of its names are in the signature."""
    rows = [f"- `{entry['name']}`: {' '.join(entry['said'].split())}" for entry in _ENTRY.finditer(section["rows"])]
    if not rows:
        return f"{section['heading']}: {' '.join(section['rows'].split())}\n"
    return "\n".join([f"{section['heading']}:\n", *rows, ""])


def _is_own(name: str, alias: griffe.Alias) -> bool:
    home, _, target = alias.target_path.rpartition(".")
    return home.startswith("planspec_lark.") and "._" not in home and target == name


def _complete(one: griffe.Class) -> None:
    """Add what a class gets when it is made: its constructor, or the values of an enumeration."""
    try:
        found: object = import_module(one.module.path)
    except ImportError:
        # It needs an extra, and has no page.
        return
    for name in one.path.removeprefix(f"{one.module.path}.").split("."):
        found = getattr(found, name, None)
    if not isinstance(found, type):
        return
    if issubclass(found, Enum) and one.docstring is not None and "Attributes:" not in one.docstring.value:
        one.docstring.value += f"\n\nValues: {', '.join(f'`{member.value!r}`' for member in found)}."
        one.bases = []
    elif attrs.has(found) and "__init__" not in one.members:
        _add_constructor(one, inspect.signature(found))


def _add_constructor(one: griffe.Class, signature: inspect.Signature) -> None:
    parameters = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
    for name, parameter in signature.parameters.items():
        # A field with an underscore goes in without it.
        member = one.all_members.get(name) or one.all_members.get(f"_{name}")
        kind = griffe.ParameterKind[parameter.kind.name.lower()]
        annotation = getattr(member, "annotation", None)
        parameters.append(griffe.Parameter(name, annotation=annotation, kind=kind, default=_said(parameter.default)))
    one.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters)))


def _said(default: object) -> str | None:
    """A default as code has it; what is made anew for each object is three dots."""
    if default is inspect.Parameter.empty:
        return None
    if isinstance(default, Enum) and default is not attrs.NOTHING:
        return str(f"{type(default).__name__}.{default.name}")
    return repr(default) if default is None or isinstance(default, str | int | float | tuple) else "..."


def _linked(text: str, one: griffe.Object, package: griffe.Module) -> str:
    def link(role: re.Match[str]) -> str:
        name = role["name"]
        said = role["said"] or (name.rpartition(".")[2] if role["short"] else name)
        path = name if name.startswith(f"{package.name}.") else _found(name, one)
        # What no page has stays a name.
        return f'<autoref optional identifier="{path}"><code>{said}</code></autoref>'

    return _ROLE.sub(link, text)


def _found(name: str, one: griffe.Object | None) -> str:
    """The path of a name as it is seen where a docstring stands."""
    while one is not None:
        if name.partition(".")[0] in one.members:
            return f"{one.path}.{name}"
        one = one.parent
    return name
