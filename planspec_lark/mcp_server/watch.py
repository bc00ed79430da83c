"""Clients are told of plans that change, come and go, whoever does that: the server looks again and again."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated

from planspec_lark.folder.models import StoreError
from planspec_lark.mcp_server.crashes import report_crash
from planspec_lark.mcp_server.links import uri_of
from planspec_lark.mcp_server.plans import Plans, Seen

__all__ = ["MOST_SUBSCRIPTIONS", "Watcher"]

# Seconds from one look to the next; longer where a look takes long, so that it takes 1 part in 50 of a core at most.
_PAUSE, _SHARE = 1.0, 50
MOST_SUBSCRIPTIONS = 1_024


class Watcher:
    """Looks for what has changed among plans, and tells those who have asked for it.

    Attributes:
        bus: for clients that listen (from version 2026-07-28 of the protocol on).
        session: of a client of an older version, once there is one; it is told of every change of the list.
        subscribed: addresses of plans of whose changes that client wants to hear.
    """

    def __init__(self, plans: Plans) -> None:
        self.bus = InMemorySubscriptionBus()
        self.session: ServerSession | None = None
        self.subscribed: set[str] = set()
        self._plans = plans
        self._seen = Seen()
        self._turn = anyio.Lock()
        self._has_failed = False

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look for changes until this block ends."""
        # What is there at the beginning is no change.
        await self.look()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._go_on)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def _go_on(self) -> None:
        took = 0.0
        while True:
            await anyio.sleep(max(_PAUSE, _SHARE * took))
            started = time.monotonic()
            await self.look()
            took = time.monotonic() - started

    async def look(self) -> None:
        """Look for changes now. What goes wrong with that stops nobody."""
        async with self._turn:
            try:
                await self._look()
            except (StoreError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                # The folder may be readable again later; a client may have gone.
                return
            except Exception as error:
                if not self._has_failed:
                    report_crash("watching the plans", error)
                self._has_failed = True

    async def _look(self) -> None:
        seen = await anyio.to_thread.run_sync(self._plans.look)
        before, self._seen = self._seen, seen
        if seen.names != before.names:
            await self.bus.publish(ResourcesListChanged())
            if self.session is not None:
                await self.session.send_resource_list_changed()
        for name in _differing(before.stamps, seen.stamps):
            uri = uri_of(name)
            await self.bus.publish(ResourceUpdated(uri=uri))
            if self.session is not None and uri in self.subscribed:
                await self.session.send_resource_updated(uri)


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]
