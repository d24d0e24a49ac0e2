from exchange import Exchange, Quote


class Quotes:
    """Keeps a quote at least as new as the configuration that the feed announced."""

    def __init__(self, exchange: Exchange):
        self._exchange = exchange
        self._revision = 0
        self._quotes: dict[tuple[str, str, int], Quote | None] = {}

    async def ask(self, token_in, token_out, amount_in):
        """Returns None if there is no route."""
        quote = await self._exchange.quote(token_in, token_out, amount_in)
        if quote is not None and quote.revision < self._revision:
            await self._exchange.revision(minimum=self._revision)
            quote = await self._exchange.quote(token_in, token_out, amount_in)
        self._quotes[token_in, token_out, amount_in] = quote
        return quote

    async def config_changed(self, event):
        """ProtocolConfigChanged has no new values: waits until REST has them, then requests a new quote."""
        self._revision = max(self._revision, int(event["data"]["revision"]))
        await self._exchange.revision(minimum=self._revision)
        for asked, quote in list(self._quotes.items()):
            if quote is None or quote.revision < self._revision:
                await self.ask(*asked)

    def __iter__(self):
        return iter(quote for quote in self._quotes.values() if quote is not None)
