import { expect, test } from '@jest/globals'
import { isPublicAddress, publicExcept } from './public-address.ts'

test.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['192.168.1.1', '192.0.0.8', '198.18.0.1', '203.0.113.7', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', 'fe80::1', 'fe80::1%eth0', 'fc00::1'],
  ...['2002:7f00:1::', '2001::1', '2001:db8::1', 'ff02::1', 'localhost', ''],
])('"%s" is not public', (address) => expect(isPublicAddress(address)).toBe(false))

test('addresses in the excluded networks are not allowed', () => {
  const isAllowed = publicExcept(['2606:4700:4700::/48', '1.0.0.0/24', '1.2.3.4'])
  for (const address of ['2606:4700:4700::1111', '1.0.0.1', '1.2.3.4', '10.0.0.1'])
    expect(isAllowed(address)).toBe(false)
  for (const address of ['2606:4700:4701::1', '1.0.1.1', '1.2.3.5']) expect(isAllowed(address)).toBe(true)
})

test.each(['cluster.local', '10.0.0.0/33', '10.0.0.0/', 'fd00::/x'])(
  '%s is refused because it is not a network',
  (network) => {
    expect(() => publicExcept([network])).toThrow(network)
  },
)
