import asyncio


class Inbox:
    """Collects the items of a feed in order, for a test to read."""

    def __init__(self, feed):
        self._feed = feed
        self._items = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())

    async def aclose(self):
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def next(self):
        """Raises the feed's error, if any."""
        item = asyncio.create_task(self._items.get())
        await asyncio.wait({item, self._reader}, return_when=asyncio.FIRST_COMPLETED)
        if not item.done():
            item.cancel()
            self._reader.result()
        return item.result()

    async def take(self):
        """Returns the unread items that the exchange has sent so far."""
        await self._feed.synchronize()
        return [self._items.get_nowait() for _ in range(self._items.qsize())]

    async def _read(self):
        async for item in self._feed:
            self._items.put_nowait(item)
