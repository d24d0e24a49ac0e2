class Balances:
    """The balances of a wallet. A BalanceChange is a hint that they have changed, so it reloads them."""

    def __init__(self, exchange, address):
        self._exchange = exchange
        self.room = f"balances:{address}"
        # Base units by token id.
        self.amounts = {}

    async def refetch(self):
        path = self._exchange.choices["balancesPath"]
        self.amounts = {row["token"]: int(row["balance"]) async for row in self._exchange.rows(path)}
