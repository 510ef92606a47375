import { expect, test } from '@jest/globals'
import { addressesIn } from './addresses.ts'

test.each([
  ['lines', 'a@example.org\nb@example.org\r\n', ['a@example.org', 'b@example.org']],
  ['a table', 'name;address\n"Ann";"a@example.org"\nBob;b@example.org', ['a@example.org', 'b@example.org']],
  ['a recipient list', 'Ann <a@example.org>, "Bob" <b@mail.example.org>', ['a@example.org', 'b@mail.example.org']],
  ['a text with a duplicate', 'A@example.org a@example.org', ['A@example.org']],
  ['a text without addresses', 'no address, not even @one or two@', []],
])('the addresses in %s are returned once each', (_, given, expected) => expect(addressesIn(given)).toEqual(expected))
