from feed import Feed


class NeverResubscribes(Feed):
    """Wrong: joins no rooms after a reconnect, and takes silence for a quiet market. In all else it is the right one."""

    async def _join(self):
        await super()._join()
        self._rooms = []
