import { expect, test } from '@jest/globals'
import { addressesIn, notAddressesIn } from './addresses.ts'

test.each([
  ['lines', 'a@example.org\nb@example.org\r\n', ['a@example.org', 'b@example.org']],
  ['a table', 'name;address\n"Ann";"a@example.org"\nBob;b@example.org', ['a@example.org', 'b@example.org']],
  ['a recipient list', 'Ann <a@example.org>, "Bob" <b@mail.example.org>', ['a@example.org', 'b@mail.example.org']],
  ['a text with a duplicate', 'A@example.org a@example.org', ['A@example.org']],
  ['a text without addresses', 'no address, not even @one or two@', []],
])('the addresses in %s are returned once each', (_, given, expected) => expect(addressesIn(given)).toEqual(expected))

test.each([
  ['a list', 'a@example.org, not-an-address; b@example', ['b@example', 'not-an-address']],
  ['one word', 'a.example.org', ['a.example.org']],
  ['lines', 'a@example.org\nb.example.org\r\n@c\n', ['b.example.org', '@c']],
  ['a table', 'name;address\n"Ann";"a@example.org"\nBob;b@example', ['b@example']],
  ['lines of lists', 'a@example.org, b@example.org\nc@example.org, d.example.org, e@example.org', ['d.example.org']],
  ['a recipient list', 'Ann <a@example.org>, "Bob" <b@mail.example.org>', []],
  ['a blank text', ' \n', []],
])('entries of %s that were meant as addresses, but are none, are returned', (_, given, expected) =>
  expect(notAddressesIn(given)).toEqual(expected),
)
