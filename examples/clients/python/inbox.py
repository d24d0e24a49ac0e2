import asyncio


class Inbox:
    """All that a feed gives, in order, for a test to take."""

    def __init__(self, feed):
        self._feed = feed
        self._items = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())

    async def aclose(self):
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def next(self):
        """Raises what the feed raised."""
        item = asyncio.create_task(self._items.get())
        await asyncio.wait({item, self._reader}, return_when=asyncio.FIRST_COMPLETED)
        if not item.done():
            item.cancel()
            self._reader.result()
        return item.result()

    async def take(self):
        """Whatever the exchange has sent by now and was not taken yet."""
        await self._feed.synchronize()
        return [self._items.get_nowait() for _ in range(self._items.qsize())]

    async def _read(self):
        async for item in self._feed:
            self._items.put_nowait(item)
