import { describe, expect, test } from '@jest/globals'
import { hostHandle, sessionCookieName, signSessionCookie, verifySessionCookie } from './session-cookie.ts'

const cookie = (value: string) => `theme=dark; ${sessionCookieName}=${value}; other=1`

describe('the session cookie', () => {
  test('contains the handle for which it was signed', () => {
    expect(verifySessionCookie(['secret'], cookie(signSessionCookie('secret', 'abc')))).toBe('abc')
  })

  test.each([
    ['another secret', signSessionCookie('other', 'abc')],
    ['another handle', signSessionCookie('secret', 'abc').replace('abc', 'abd')],
    ['no signature', 'abc'],
    ['an empty handle', signSessionCookie('secret', '')],
    ['a cut signature', signSessionCookie('secret', 'abc').slice(0, -2)],
    ['nothing', ''],
  ])('is refused with %s', (_, value) => {
    expect(verifySessionCookie(['secret'], cookie(value))).toBeUndefined()
  })

  test('is found among several of the same name', () => {
    const header = `${sessionCookieName}=forged.x; ${sessionCookieName}=${signSessionCookie('secret', 'abc')}`
    expect(verifySessionCookie(['secret'], header)).toBe('abc')
  })

  test('is preferred under the name that only this site can set', () => {
    const [planted, own] = ['planted', 'own'].map((handle) => signSessionCookie('secret', handle))
    const header = `${sessionCookieName}=${planted}; __Host-${sessionCookieName}=${own}`
    expect(verifySessionCookie(['secret'], header)).toBe('own')
    expect(verifySessionCookie(['secret'], `__Host-${sessionCookieName}=forged.x; ${sessionCookieName}=${own}`)).toBe(
      'own',
    )
    expect(verifySessionCookie(['secret'], `x__Host-${sessionCookieName}=${own}`)).toBeUndefined()
  })

  test('of a session that began over https is valid only under the name that only this site can set', () => {
    const planted = signSessionCookie('secret', hostHandle('planted'))
    expect(verifySessionCookie(['secret'], cookie(planted))).toBeUndefined()
    expect(verifySessionCookie(['secret'], `__Host-${sessionCookieName}=${planted}`)).toBe(hostHandle('planted'))
    // An older session next to it is still found.
    const older = `${sessionCookieName}=${signSessionCookie('secret', 'older')}`
    expect(verifySessionCookie(['secret'], `${sessionCookieName}=${planted}; ${older}`)).toBe('older')
  })

  test('may be missing', () => {
    expect(verifySessionCookie(['secret'], undefined)).toBeUndefined()
  })
})
