import { expect, test } from '@jest/globals'
import { decodeHtml } from './decode-html.ts'

const latin = Buffer.from('<title>café</title>', 'latin1')

test.each([
  ['the charset in the Content-Type header', latin, 'text/html; charset=ISO-8859-1', 'café'],
  [
    'the charset in <meta charset>',
    Buffer.concat([Buffer.from('<meta charset="windows-1252">'), latin]),
    'text/html',
    'café',
  ],
  [
    'the charset in <meta http-equiv>',
    Buffer.concat([Buffer.from('<meta http-equiv=content-type content="text/html; charset=latin1">'), latin]),
    'text/html',
    'café',
  ],
  ['its byte order mark', Buffer.from('\ufeffcafé', 'utf16le'), 'text/html; charset=utf-8', 'café'],
  ['UTF-8 if no charset is declared', Buffer.from('café'), 'text/html', 'café'],
  ['UTF-8 if the declared charset is unknown', Buffer.from('café'), 'text/html; charset=klingon', 'café'],
])('a page is decoded according to %s', (_, bytes, contentType, expected) => {
  expect(decodeHtml(bytes, contentType)).toContain(expected)
})

test('a Japanese page is decoded', () => {
  const shiftJis = Buffer.from([0x93, 0xfa, 0x96, 0x7b])
  expect(decodeHtml(shiftJis, 'text/html; charset=Shift_JIS')).toBe('日本')
})
