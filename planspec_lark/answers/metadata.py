"""Lines that speak of a text itself: when it was written, by whom, and which version it is."""

from __future__ import annotations

import re

__all__ = ["leave_out_metadata"]

_COLON = r"[*_ ]*[:：][*_ \t]*"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    r"(?:[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}|[0-9]{4}年[0-9]{1,2}月(?:[0-9]{1,2}日)?"
    rf"|(?:[0-9]{{1,2}}\.? )?{_MONTH} (?:[0-9]{{1,2}}(?:st|nd|rd|th)?,? )?[0-9]{{4}})"
    r"(?:[ T,]{1,2}[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?(?:utc|gmt|z|[ap]m))?)?"
)
_NAME = r"@?[A-Z\u00c0-\u00de][\w.'’-]*(?: [A-Z\u00c0-\u00de][\w.'’-]*){0,3}"
# What may also be said of what a text is about, such as when it is due, is none of these.
_KINDS = (
    r"(?i:(?:date(?: (?:created|modified))?|(?:created|updated|generated|written)(?: (?:on|at))?"
    rf"|last (?:updated?|modified|changed)|日期|(?:创建|编写|更新|修改)(?:日期|时间)|最后更新){_COLON}{_DATE})",
    rf"(?i:(?:(?:document|plan) )?version|(?:文档|当前)?版本号?){_COLON}v?[0-9]+(?:\.[0-9]+){{0,3}}",
    rf"(?i:authors?|(?:created|written|prepared) by){_COLON}{_NAME}(?:(?:, | ?& | and ){_NAME}){{0,3}}",
    rf"(?:作者|编写人|创建人){_COLON}[\u4e00-\u9fff]{{2,4}}",
)
_ENTRY = rf"(?:{'|'.join(_KINDS)})[*_]*"
_LINE = re.compile(rf"^[-*+>•_ \t]*+{_ENTRY}(?: ?[|·•] [*_]*{_ENTRY})*[ \t\\\r]*(?:\n|\Z)", re.MULTILINE)


def leave_out_metadata(text: str) -> str:
    """A text without such lines."""
    return _LINE.sub("", text)
