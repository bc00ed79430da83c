"""OpenTelemetry as an application sets it up, once a process, with what keeps all in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

__all__ = ["Traced", "at_hand", "parent_of", "set_up"]


@frozen
class Traced:
    """What was told since the last look.

    Attributes:
        exporter: has the spans that have ended.
        reader: has the metrics.
        processor: what spans are begun and ended with.
    """

    exporter: InMemorySpanExporter
    reader: InMemoryMetricReader

    def spans(self) -> Sequence[ReadableSpan]:
        """The spans that have ended, the first one first."""
        return tuple(self.exporter.get_finished_spans())

    def find(self, name: str) -> list[ReadableSpan]:
        """Those with this name."""
        return [span for span in self.spans() if span.name == name]

    def run(self) -> ReadableSpan:
        """The span of the only run."""
        (span,) = (span for span in self.spans() if span.name.startswith("invoke_workflow"))
        return span

    def children(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Names and attributes of all that stands directly below the only run."""
        own = self.run().context
        assert own is not None
        return [(one.name, dict(one.attributes or {})) for one in self.spans() if parent_of(one) == own.span_id]

    def numbers(self) -> dict[str, dict[tuple[tuple[str, Any], ...], Any]]:
        """Sums of counters, and counts of histograms, by name and attributes."""
        data = self.reader.get_metrics_data()
        found: dict[str, dict[tuple[tuple[str, Any], ...], Any]] = {}
        for resource in data.resource_metrics if data is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    points = found.setdefault(metric.name, {})
                    for point in metric.data.data_points:
                        labels = tuple(sorted((point.attributes or {}).items()))
                        points[labels] = point.count if hasattr(point, "count") else point.value
        return found


def parent_of(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def at_hand() -> int:
    """The id of the span at hand; 0 where there is none."""
    return int(trace.get_current_span().get_span_context().span_id)


_set_up: list[Traced] = []


def set_up() -> Traced:
    """The exporters of this process, emptied. Providers can be set once only."""
    if not _set_up:
        made = Traced(InMemorySpanExporter(), InMemoryMetricReader())
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(made.exporter))
        trace.set_tracer_provider(provider)
        metrics.set_meter_provider(MeterProvider([made.reader]))
        _set_up.append(made)
    _set_up[0].exporter.clear()
    return _set_up[0]
