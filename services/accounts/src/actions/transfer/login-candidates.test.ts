import { describe, expect, test } from '@jest/globals'
import { loginCandidates } from './login-candidates.ts'

const candidates = (name: string) => loginCandidates(name, 'U0123456789ABCD')

describe('logins for imported people', () => {
  test('the name first, then with numbers, then with a part of the id', () => {
    expect(candidates('ada')).toEqual(['ada', 'ada2', 'ada3', 'ada4', 'ada5', 'ada-6789ABCD'])
  })

  test.each([
    ['spaces and accents go', 'Zoë van Dam', 'ZoevanDam'],
    ['what is before the @ stays', 'bot@hooks', 'bot'],
    ['nothing is left', '名前', 'user'],
    ['a dot does not end it', 'jr.', 'jr'],
  ])('%s', (_, name, first) => expect(candidates(name)[0]).toBe(first))

  test('none exceeds the maximum length of a login', () => {
    for (const login of candidates('x'.repeat(60))) expect(login.length).toBeLessThanOrEqual(32)
  })
})
