"""Clients are told of plans that are changed, added or removed by any program: the server looks again and again."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, EmptyResult, NotificationParams, SubscribeRequestParams, UnsubscribeRequestParams

from planspec_lark.folder.models import FolderError
from planspec_lark.mcp_server.errors import report_crash
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.uris import uri_of

__all__ = ["Watcher"]

Context = ServerRequestContext[dict[str, Any]]

# Seconds from one look to the next; longer where a look takes long, so that it takes 1 part in 50 of a core at most.
_PAUSE, _SHARE = 1.0, 50
_MOST_SUBSCRIPTIONS = 1_024


class Watcher:
    """Looks for what has changed among plans, and tells those who have asked for it.

    Attributes:
        bus: for clients that listen (from version 2026-07-28 of the protocol on). One of an older version is told of
            every change of the list, and of those of plans that it has subscribed to.
    """

    def __init__(self, plans: Plans) -> None:
        self.bus = InMemorySubscriptionBus()
        self._session: ServerSession | None = None
        self._subscribed: set[str] = set()
        self._plans = plans
        self._seen: tuple[Sequence[str], Mapping[str, object]] = ((), {})
        self._turn = anyio.Lock()
        self._has_failed = False

    # ------------------------------------------------------------ a client of an older version

    async def begin(self, context: Context, _: NotificationParams) -> None:
        """Tell this client from now on."""
        self._session = context.session

    async def subscribe(self, _: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell of changes of a plan.

        Raises:
            MCPError: there are too many subscriptions.
        """
        if len(self._subscribed | {params.uri}) > _MOST_SUBSCRIPTIONS:
            raise MCPError(INVALID_PARAMS, f"there are {_MOST_SUBSCRIPTIONS:,} subscriptions, and no more are kept")
        self._subscribed.add(params.uri)
        return EmptyResult()

    async def unsubscribe(self, _: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell no more of them."""
        self._subscribed.discard(params.uri)
        return EmptyResult()

    # ------------------------------------------------------------ looking

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look for changes until this block ends."""
        # What is there at the beginning is no change.
        await self.look()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look_regularly)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def _look_regularly(self) -> None:
        took = 0.0
        while True:
            await anyio.sleep(max(_PAUSE, _SHARE * took))
            started = time.monotonic()
            await self.look()
            took = time.monotonic() - started

    async def look(self) -> None:
        """Look for changes now. Errors are logged, and stop nothing."""
        async with self._turn:
            try:
                await self._look()
            except (FolderError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                # The folder may be readable again later; a client may have gone.
                return
            except Exception as error:
                if not self._has_failed:
                    report_crash("watching the plans", error)
                self._has_failed = True

    async def _look(self) -> None:
        before = self._seen
        names, stamps = self._seen = await anyio.to_thread.run_sync(self._plans.look)
        if names != before[0]:
            await self._tell(ResourcesListChanged())
        for name in {**before[1], **stamps}:
            if before[1].get(name) != stamps.get(name):
                await self._tell(ResourceUpdated(uri=uri_of(name)))

    async def _tell(self, event: ResourcesListChanged | ResourceUpdated) -> None:
        await self.bus.publish(event)
        if self._session is None:
            return
        if isinstance(event, ResourcesListChanged):
            await self._session.send_resource_list_changed()
        elif event.uri in self._subscribed:
            await self._session.send_resource_updated(event.uri)
