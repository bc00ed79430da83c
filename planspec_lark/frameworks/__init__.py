"""Plans in frameworks that people have: pydantic, pydantic-ai, LangChain. Each module needs its own extra.

A plan is a field of pydantic without an import of this package: :mod:`planspec_lark.frameworks.pydantic` is found by
:class:`~planspec_lark.PlanSpec` itself.
"""
