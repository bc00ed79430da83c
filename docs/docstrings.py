"""What mkdocstrings is told of the package besides its source: public names, and docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from importlib import import_module

import attrs
import griffe

_ROLE = re.compile(r":\w+:`(?:(?P<said>[^`<]+) <)?(?P<short>~?)(?P<name>[\w.]+)>?`")
# Several names that one text is about, in a list of attributes or arguments.
_NAMES = re.compile(r"^( +)(\w+(?:, \w+)+)(: .+(?:\n\1 +.+)*)$", re.M)
# What is typed at the prompt of Python, with what is printed.
_SESSION = re.compile(r"^>>> .+(?:\n.+)*", re.M)


class Docstrings(griffe.Extension):
    """Public are the names that a package imports as themselves; roles such as ``:func:`` become links; what
    attrs and enumerations make is shown.
    """

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Go through a package that was loaded as a whole."""
        _go_through(pkg, pkg)


def _go_through(one: griffe.Object, package: griffe.Module) -> None:
    if one.docstring is not None:
        text = _NAMES.sub(_one_each, _linked(one.docstring.value, one, package))
        one.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", text)
    if isinstance(one, griffe.Module) and one.is_init_module:
        one.exports = [name for name, member in one.members.items() if member.is_alias and _is_own(name, member)]
    if isinstance(one, griffe.Class):
        _complete(one)
    for member in [*one.members.values()]:
        if isinstance(member, griffe.Object):
            _go_through(member, package)


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
        values = ", ".join(f"`{member.name}` ({member.value!r})" for member in found)
        one.docstring.value += f"\n\nValues: {values}."
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


def _one_each(entry: re.Match[str]) -> str:
    indent, names, text = entry.groups()
    return "\n".join(f"{indent}{name}{text}" for name in names.split(", "))


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
