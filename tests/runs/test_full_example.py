"""The whole example of the definition of PlanSpec: run, killed in its second round, and continued elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from planspec_lark import PlanStatus, find_step, parse_plan
from planspec_lark.engine import OperatorResult, Outcome, StepCall, continue_run, submit_plan
from planspec_lark.runs import PostgresLedger, RecordKind
from tests.corpus import ROOT

PLAN = """\
# Plan: 车险赔付率预测
Goal: 基于合成保险数据构建理赔预测模型
Constraints:
- 最多 5 轮迭代，目标 Gini ≥ 0.40
## Steps
1. [x] [act] 生成合成保单数据 → synthetic_data | 生成完成
2. [>] [reason] 分析数据分布 → data_profile, clean_suggestions, feature_suggestions
  > ← synthetic_data
3. [subtask] 清洗原始数据 → cleaned_data
  3.1. [reason] 确定清洗规则 → cleaning_plan
    > ← data_profile, clean_suggestions
  3.2. [act] 执行清洗计划 → cleaned_data
4. [subtask] 构造预测特征 → feature_matrix
  4.1. [reason] 提出特征变换方案 → feature_plan
    > ← cleaned_data, feature_suggestions
  4.2. [act] 构造特征矩阵 → feature_matrix
5. [subtask] 迭代训练 XGBoost 直到 Gini ≥ 0.40 或满 5 轮 → cv_metrics, feature_importance
  5.1. [x] [act] 训练 XGBoost 二分类器 → cv_metrics | Gini=0.38, AUC=0.69
  5.2. [x] [act] 计算 Gini 系数 → gini, auc, ae_ratio, feature_importance
  5.3. [>] [reason] 诊断模型弱点 → diagnosis, param_adjustments
    > ← cv_metrics, feature_importance
  5.4. [decide] 检查 Gini 是否达到目标阈值
    5.4.1. [act] Gini ≥ target → 跳出迭代进入报告
    5.4.2. [act] 应用参数调整方案，继续下一轮迭代
6. [act] 生成精算分析报告 → report
  > ← cv_metrics, feature_importance, data_profile, cleaning_plan, feature_plan
7. [act] 组装最终输出并退出 → final_output
"""
# What was produced before the run began, it has to be given.
GIVEN = {"synthetic_data": [1, 2], "cv_metrics": 0.38, "feature_importance": ["age"]}
LOOPS = [RecordKind.LOOPED]


def _operate(call: StepCall, notes: Path, hangs_in: int = 0) -> OperatorResult:
    rounds = 1 + sum(event.kind is RecordKind.LOOPED for event in call.history)
    with notes.open("a") as file:
        file.write(f"{rounds} {call.step.step_id} {call.key}\n")
    if (rounds, call.step.step_id) == (hangs_in, "5.1"):
        time.sleep(600)
    outputs = dict.fromkeys(call.step.outputs, rounds)
    if call.step.step_type != "decide":
        return OperatorResult("OK", f"round {rounds}", outputs)
    is_reached = rounds == 3
    branch = call.branches[0 if is_reached else 1].step_id
    return OperatorResult("OK", f"round {rounds}", outputs, branch, loop="done" if is_reached else "again")


def test_it_converges_after_three_rounds_whatever_is_killed(database: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.touch()
    submit_plan(database, parse_plan(PLAN), "r", inputs=GIVEN)
    command = [sys.executable, "-P", "-m", "tests.runs.test_full_example", database, str(notes)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        end = time.monotonic() + 120
        while "2 5.1 " not in notes.read_text():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        process.kill()
    result = continue_run(database, "r", lambda call: _operate(call, notes))
    assert result is not None
    assert (result.outcome, result.rounds) == (Outcome.CONVERGED, 1)
    loop = find_step(result.plan, "5")
    assert loop is not None
    assert (loop.status, loop.done_count) == (PlanStatus.DONE, 3)
    assert (result.outputs["cv_metrics"], result.outputs["final_output"]) == (3, 3)
    lines = [line.split() for line in notes.read_text().splitlines()]
    again = [key for key, count in Counter(key for _, _, key in lines).items() if count > 1]
    assert [step for _, step, key in lines if key in again] == ["5.1", "5.1"]
    assert [step for number, step, _ in lines if number == "3"] == ["5.1", "5.2", "5.3", "5.4", "5.4.1", "6", "7"]
    with closing(PostgresLedger(database)) as ledger:
        assert ledger.count("r", kinds=LOOPS) == 2


if __name__ == "__main__":
    _, address, file = sys.argv
    continue_run(address, "r", lambda call: _operate(call, Path(file), hangs_in=2))
