import { expect, test } from '@jest/globals'
import { forwardedHeaders, isForwardedByGateway } from './forwarded-address.ts'

const secretKey = 'a secret key that is long enough for tests'
const isOurs = (headers: Record<string, string>, keys: Parameters<typeof isForwardedByGateway>[0] = { secretKey }) =>
  isForwardedByGateway(keys, (name) => headers[name])

test('addresses forwarded by the gateway are distinguished from forged ones', () => {
  const headers = forwardedHeaders({ secretKey }, '198.51.100.1')
  expect(headers['x-forwarded-for']).toBe('198.51.100.1')
  expect(isOurs(headers)).toBe(true)
  expect(isOurs({ ...headers, 'x-forwarded-for': '198.51.100.2' })).toBe(false)
  expect(isOurs({ ...headers, 'x-forwarded-for': '6.6.6.6, 198.51.100.1' })).toBe(false)
  expect(isOurs({ 'x-forwarded-for': '198.51.100.1' })).toBe(false)
  expect(isOurs(forwardedHeaders({ secretKey: 'a secret of somebody else' }, '198.51.100.1'))).toBe(false)
})

test('an address signed with the previous key is still accepted after a rotation', () => {
  const headers = forwardedHeaders({ secretKey }, '198.51.100.1')
  expect(isOurs(headers, { secretKey: 'the new key', previousSecretKey: secretKey })).toBe(true)
})
