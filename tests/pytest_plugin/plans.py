"""A plan that the tests of this folder speak of, and an answer that has to be repaired to be one."""

from __future__ import annotations

PLAN = """\
# Plan: Open the bakery
Goal: Sell bread at six
Constraints:
- Never leave the oven alone
- Only flour from the mill
## Steps
1. [x] [reason] Choose the breads → breads | three sorts
2. [>] [subtask] Bake → loaves
  > ← breads
  2.1. [x] [act] Knead the dough → dough
  2.2. [>] warm_up [act] Heat the oven → heat | Progress: 2/3
    > Up to 250 degrees
  2.3. [act] Bake the loaves → loaves
    > ← dough, heat
3. [decide] Is the bread good?
  > ← loaves
  3.1. [act] Yes: open the door → customers
  3.2. [act] No: call the baker → baker
"""

ANSWER = """\
Here is the plan:

Goal：Sell bread at six
## Steps
1) [act] Knead the dough -> dough
2. [act] Bake the loaves → loaves
   > ← dough

Good luck!
"""
