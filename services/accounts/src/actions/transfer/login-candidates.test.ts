import { describe, expect, test } from '@jest/globals'
import { loginCandidates } from './login-candidates.ts'

const candidates = (name: string) => loginCandidates(name, 'U0123456789ABCD')

describe('logins for imported people', () => {
  test('are the name, the name with a number, or with a part of the id', () => {
    expect(candidates('ada')).toEqual(['ada', 'ada2', 'ada3', 'ada4', 'ada5', 'ada-6789ABCD'])
  })

  test.each([
    ['spaces and accents are removed', 'Zoë van Dam', 'ZoevanDam'],
    ['only the part before the @ is used', 'bot@hooks', 'bot'],
    ['a name without allowed characters becomes "user"', '名前', 'user'],
    ['a trailing dot is removed', 'jr.', 'jr'],
  ])('%s', (_, name, first) => expect(candidates(name)[0]).toBe(first))

  test('never exceed the maximum length of a login', () => {
    for (const login of candidates('x'.repeat(60))) expect(login.length).toBeLessThanOrEqual(32)
  })
})
