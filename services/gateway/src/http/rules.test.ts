import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { cookieDeletions, sessionCookies } from './cookies.ts'
import { corsHeaders } from './cors.ts'
import { readCsrfCookies, isCsrfTokenValid, issueCsrfToken } from './csrf.ts'
import { parseTimeout } from './deadline.ts'
import { unaryFormat } from './connect-unary.ts'
import { isPlainPath, pathOf } from './path.ts'

const publicUrl = 'https://chat.example.org/'
const request = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage

describe('cross-origin responses', () => {
  const method = '/api/connect/svc.api.v1.RoomService/CreateRoom'
  const allow = (origin: string, allowed: string[], path = method) =>
    corsHeaders(request({ origin, host: 'chat.example.org' }), path, { publicUrl, allowedOrigins: allowed })

  test('without credentials are readable for any page if the list contains "*"', () => {
    const headers = allow('https://other.example', ['*'])
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('of public paths allow any origin even if the request names none', () => {
    for (const path of ['/api/server', '/svc.discovery.v1.ServerDiscoveryService/GetServer'])
      expect(corsHeaders(request({ host: 'chat.example.org' }), path, { publicUrl, allowedOrigins: [] })).toMatchObject(
        { 'access-control-allow-origin': '*' },
      )
    expect(corsHeaders(request({ host: 'chat.example.org' }), method, { publicUrl, allowedOrigins: ['*'] })).toEqual({})
  })

  test('with credentials are readable for listed origins and our own', () => {
    for (const origin of ['https://app.example', 'https://chat.example.org'])
      expect(allow(origin, ['https://app.example'])).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
      })
  })

  test('expose the reason of a refusal', () => {
    const exposed = String(allow('https://app.example', ['https://app.example'])['access-control-expose-headers'])
    expect(exposed.toLowerCase().split(/, ?/)).toEqual(expect.arrayContaining(['parley-needs', 'parley-reason']))
  })

  test('are not readable for other origins', () => {
    expect(allow('https://other.example', ['https://app.example'])['access-control-allow-origin']).toBeUndefined()
    expect(allow('null', ['https://app.example'])['access-control-allow-origin']).toBeUndefined()
    // An attacker on the network can serve a page with this name.
    expect(allow('http://chat.example.org', ['https://app.example'])['access-control-allow-origin']).toBeUndefined()
  })

  test('of discovery are readable for everyone, without credentials', () => {
    const headers = allow('https://chat.example.org', [], '/svc.discovery.v1.ServerDiscoveryService/GetServer')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })
})

describe('a CSRF token', () => {
  const token = issueCsrfToken('secret', 'U1', 'handle')
  const isValid = (header?: string, cookie?: string, user = 'U1', handle = 'handle') =>
    isCsrfTokenValid('secret', { header, cookies: cookie === undefined ? [] : [cookie] }, user, handle)

  test('is valid for its session when header and cookie agree', () => {
    expect(isValid(token, token)).toBe(true)
  })

  test('is invalid otherwise', () => {
    expect(isValid(undefined, token)).toBe(false)
    expect(isValid(token, undefined)).toBe(false)
    expect(isValid(token, issueCsrfToken('secret', 'U1', 'handle'))).toBe(false)
    expect(isValid(token, token, 'U2')).toBe(false)
    expect(isValid(token, token, 'U1', 'other')).toBe(false)
    expect(isValid('a.b', 'a.b')).toBe(false)
  })
})

test('cookies set over https are restricted to this site and to https; CSRF cookies are accepted under both names', () => {
  const session = { userId: 'U1', cookieHandle: 'h', lifetimeSeconds: 60 }
  const [cookie = '', csrf = ''] = sessionCookies(session, { secret: 's', secure: true })
  expect(cookie).toMatch(/^__Host-parley_session=h\.\S+; Path=\/; SameSite=Lax; Secure; HttpOnly; Max-Age=60$/)
  expect(csrf).toMatch(/^__Host-parley_csrf=\S+; Path=\/; SameSite=Lax; Secure; Max-Age=7776000$/)
  expect(readCsrfCookies('a=1; parley_csrf=x=y; __Host-parley_csrf=z; b=2')).toEqual(['z', 'x=y'])
})

test('the session and CSRF cookies are deleted under all their names', () => {
  const namesOf = (cookies: string[]) => cookies.map((cookie) => cookie.split('=')[0])
  expect(namesOf(cookieDeletions({ secure: false }))).toEqual(['parley_session', 'parley_csrf'])
  const cleared = cookieDeletions({ secure: true })
  const allNames = ['__Host-parley_session', 'parley_session', '__Host-parley_csrf', 'parley_csrf']
  expect(namesOf(cleared)).toEqual(allNames)
  for (const one of cleared) expect(one).toMatch(/; Path=\/; SameSite=Lax; Secure; Max-Age=0/)
})

test('the client may shorten the timeout of a call, not extend it', () => {
  expect(parseTimeout(undefined, 10_000)).toBe(10_000)
  expect(parseTimeout('250', 10_000)).toBe(250)
  expect(parseTimeout('99999999', 10_000)).toBe(10_000)
  for (const bad of ['', '-1', '1s', '1.5', '12345678901'])
    expect(() => parseTimeout(bad, 10_000)).toThrow('Connect-Timeout-Ms')
})

test('the path does not depend on the form of the request target', () => {
  for (const target of ['/a/b', '/a/b?x=1', 'http://chat.example.org/a/b', 'HTTPS://chat.example.org:8080/a/b?x=/c'])
    expect(pathOf(target)).toBe('/a/b')
  for (const target of [undefined, '', 'http://chat.example.org', '/?x']) expect(pathOf(target)).toBe('/')
  expect(pathOf('//a')).toBe('//a')
})

test('an ambiguous path is refused', () => {
  expect(isPlainPath(pathOf('/assets/server/A?x=/../#y'))).toBe(true)
  for (const target of [
    '/a#b',
    '/a#/../c',
    '/a#?x',
    'http://x#/a',
    '/a/../b',
    '//a',
    '/a%2fb',
    '/a\\b',
    '*',
    'a',
    '/a%0d',
  ])
    expect([target, isPlainPath(pathOf(target))]).toEqual([target, false])
})

test('bodies are JSON in UTF-8, or protobuf', () => {
  for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])
    expect(unaryFormat(type)).toBe('json')
  expect(unaryFormat('application/proto')).toBe('proto')
  for (const type of [undefined, 'text/json', 'application/json; charset=utf-16', 'application/grpc'])
    expect(unaryFormat(type)).toBeUndefined()
})
