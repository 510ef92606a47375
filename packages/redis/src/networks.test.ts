import { describe, expect, test } from '@jest/globals'
import { NetworkCounts, networksOf } from './networks.ts'

const shares = (address: string) => networksOf(address).map(({ id, share }) => `${id} x${share}`)

describe('the networks of an address', () => {
  test.each([
    ['203.0.113.9', ['203.0.113.9 x1', '203.0.113.0/24 x16']],
    ['2001:db8:1:2fa:3:4:5:6', ['2001:db8:1:2fa::/64 x1', '2001:db8:1:200::/56 x2', '2001:db8:1:0::/48 x4']],
    ['2001:db8::6', ['2001:db8:0:0::/64 x1', '2001:db8:0:0::/56 x2', '2001:db8:0:0::/48 x4']],
    ['::1', ['0:0:0:0::/64 x1', '0:0:0:0::/56 x2', '0:0:0:0::/48 x4']],
    ['64:ff9b:1:5::203.0.113.9', ['64:ff9b:1:5::/64 x1', '64:ff9b:1:0::/56 x2', '64:ff9b:1:0::/48 x4']],
    ['', [' x1']],
  ])('of %s are the prefixes that one customer may have', (address, networks) => {
    expect(shares(address)).toEqual(networks)
  })
})

describe('counts of running work', () => {
  const fill = (counts: NetworkCounts, addresses: string[]) =>
    addresses.filter((address) => counts.take(networksOf(address))).length
  const lines = (prefix: string) =>
    Array.from({ length: 256 }, (_, n) => `${prefix}${n.toString(16).padStart(2, '0')}::1`)

  test('allow a /56 twice as much as a /64, and a /48 four times', () => {
    const counts = new NetworkCounts(10)
    expect(
      fill(
        counts,
        Array.from({ length: 30 }, () => '2001:db8:1:1::1'),
      ),
    ).toBe(10)
    expect(fill(counts, lines('2001:db8:1:'))).toBe(10)
    expect(fill(counts, lines('2001:db8:1:1'))).toBe(20)
    expect(fill(counts, lines('2001:db8:1:2'))).toBe(0)
    expect(fill(counts, lines('2001:db8:2:'))).toBe(20)
  })

  test('have a limit for networks of any size, and can be released', () => {
    const counts = new NetworkCounts(10, 15)
    expect(fill(counts, lines('2001:db8:1:'))).toBe(15)
    counts.giveBack(networksOf('2001:db8:1:1::1'))
    expect(fill(counts, lines('2001:db8:1:'))).toBe(1)
  })
})
