from feed import Feed


class NeverResubscribes(Feed):
    """Wrong: joins no rooms after a reconnect and mistakes silence for a quiet market. Otherwise correct."""

    async def _join(self):
        await super()._join()
        self._rooms = []
