// The wallet's part of a trade, end to end: a quote, the swap on the chain, its unclaimed output, the claim.
import { expect, onTestFinished, test } from 'vitest'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../choices/choices.ts'
import { startStub } from '../stub.ts'

type ControlResponse = {
  error?: string
  swap_id?: string
  amount_out?: string
  data?: { pending_swaps?: { swap_id: string }[] }
}

async function started(choices: ChoiceSetName) {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    choices,
    pace: 'manual',
  })
  onTestFinished(() => stub.close())
  const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` })
  const json = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as ControlResponse, // as: what is read of it is compared
  })
  const wallet = stub.wallets[1]?.address ?? ''
  return {
    wallet,
    read: async (path: string) =>
      (await json(await fetch(`${stub.profile.baseUrl}${path}`, { headers: bearer(stub.apiTokens[0]) })))
        .body,
    control: async (path: string, body: object) =>
      json(
        await fetch(`${stub.profile.control}${path}`, {
          method: 'POST',
          headers: { ...bearer(stub.controlToken), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    stub,
  }
}

const at = (body: unknown, path: string | null): never =>
  (path ?? '').split('.').reduce((value, name) => (value as Record<string, unknown>)[name], body) as never // as: a path of the stub's own profile

async function funded({ stub, wallet }: Awaited<ReturnType<typeof started>>, choices: ChoiceSetName) {
  const { wire } = CHOICE_SETS[choices]
  const { views } = stub.world
  const mine = new Map(
    views.balances(wire.address.decode(wallet) ?? '').map(({ token, balance }) => [token.id, balance]),
  )
  const pools = views.pools({ limit: 1000, offset: 0 }).rows
  for (const { key, token0, token1, enabled } of pools) {
    for (const [from, to] of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      const held = mine.get(from.id) ?? 0n
      if (enabled && held > 10_000n)
        return {
          pool: wire.poolKey.encode(key),
          tokenIn: wire.tokenId.encode(from.id),
          tokenOut: wire.tokenId.encode(to.id),
          amountIn: String(held / 1000n),
        }
    }
  }
  throw new Error('the wallet holds no token of any pool')
}

test.each(Object.keys(CHOICE_SETS) as ChoiceSetName[])(
  '%s: quote, swap, unclaimed, claim',
  async (choices) => {
    const deployment = await started(choices)
    const { read, control, wallet, stub } = deployment
    const { tokenIn, tokenOut, amountIn } = await funded(deployment, choices)
    const query = new URLSearchParams({ token_in: tokenIn, token_out: tokenOut, amount_in: amountIn })
    const quote = await read(`/route?${query}`)
    const { route } = stub.profile.choices
    const hops = at(quote, route.hops) as unknown[]
    const pools = hops.map((hop) => at(hop, route.hop.pool))
    const swap = await control('/chain/swap', {
      address: wallet,
      token_in: tokenIn,
      pools,
      amount_in: amountIn,
    })
    expect(swap.status, JSON.stringify(swap.body)).toBe(200)
    const { swap_id: swapId, amount_out: amountOut } = swap.body
    await control('/mine', { blocks: 5 })
    const pending = async () =>
      (await read('/unclaimed')).data?.pending_swaps?.filter((one) => one.swap_id === swapId)
    expect(await pending()).toMatchObject([
      { output: { amount_out: amountOut, amount_remaining: amountOut, recipient: wallet } },
    ])
    const claim = await control('/chain/claim', { address: wallet, swap_id: swapId })
    expect(claim.status, JSON.stringify(claim.body)).toBe(200)
    await control('/mine', { blocks: 5 })
    expect(await pending()).toEqual([])
  },
)

test.each([
  [{ swap_id: 'nothing' }, '/chain/claim', 409, /the output does not exist/],
  [
    { token_in: 'nothing', pools: ['nothing'], amount_in: '5' },
    '/chain/swap',
    409,
    /the pool does not exist/,
  ],
  [{ token_in: 'x', pools: [], amount_in: '5' }, '/chain/swap', 400, /pools: /],
  [{ token_in: 'x', pools: ['y'], amount_in: '05' }, '/chain/swap', 400, /amount_in: expected base units/],
])('%j to %s: %i', async (body, path, status, error) => {
  const { control, wallet } = await started('default')
  const refused = await control(path, { address: wallet, ...body })
  expect([refused.status, refused.body.error]).toEqual([status, expect.stringMatching(error)])
})
