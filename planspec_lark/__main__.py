"""`python -m planspec_lark` is `planspec`."""

from planspec_lark.cli import main

main()
