import { expect, test } from '@jest/globals'
import { sessionsOf, type HeldCredential } from './sessions.ts'

const credential = (id: string, sessionId: string | null, day: number): HeldCredential => ({
  id,
  sessionId,
  userAgent: null,
  createdAt: new Date(0),
  expiresAt: new Date(day * 86_400_000),
})

test('one sign-in creates one session, which lasts as long as its most used credential', () => {
  const sessions = sessionsOf([credential('b', 's', 3), credential('old', null, 2), credential('a', 's', 1)])
  expect(sessions.map(({ id, credentialIds, expiresAt }) => [id, credentialIds, expiresAt.getTime()])).toEqual([
    ['s', ['b', 'a'], 3 * 86_400_000],
    ['old', ['old'], 2 * 86_400_000],
  ])
})
