import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { nullableChoices, without } from './probe-behind.ts'

const choices = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })

test('lists every nullable choice', () => {
  const paths = nullableChoices(choices)
  expect(paths).toHaveLength(38)
  expect(paths).toEqual(
    expect.arrayContaining([
      'verify.csrfToken',
      'route.hop.pool',
      'rateLimit',
      'positionsPath',
      'eventTime.path',
    ]),
  )
  expect(paths).not.toContain('expiry')
})

test('removes the given paths, and nothing else', () => {
  const { verify, cookies } = without(choices, ['verify.csrfToken', 'rateLimit'])
  expect(verify).toEqual({ ...choices.verify, csrfToken: null })
  expect(cookies).toEqual(choices.cookies)
})
