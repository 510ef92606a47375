import { expect, test } from '@jest/globals'
import { decodeHtml } from './decode-html.ts'

const latin = Buffer.from('<title>café</title>', 'latin1')

test.each([
  ['the charset that the server declares', latin, 'text/html; charset=ISO-8859-1', 'café'],
  [
    'the charset that the page declares',
    Buffer.concat([Buffer.from('<meta charset="windows-1252">'), latin]),
    'text/html',
    'café',
  ],
  [
    'the older form',
    Buffer.concat([Buffer.from('<meta http-equiv=content-type content="text/html; charset=latin1">'), latin]),
    'text/html',
    'café',
  ],
  ['a mark', Buffer.from('\ufeffcafé', 'utf16le'), 'text/html; charset=utf-8', 'café'],
  ['nothing', Buffer.from('café'), 'text/html', 'café'],
  ['an unknown charset', Buffer.from('café'), 'text/html; charset=klingon', 'café'],
])('a page is decoded by %s', (_, bytes, contentType, expected) => {
  expect(decodeHtml(bytes, contentType)).toContain(expected)
})

test('Japanese pages are read', () => {
  const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b])
  expect(decodeHtml(shiftJis, 'text/html; charset=Shift_JIS')).toBe('日本')
})
