import { expect, test } from 'vitest'
import { type Answered, whyNoSuchRead, whyNotTheExchange } from './not-the-exchange.ts'

const answer = (changes: Partial<Answered>): Answered => ({
  status: 200,
  contentType: 'application/json',
  text: '{}',
  json: {},
  location: undefined,
  ...changes,
})

test.each([
  [{}, undefined],
  [{ status: 204, contentType: '', text: '' }, undefined],
  [{ status: 200, contentType: 'text/plain', text: 'ok' }, undefined],
  [{ status: 403, contentType: 'text/html', text: '<html>' }, undefined],
  [
    { status: 307, location: 'https://elsewhere.example/' },
    'a redirect, to https://elsewhere.example/: not followed',
  ],
  [{ status: 301 }, 'a redirect, to nowhere: not followed'],
  [{ contentType: 'text/html; charset=utf-8', text: 'x' }, 'an HTML page where the interface has JSON'],
  [{ contentType: '', text: '\n<!DOCTYPE html>' }, 'an HTML page where the interface has JSON'],
])('an answer %j: %s', (changes, why) => {
  expect(whyNotTheExchange(answer(changes))).toBe(why)
})

test.each([
  [{}, undefined],
  [{ status: 401 }, undefined],
  [{ status: 404 }, 'nothing there: 404'],
  [{ json: null }, 'no JSON object: 200'],
  [{ status: 204, json: undefined }, 'no JSON object: 204'],
  [{ status: 302, location: '/login' }, 'a redirect, to /login: not followed'],
  [{ status: 403, contentType: 'text/html', text: '<html>' }, 'an HTML page: 403'],
])('a read that every exchange has, %j: %s', (changes, why) => {
  expect(whyNoSuchRead(answer(changes))).toBe(why)
})
