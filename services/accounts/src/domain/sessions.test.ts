import { expect, test } from '@jest/globals'
import { sessionsOf, type ActiveCredential } from './sessions.ts'

const credential = (id: string, sessionId: string | null, day: number): ActiveCredential => ({
  id,
  sessionId,
  userAgent: null,
  createdAt: new Date(0),
  expiresAt: new Date(day * 86_400_000),
})

test('the credentials of one sign-in are one session, which ends with the last of them', () => {
  const sessions = sessionsOf([credential('b', 's', 3), credential('old', null, 2), credential('a', 's', 1)])
  expect(sessions.map(({ id, credentialIds, expiresAt }) => [id, credentialIds, expiresAt.getTime()])).toEqual([
    ['s', ['b', 'a'], 3 * 86_400_000],
    ['old', ['old'], 2 * 86_400_000],
  ])
})
