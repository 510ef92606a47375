import { expect, test } from '@jest/globals'
import { assertAllowedHost, guardedLookup, type Address } from './guarded-lookup.ts'

const isAllowed = (address: string) => address.startsWith('1.')

const lookUp = (addresses: string[], options: { all?: boolean } = {}) => {
  const resolve = () => Promise.resolve(addresses.map((address): Address => ({ address, family: 4 })))
  return new Promise<unknown>((found, reject) => {
    const lookup = guardedLookup({ isAllowed, resolve }, 'Ualice')
    lookup('push.example', options, (error, address) => (error ? reject(error) : found(address)))
  })
}

test('a name resolves to its addresses if all of them are allowed', async () => {
  expect(await lookUp(['1.1.1.1', '1.0.0.1'])).toBe('1.1.1.1')
  expect(await lookUp(['1.1.1.1', '1.0.0.1'], { all: true })).toHaveLength(2)
})

test.each([[[]], [['10.0.0.1']], [['1.1.1.1', '10.0.0.1']]])(
  'a name that resolves to %j is refused',
  async (addresses) => {
    await expect(lookUp(addresses)).rejects.toThrow('the address is not allowed')
  },
)

test('a host that is an address is checked without a look-up', () => {
  expect(() => assertAllowedHost(new URL('https://1.1.1.1/'), { isAllowed })).not.toThrow()
  expect(() => assertAllowedHost(new URL('https://name.example/'), { isAllowed })).not.toThrow()
  for (const host of ['10.0.0.1', '[::1]', '0x0a.1', '2130706433', 'localhost', 'x.localhost.'])
    expect(() => assertAllowedHost(new URL(`https://${host}/`), { isAllowed })).toThrow('the address is not allowed')
})
