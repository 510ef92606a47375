import { expect, test } from '@jest/globals'
import { sessionCookieName, signSessionCookie, verifySessionCookie } from '@parley/credentials'
import { newSessionHandle } from './session-handle.ts'

const read = (name: string, handle: string) =>
  verifySessionCookie(['secret'], `${name}=${signSessionCookie('secret', handle)}`)

test('a session handle for https is valid only in a __Host- cookie', () => {
  const handle = newSessionHandle({ publicUrl: 'https://chat.example.org' })
  expect(read(`__Host-${sessionCookieName}`, handle)).toBe(handle)
  expect(read(sessionCookieName, handle)).toBeUndefined()
})

test('a session handle for http is valid in a cookie without the prefix', () => {
  const handle = newSessionHandle({ publicUrl: 'http://localhost:8080' })
  expect(handle).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(read(sessionCookieName, handle)).toBe(handle)
})
