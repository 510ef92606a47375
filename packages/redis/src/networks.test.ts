import { describe, expect, test } from '@jest/globals'
import { NetworkCounts, networksOf } from './networks.ts'

const describeNetworks = (address: string) =>
  networksOf(address).map(({ id, budgetFactor }) => `${id} x${budgetFactor}`)

describe('limits', () => {
  test.each([
    ['203.0.113.9', ['203.0.113.9 x1', '203.0.113.0/24 x16']],
    ['2001:db8:1:2fa:3:4:5:6', ['2001:db8:1:2fa::/64 x1', '2001:db8:1:200::/56 x2', '2001:db8:1:0::/48 x4']],
    ['2001:db8::6', ['2001:db8:0:0::/64 x1', '2001:db8:0:0::/56 x2', '2001:db8:0:0::/48 x4']],
    ['::1', ['0:0:0:0::/64 x1', '0:0:0:0::/56 x2', '0:0:0:0::/48 x4']],
    ['64:ff9b:1:5::203.0.113.9', ['64:ff9b:1:5::/64 x1', '64:ff9b:1:0::/56 x2', '64:ff9b:1:0::/48 x4']],
    ['', [' x1']],
  ])('count the address "%s" under these networks, with these budget factors: %j', (address, networks) => {
    expect(describeNetworks(address)).toEqual(networks)
  })
})

describe('counts of running work', () => {
  const fill = (counts: NetworkCounts, addresses: string[]) =>
    addresses.filter((address) => counts.take(networksOf(address))).length
  const subnets = (prefix: string) =>
    Array.from({ length: 256 }, (_, n) => `${prefix}${n.toString(16).padStart(2, '0')}::1`)

  test('allow a /56 twice as much as a /64, and a /48 four times', () => {
    const counts = new NetworkCounts(10)
    expect(
      fill(
        counts,
        Array.from({ length: 30 }, () => '2001:db8:1:1::1'),
      ),
    ).toBe(10)
    expect(fill(counts, subnets('2001:db8:1:'))).toBe(10)
    expect(fill(counts, subnets('2001:db8:1:1'))).toBe(20)
    expect(fill(counts, subnets('2001:db8:1:2'))).toBe(0)
    expect(fill(counts, subnets('2001:db8:2:'))).toBe(20)
  })

  test('are capped for wide networks too, and can be released', () => {
    const counts = new NetworkCounts(10, 15)
    expect(fill(counts, subnets('2001:db8:1:'))).toBe(15)
    counts.release(networksOf('2001:db8:1:1::1'))
    expect(fill(counts, subnets('2001:db8:1:'))).toBe(1)
  })
})
