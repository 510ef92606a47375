import { expect, test } from '@jest/globals'
import { sessionCookieName, signSessionCookie, verifySessionCookie } from '@parley/credentials'
import { newSessionHandle } from './session-handle.ts'

const read = (name: string, handle: string) =>
  verifySessionCookie(['secret'], `${name}=${signSessionCookie('secret', handle)}`)

test('the handle of a session begun over https is valid only in a cookie of this host', () => {
  const handle = newSessionHandle({ publicUrl: 'https://chat.example.org' })
  expect(read(`__Host-${sessionCookieName}`, handle)).toBe(handle)
  expect(read(sessionCookieName, handle)).toBeUndefined()
})

test('over http it is valid in a cookie with the plain name', () => {
  const handle = newSessionHandle({ publicUrl: 'http://localhost:8080' })
  expect(handle).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(read(sessionCookieName, handle)).toBe(handle)
})
