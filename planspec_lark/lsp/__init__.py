"""The language server: documents in an editor, with what the package knows of them.

`serve` is in :mod:`planspec_lark.lsp.server`; it needs the extra `lsp`.
"""
