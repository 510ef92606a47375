import { expect, test } from '@jest/globals'
import { sessionCookies } from './cookies.ts'

test.each([
  ['a short session', 60, 7_776_000],
  ['a session of 400 days', 34_560_000, 34_560_000],
])('the CSRF cookie of %s does not expire before it', (_, lifetimeSeconds, csrfLifetimeSeconds) => {
  const session = { userId: 'U1', cookieHandle: 'handle', lifetimeSeconds }
  expect(sessionCookies(session, { secret: 'secret', secure: false })).toEqual([
    expect.stringMatching(new RegExp(`^parley_session=.*; Max-Age=${lifetimeSeconds}$`)),
    expect.stringMatching(new RegExp(`^parley_csrf=.*; Max-Age=${csrfLifetimeSeconds}$`)),
  ])
})
