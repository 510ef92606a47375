import { describe, expect, test } from '@jest/globals'
import { blobTicketWindowMs, readBlobTicket, signBlobTicket, type BlobTicket } from './blob-ticket.ts'

const ticket: BlobTicket = {
  callerId: 'Ualice',
  method: 'svc.api.v1.MyAccountService/UploadAvatar',
  size: 3,
  sha256: 'ab'.repeat(32),
  signedAt: 1_000_000,
  nonce: 'n1',
}
const signed = signBlobTicket('key', ticket)
const [content = '', signature = ''] = signed.split('.')
const forged = Buffer.from(JSON.stringify({ ...ticket, callerId: 'Umallory' })).toString('base64url')

describe('a ticket for the bytes of a blob', () => {
  test('is decoded as it was encoded', () => {
    expect(readBlobTicket('key', signed, ticket.signedAt + 1)).toEqual(ticket)
  })

  test.each([
    ['another key', 'other', signed, 0],
    ['another caller', 'key', `${forged}.${signature}`, 0],
    ['no signature', 'key', content, 0],
    ['garbage', 'key', 'x.y', 0],
    ['nothing', 'key', '', 0],
    ['an old timestamp', 'key', signed, blobTicketWindowMs + 1],
    ['a future timestamp', 'key', signed, -blobTicketWindowMs - 1],
  ])('is refused with %s', (_, secret, value, later) => {
    expect(readBlobTicket(secret, value, ticket.signedAt + later)).toBeUndefined()
  })
})
