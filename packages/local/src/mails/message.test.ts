import { describe, expect, test } from '@jest/globals'
import { readMessage } from './message.ts'

const lines = (...all: string[]) => all.join('\r\n')

describe('a mail', () => {
  test('is decoded from quoted-printable, base64 and encoded words', () => {
    const raw = lines(
      'From: "Our Chat" <chat@example.org>',
      'To: ann@example.org',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_an?=',
      ' =?UTF-8?B?IGRpY2g=?=',
      'Date: Fri, 20 Nov 2026 23:00:00 +0000',
      'Content-Type: multipart/alternative;',
      ' boundary="--_b-1"',
      '',
      '----_b-1',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=C3=BC=',
      '=C3=9Fe',
      '----_b-1',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('<p>Grüße</p>').toString('base64'),
      '----_b-1--',
    )
    expect(readMessage(raw)).toEqual({
      from: '"Our Chat" <chat@example.org>',
      to: 'ann@example.org',
      subject: 'Grüße an dich',
      date: 'Fri, 20 Nov 2026 23:00:00 +0000',
      text: 'Grüße\r\n',
      html: '<p>Grüße</p>',
    })
  })

  test('without parts is read as plain text', () => {
    expect(readMessage('Subject: x\n\nhello\n')).toMatchObject({ subject: 'x', text: 'hello\n', html: '' })
  })

  test.each(['', '\r\n\r\n', 'no header', 'Content-Type: multipart/mixed; boundary=x\n\n--x'])(
    'with the content %p is read without an error',
    (raw) => {
      expect(readMessage(raw)).toMatchObject({ from: '', to: '', html: '' })
    },
  )
})
