import { describe, expect, test } from '@jest/globals'
import { clientAddressBehind } from './client-address.ts'

const addressFrom = (trusted: string[], peer: string, forwardedFor?: string) =>
  clientAddressBehind(trusted)(peer, (name) => (name === 'x-forwarded-for' ? forwardedFor : undefined))

describe('the address of a client', () => {
  test.each([
    ['is the other end of the connection', [], '203.0.113.9', undefined, '203.0.113.9'],
    ['is IPv4 on a dual-stack socket', [], '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['is not what an untrusted peer claims', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    [
      'is not what an untrusted peer claims, even if a proxy is trusted',
      ['10.0.0.0/8'],
      '203.0.113.9',
      '198.51.100.1',
      '203.0.113.9',
    ],
    ['is what a trusted proxy reports', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'is the first from the right that is no trusted proxy',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '6.6.6.6, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['is the leftmost when all are trusted', ['10.0.0.0/8'], '10.1.2.3', '10.7.7.7', '10.7.7.7'],
    ['is the one to the right of an invalid entry', ['10.0.0.0/8'], '10.1.2.3', '1.2.3.4, unknown', '10.1.2.3'],
    ['may come with a port', ['10.1.2.3'], '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['may be IPv6', ['fd00::/8'], 'fd00::1', '[2001:db8:0:0:1::5]:443', '2001:db8::1:0:0:5'],
    ['is IPv4, however it is written', ['10.0.0.0/8'], '::ffff:a01:203', '::ffff:c633:6401', '198.51.100.1'],
    ['is that of the trusted proxy if it names none', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
  ])('%s', (_, trusted, peer, forwardedFor, expected) => {
    expect(addressFrom(trusted, peer, forwardedFor)).toBe(expected)
  })

  test('is the last entry if our own process forwarded the request', () => {
    const headersWith = (mark: string) => (name: string) =>
      name === 'x-forwarded-for' ? '6.6.6.6, 198.51.100.1' : mark
    const isForwarded = (header: (name: string) => string | undefined) => header('mark') === 'ours'
    const address = clientAddressBehind([], { isForwarded })
    expect(address('10.1.2.3', headersWith('ours'))).toBe('198.51.100.1')
    expect(address('10.1.2.3', headersWith('forged'))).toBe('10.1.2.3')
  })

  test.each([
    ...[
      '10.0.0.1',
      '[::1]:80',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      '"10.0.0.1"',
      'for=10.0.0.1',
      ' , ',
      '10.0.0.1:',
      '\t',
    ],
    ...['unknown', '[10.0.0.1', '0x0a000001', '10.0.0.1/8', Array.from({ length: 2_000 }, () => '10.0.0.1').join(',')],
  ])('is what a trusted proxy appends to %s', (madeUp) => {
    expect(addressFrom(['10.0.0.0/8', 'fd00::/8'], '10.1.2.3', `${madeUp}, 198.51.100.1, fd00::9`)).toBe('198.51.100.1')
    expect(addressFrom(['10.0.0.0/8'], '10.1.2.3', `${madeUp},198.51.100.1`)).toBe('198.51.100.1')
  })
})

test.each([
  [[], '10.1.2.3', '198.51.100.1', ['10.1.2.3']],
  [[], '::ffff:10.1.2.3', '198.51.100.1', ['10.1.2.3']],
  [['10.0.0.0/8'], 'fd00::1', '198.51.100.1', ['fd00::1']],
  [['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', []],
  [[], '9.9.9.9', '198.51.100.1', []],
  [[], '10.1.2.3', undefined, []],
])(
  'with the trusted proxies %j, a request from %s for %s reports the unlisted proxies %j',
  (trusted, peer, forwardedFor, expected) => {
    const unlisted: string[] = []
    const header = (name: string) => (name === 'x-forwarded-for' ? forwardedFor : undefined)
    clientAddressBehind(trusted, { onUnlistedProxy: (address) => void unlisted.push(address) })(peer, header)
    expect(unlisted).toEqual(expected)
  },
)

test.each(['0.0.0.0/0', '::/0', '0.0.0.0/1', '128.0.0.0/1', '8.0.0.0/7', '2000::/3', '::/80'])(
  'the network %s is refused in the list of trusted proxies, because it is too wide',
  (network) => {
    expect(() => clientAddressBehind(['10.0.0.0/8', network])).toThrow(/webserver\.trusted_proxies: .* is wider than/)
  },
)

test.each(['10.0.0.0/8', 'fc00::/7', '172.16.0.0/12', '127.0.0.1', '::1', '203.0.113.0/24', '::ffff:10.0.0.1'])(
  'the trusted proxies may be %s',
  (network) => {
    expect(() => clientAddressBehind([network])).not.toThrow()
  },
)

test('an invalid network is refused', () => {
  expect(() => clientAddressBehind(['proxy.example.org'])).toThrow(/neither an address nor a network/)
  expect(() => clientAddressBehind(['10.0.0.0/99'])).toThrow()
})
